"""Zotero's RDF, and the bibliographic RDF of libraries in the same vocabularies."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import arxiv_in, doi_in, reference
from broadsheet.sources.files.xml_documents import at, flat, line_of, root_of, words
from broadsheet.sources.markup import Element, children, name
from broadsheet.sources.text import author, clean_name, named

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_NO_PAPERS = frozenset(
    ("Attachment", "Memo", "Journal", "Periodical", "Person", "Collection", "Series", "Organization", "Agent")
)


def parse(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    """Each item of a file that is a work: no attachments, notes, people or collections."""
    root = root_of(content, path)
    if isinstance(root, Skipped):
        yield root
        return
    described = {about: element for element in root if (about := element.get(f"{_RDF}about"))}
    for element in root:
        kind = words(element, "itemType")
        if name(element) and name(element) not in _NO_PAPERS and kind not in ("attachment", "note"):
            yield arrival(_draft(element, described), path)


def _draft(item: Element, described: Mapping[str, Element]) -> Draft:
    container = _container(item, described)
    named_there = [flat(one) for one in children(item, "identifier")]
    about = item.get(f"{_RDF}about") or ""
    texts = [*named_there, about, words(item, "description"), *_identifiers(container)]
    doi = next((found for one in texts if (found := doi_in(one))), "")
    published = _published(item)
    journal = words(container, "title") or words(item, "isPartOf")
    numbers = (words(container, "volume"), words(container, "number"), words(item, "pages"))
    return Draft(
        title=words(item, "title"),
        abstract=words(item, "abstract"),
        authors=_authors(item, described),
        identifiers=[*map(arxiv_in, texts), f"doi:{doi}", *named_there, about],
        doi=doi,
        submitted=published,
        journal_ref=reference(journal, *numbers, str(published.year) if published else ""),
        address=next((one for one in (*named_there, about) if one.startswith("http")), ""),
        kept=dates.day(words(item, "dateSubmitted")),
        line=line_of(item),
    )


def _container(item: Element, described: Mapping[str, Element]) -> Element | None:
    """The journal or book that an item stands in: nested, or described elsewhere in the file."""
    part_of = at(item, "isPartOf")
    if part_of is None:
        return None
    inside = next((child for child in part_of if name(child)), None)
    return inside if inside is not None else described.get(part_of.get(f"{_RDF}resource") or "")


def _identifiers(container: Element | None) -> list[str]:
    if container is None:
        return []
    found = [flat(one) for one in children(container, "identifier")]
    return [one for one in found if one.upper().startswith("DOI")]


def _published(item: Element) -> datetime | None:
    return dates.instant(words(item, "date") or words(item, "issued"))


def _authors(item: Element, described: Mapping[str, Element]) -> list[Author]:
    group = at(item, "authors")
    people = [] if group is None else [one for one in group.iter("{*}Person") if len(one)]
    for creator in children(item, "creator"):
        person = described.get(creator.get(f"{_RDF}resource") or "")
        people += [person] if person is not None else list(creator.iter("{*}Person"))
    found = [_author(person) for person in people]
    found += [author(flat(one)) for one in children(item, "creator") if not len(one) and flat(one)]
    return [one for one in found if one.name]


def _author(person: Element) -> Author:
    family = clean_name(words(person, "surname") or words(person, "familyName"))
    given = clean_name(words(person, "givenName") or words(person, "givenname"))
    return named(family, given) if family or given else Author(clean_name(words(person, "name")))
