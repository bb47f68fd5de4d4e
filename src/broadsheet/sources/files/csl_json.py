"""CSL JSON, as citation processors read it, and the JSON of Zotero's own export and API."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import arxiv_in, doi_in, reference
from broadsheet.sources.files.plain_text import plain
from broadsheet.sources.files.values import number, record_of, records, text
from broadsheet.sources.text import author, clean_name, named

_NO_PAPERS = frozenset(("attachment", "note", "annotation"))


def parse(items: Iterator[Mapping[str, object]], path: str) -> Iterator[Arrival | Skipped]:
    """Each item's paper. An item in Zotero's trash is Skipped; attachments and notes are no papers."""
    for item in items:
        inner = record_of(item, "data") or item
        kind = text(inner, "itemType")
        if inner.get("deleted"):
            yield Skipped(path, None, f"{text(inner, 'key', 'id')[:80]!r} is in the library's trash")
        elif kind not in _NO_PAPERS:
            yield arrival(_zotero(inner) if kind else _csl(inner), path)


def _csl(item: Mapping[str, object]) -> Draft:
    published = _date(record_of(item, "issued"))
    year = str(published.year) if published else ""
    addresses = [text(item, "URL")]
    notes = [text(item, key) for key in ("note", "number", "archive_location", "container-title", "arxiv")]
    doi = doi_in(text(item, "DOI", "doi"))
    numbers = (text(item, "volume"), text(item, "issue"), text(item, "page"))
    return Draft(
        title=plain(text(item, "title")),
        abstract=plain(text(item, "abstract")),
        authors=people(item, "author") or people(item, "editor"),
        identifiers=[
            *map(arxiv_in, addresses + notes),
            f"doi:{doi}",
            f"pmid:{text(item, 'PMID')}",
            *addresses,
        ],
        doi=doi,
        submitted=published,
        journal_ref=reference(plain(text(item, "container-title")), *numbers, year),
        address=addresses[0],
        kept=dates.day(text(item, "added", "dateAdded", "timestamp")),
    )


def _zotero(item: Mapping[str, object]) -> Draft:
    published = dates.instant(text(item, "date"))
    year = str(published.year) if published else ""
    addresses = [text(item, "url")]
    notes = [text(item, key) for key in ("archiveID", "extra", "number", "publicationTitle")]
    doi = doi_in(text(item, "DOI")) or doi_in(text(item, "extra"))
    journal = text(item, "publicationTitle", "proceedingsTitle", "bookTitle")
    numbers = (text(item, "volume"), text(item, "issue"), text(item, "pages"))
    creators = [one for one in records(item, "creators") if text(one, "creatorType") in ("author", "")]
    return Draft(
        title=plain(text(item, "title")),
        abstract=plain(text(item, "abstractNote")),
        authors=[_creator(one) for one in creators],
        identifiers=[*map(arxiv_in, addresses + notes), f"doi:{doi}", *addresses],
        doi=doi,
        submitted=published,
        journal_ref=reference(journal, *numbers, year),
        address=addresses[0],
        kept=dates.day(text(item, "dateAdded")),
    )


def people(item: Mapping[str, object], key: str) -> list[Author]:
    """Names in CSL's parts, in order; a literal is a group's."""
    found = []
    for one in records(item, key):
        if literal := text(one, "literal", "name"):
            found.append(Author(clean_name(literal)))
            continue
        particles = (text(one, "dropping-particle"), text(one, "non-dropping-particle"), text(one, "family"))
        family = clean_name(" ".join(part for part in particles if part))
        name = named(family, clean_name(text(one, "given")), clean_name(text(one, "suffix")))
        orcid = text(one, "ORCID").rpartition("/")[2] or None
        found.append(Author(name.name, name.family, name.given, orcid))
    return [one for one in found if one.name]


def _creator(one: Mapping[str, object]) -> Author:
    if whole := text(one, "name"):
        return author(whole)
    return named(clean_name(text(one, "lastName")), clean_name(text(one, "firstName")))


def _date(stated: Mapping[str, object]) -> datetime | None:
    return of_date_parts(stated.get("date-parts")) or dates.instant(text(stated, "raw", "literal"))


def of_date_parts(parts: object) -> datetime | None:
    """The instant of CSL's ``[[year, month, day]]``, of which month and day may be missing."""
    match parts:
        case [[*numbers], *_]:
            whole = [number({"n": one}, "n") for one in numbers[:3]]
            found = [int(one) for one in whole if one is not None]
            return dates.of_parts(*found) if found else None
    return None
