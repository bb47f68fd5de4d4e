"""EndNote's tagged format (``.enw``, Refer)."""

import re
from collections.abc import Iterator

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import arxiv_in, doi_in, reference
from broadsheet.sources.files.tagged import Layout, Tagged, records
from broadsheet.sources.text import author

_LAYOUT = Layout(
    tag=re.compile(r"\s{0,3}%([0-9A-Z@!#$&(*+>?^<\[\]=~])(?: |$)(.*)"),
    begins="0",
    ends="",
    once=frozenset("T"),
    goes_on=re.compile(r"\s*\S"),
)


def parse(text: str, path: str) -> Iterator[Arrival | Skipped]:
    """Each record's paper; a line without a tag continues the value before it."""
    for record in records(text, path, _LAYOUT):
        yield arrival(_draft(record), path)


def _draft(record: Tagged) -> Draft:
    year, addresses = record.first("D"), record.every("U")
    doi = doi_in(record.first("R")) or next(filter(None, map(doi_in, addresses)), "")
    journal = record.first("J", "B")
    numbers = (record.first("V"), record.first("N"), record.first("P"))
    notes = record.every("M", "O", "R", "J", "P")
    return Draft(
        title=record.first("T"),
        abstract=record.first("X"),
        authors=[author(name) for name in record.every("A") or record.every("E")],
        identifiers=[*map(arxiv_in, addresses + notes), f"doi:{doi}", *addresses],
        doi=doi,
        submitted=dates.instant(f"{record.first('8')} {year}") or dates.instant(year),
        journal_ref=reference(journal, *numbers, year[:4]),
        address=addresses[0] if addresses else "",
        line=record.line,
    )
