"""RIS, as every reference manager and most journals write it."""

import re
from collections.abc import Iterator
from datetime import datetime

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, address, arrival
from broadsheet.sources.files.journals import arxiv_in, doi_in, reference
from broadsheet.sources.files.tagged import Layout, Tagged, records
from broadsheet.sources.text import author

_LAYOUT = Layout(
    tag=re.compile(r"\s{0,3}([A-Z][A-Z0-9]) {1,2}-(?: |$)(.*)"),
    begins="TY",
    ends="ER",
    once=frozenset(),
    goes_on=re.compile(r"\s+\S|[a-z(]"),
)


def parse(text: str, path: str) -> Iterator[Arrival | Skipped]:
    """Each record's paper, also where ``TY`` or ``ER`` is missing or text stands between records."""
    for record in records(text, path, _LAYOUT):
        yield arrival(_draft(record), path)


def _draft(record: Tagged) -> Draft:
    notes = record.every("N1", "M3", "M1", "AN", "C1", "JO", "JF", "T2", "PB")
    addresses = record.every("UR", "L1", "L2", "LK")
    doi = doi_in(record.first("DO", "DI")) or next(
        (d for d in map(doi_in, record.every("M3", "N1")) if d), ""
    )
    journal = record.first("JF", "JO", "T2", "JA", "J2", "BT")
    pages = "-".join(part for part in (record.first("SP"), record.first("EP")) if part)
    submitted = _published(record)
    year = str(submitted.year) if submitted else ""
    return Draft(
        title=record.first("TI", "T1", "CT", "BT"),
        abstract=record.first("AB", "N2"),
        authors=[author(name) for name in record.every("AU", "A1") or record.every("A2", "ED")],
        identifiers=[*map(arxiv_in, addresses + notes), f"doi:{doi}", record.first("AN"), *addresses],
        doi=doi,
        submitted=submitted,
        journal_ref=reference(journal, record.first("VL"), record.first("IS"), pages, year),
        address=next((one for one in addresses if address(one)), ""),
        line=record.line,
    )


def _published(record: Tagged) -> datetime | None:
    """The fullest of the dates that agree on the year: RIS writes ``2031/07/04/`` or only a year."""
    stated = [one.strip("/ ") for one in record.every("PY", "Y1", "DA")]
    found = [(len(one), instant) for one in stated if (instant := dates.instant(one))]
    if not found:
        return None
    year = found[0][1].year
    return max((one for one in found if one[1].year == year), key=lambda one: one[0])[1]
