"""Files and folders are walked in order; what is no file of papers is refused with its reason."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.errors import UsageError
from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files.reading import FORMATS, read

NOW = datetime(2031, 3, 4, 12, tzinfo=UTC)
RECORD = '{"id": "3103.0000%d", "title": "T"}\n'


def test_folders_are_walked_in_sorted_order_and_unknown_files_named(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.jsonl").write_text(RECORD % 2)
    (tmp_path / "a.jsonl").write_text(RECORD % 1)
    (tmp_path / "z.jsonl").write_text(RECORD % 3)
    (tmp_path / "notes.md").write_text("# Notes\n\nNothing here.\n")
    (tmp_path / ".hidden").write_text(RECORD % 4)
    found = list(read(tmp_path, now=NOW))
    assert [one.paper.id[-1] if isinstance(one, Arrival) else one.path for one in found] == [
        "1",
        "2",
        str(tmp_path / "notes.md"),
        "3",
    ]
    assert found[2] == Skipped(str(tmp_path / "notes.md"), None, "of no known format")


def test_what_is_missing_or_no_file_is_skipped_with_its_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert [one.why for one in read(tmp_path, now=NOW) if isinstance(one, Skipped)] == [
        "neither a file nor a folder"
    ]
    assert list(read(tmp_path / "gone", now=NOW)) == [Skipped(str(tmp_path / "gone"), None, "no such file")]


def test_a_format_that_does_not_exist_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no format of papers"):
        read(tmp_path, "word", now=NOW)


def test_a_saved_page_gives_an_abstract_a_paragraph_with_its_first_sentence_as_title(tmp_path: Path) -> None:
    first = "Maps of e.g. feathers, by A. Nord, are drawn. They are good." + " More words follow here." * 8
    second = "A sentence that does not end " * 8
    (tmp_path / "page.txt").write_text(f"Daily Papers\n\n{first}\n\n{second}\n")
    one, two = read(tmp_path / "page.txt", now=NOW)
    assert isinstance(one, Arrival)
    assert isinstance(two, Arrival)
    assert (one.paper.title, one.line) == ("Maps of e.g. feathers, by A. Nord, are drawn", 3)
    assert (two.paper.title, two.line) == (second[:120].rstrip(), 5)
    assert one.paper.abstract == first
    assert one.paper.id.startswith("file:")


@given(st.binary(max_size=400))
def test_arbitrary_bytes_never_raise(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "x"
    path.write_bytes(content)
    for format in (None, *FORMATS):
        for found in read(path, format, now=NOW):
            assert found.line is None or found.line >= 1
