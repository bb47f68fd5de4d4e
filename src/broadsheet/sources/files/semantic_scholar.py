"""Saved answers of Semantic Scholar: papers and lists of them."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival, cited
from broadsheet.sources.files.journals import reference
from broadsheet.sources.files.jsonl import authors_of
from broadsheet.sources.files.values import number, record_of, text


def parse(papers: Iterator[Mapping[str, object]], path: str, now: datetime) -> Iterator[Arrival | Skipped]:
    """Each paper, with its citations as counted at ``now``."""
    for one in papers:
        yield cited(arrival(_draft(one), path), number(one, "citationCount"), now)


def _draft(one: Mapping[str, object]) -> Draft:
    ids, journal = record_of(one, "externalIds"), record_of(one, "journal")
    year = text(one, "year")
    return Draft(
        title=text(one, "title"),
        abstract=text(one, "abstract"),
        authors=authors_of(one.get("authors")),
        identifiers=[text(ids, "ArXiv"), f"doi:{text(ids, 'DOI')}", f"pmid:{text(ids, 'PubMed')}"],
        doi=text(ids, "DOI"),
        submitted=dates.instant(text(one, "publicationDate")) or dates.instant(year),
        journal_ref=reference(
            text(journal, "name") or text(one, "venue"),
            text(journal, "volume"),
            "",
            text(journal, "pages"),
            year,
        ),
        address=text(one, "url"),
        pdf=text(record_of(one, "openAccessPdf"), "url"),
    )
