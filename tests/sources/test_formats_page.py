"""The page of formats tells of every format that can be asked for, and of no other."""

import re
from pathlib import Path

from broadsheet.sources.files.reading import FORMATS

ROOT = Path(__file__).resolve().parents[2]


def test_every_format_has_its_paragraph_and_every_paragraph_its_format() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    told = re.findall(r"^### `([a-z-]+)`\n\n(\S.{40,})", page, re.MULTILINE)
    assert sorted(name for name, _ in told) == sorted(FORMATS)


def test_the_formats_are_those_of_the_command() -> None:
    assert set(FORMATS) == {
        "arxiv-atom",
        "oai",
        "jsonl",
        "feed",
        "pubmed-xml",
        "nbib",
        "bibtex",
        "ris",
        "enw",
        "endnote-xml",
        "csl-json",
        "zotero-rdf",
        "daily-page",
    }
