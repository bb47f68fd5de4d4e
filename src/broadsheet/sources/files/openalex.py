"""Saved answers of OpenAlex: works."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, address, arrival, cited
from broadsheet.sources.files.journals import arxiv_in, reference
from broadsheet.sources.files.plain_text import plain
from broadsheet.sources.files.values import number, record_of, records, text
from broadsheet.sources.text import clean_name

_LONGEST_ABSTRACT = 20_000


def parse(works: Iterator[Mapping[str, object]], path: str, now: datetime) -> Iterator[Arrival | Skipped]:
    """Each work, with its citations as counted at ``now``."""
    for work in works:
        yield cited(arrival(_draft(work), path), number(work, "cited_by_count"), now)


def _draft(work: Mapping[str, object]) -> Draft:
    ids, place = record_of(work, "ids"), record_of(work, "primary_location")
    numbers = record_of(work, "biblio")
    journal = text(record_of(place, "source"), "display_name")
    submitted = dates.instant(text(work, "publication_date"))
    pages = "-".join(one for one in (text(numbers, "first_page"), text(numbers, "last_page")) if one)
    places = [text(one, "landing_page_url") for one in (place, *records(work, "locations"))]
    year = str(submitted.year) if submitted else ""
    return Draft(
        title=plain(text(work, "title", "display_name")),
        abstract=unfolded(record_of(work, "abstract_inverted_index")),
        authors=[_author(one) for one in records(work, "authorships")],
        identifiers=[*map(arxiv_in, places), text(work, "doi"), text(ids, "doi"), text(ids, "pmid")],
        doi=text(work, "doi"),
        submitted=submitted,
        journal_ref=reference(journal, text(numbers, "volume"), text(numbers, "issue"), pages, year),
        address=next((one for one in places if address(one)), ""),
        pdf=text(place, "pdf_url"),
        withdrawn=work.get("is_retracted") is True,
    )


def unfolded(index: Mapping[str, object]) -> str:
    """The abstract out of OpenAlex's index of words and their places."""
    by_place: dict[int, str] = {}
    for word, places in index.items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and 0 <= place < _LONGEST_ABSTRACT:
                by_place[place] = word
    return " ".join(by_place[place] for place in sorted(by_place))


def _author(one: Mapping[str, object]) -> Author:
    person = record_of(one, "author")
    name = clean_name(text(one, "raw_author_name") or text(person, "display_name"))
    orcid = text(person, "orcid").rpartition("/")[2] or None
    place = next((text(at, "display_name") for at in records(one, "institutions")), "") or None
    return Author(name, orcid=orcid, affiliation=place)
