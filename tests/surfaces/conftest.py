"""Running the command line in this process, on a home of the test's own."""

import json
import sys
from pathlib import Path

import pytest
from three_papers import NOW, PAPERS, Outcome, Run

from broadsheet.cli.main import main


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``broadsheet`` with these arguments in a fresh home at noon of 24 April 2026."""
    monkeypatch.setenv("BROADSHEET_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BROADSHEET_NOW", NOW)

    def command(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["broadsheet", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main()
        told = capsys.readouterr()
        return Outcome(int(left.value.code or 0), told.out, told.err)

    return command


@pytest.fixture
def papers_file(tmp_path: Path) -> Path:
    """Three papers of two days as JSON lines."""
    file = tmp_path / "papers.jsonl"
    file.write_text("".join(json.dumps(paper) + "\n" for paper in PAPERS), "utf-8")
    return file
