"""PubMed's tagged format (MEDLINE, ``.nbib``)."""

import re
from collections.abc import Iterator

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import doi_in, reference
from broadsheet.sources.files.tagged import Layout, Tagged, records
from broadsheet.sources.text import author, clean_name

_LAYOUT = Layout(
    tag=re.compile(r"([A-Z]{2,4}) {0,3}- ?(.*)"),
    begins="PMID",
    ends="",
    once=frozenset(("TI", "DP")),
    goes_on=re.compile(r"\s{4,}\S"),
)


def parse(text: str, path: str) -> Iterator[Arrival | Skipped]:
    """Each record's paper."""
    for record in records(text, path, _LAYOUT):
        yield arrival(_draft(record), path)


def _draft(record: Tagged) -> Draft:
    doi = next((doi_in(one) for one in record.every("LID", "AID", "SO") if "doi" in one.lower()), "")
    published = record.first("DP")
    return Draft(
        title=without_stop(record.first("TI", "BTI", "CTI")),
        abstract=record.first("AB"),
        authors=_authors(record),
        identifiers=[f"doi:{doi}", f"pmid:{record.first('PMID')}"],
        doi=doi,
        submitted=dates.instant(published) or dates.instant(record.first("DEP")),
        journal_ref=reference(
            record.first("JT", "TA"),
            record.first("VI"),
            record.first("IP"),
            record.first("PG"),
            published[:4],
        ),
        withdrawn="Retracted Publication" in record.every("PT"),
        line=record.line,
    )


def _authors(record: Tagged) -> list[Author]:
    people = [author(name) for name in record.every("FAU") or record.every("AU")]
    return people + [Author(clean_name(group)) for group in record.every("CN")]


def without_stop(title: str) -> str:
    """A title without the full stop that MEDLINE ends it with, and without its translation's brackets."""
    title = title.strip().removesuffix(".")
    return title[1:-1].removesuffix(".") if title.startswith("[") and title.endswith("]") else title
