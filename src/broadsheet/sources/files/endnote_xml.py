"""EndNote's XML export."""

from collections.abc import Iterator

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import arxiv_in, doi_in, reference
from broadsheet.sources.files.xml_documents import at, descendants, flat, line_of, root_of, words
from broadsheet.sources.markup import Element, children
from broadsheet.sources.text import author, clean_name


def parse(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    """Each ``record`` of a file."""
    root = root_of(content, path)
    if isinstance(root, Skipped):
        yield root
        return
    for element in descendants(root, "record"):
        yield arrival(_draft(element), path)


def _draft(record: Element) -> Draft:
    year = words(record, "dates", "year")[:4]
    stated = words(record, "dates", "pub-dates", "date")
    addresses = [flat(one) for one in record.iter("{*}url")]
    doi = doi_in(words(record, "electronic-resource-num"))
    journal = words(record, "periodical", "full-title") or words(record, "titles", "secondary-title")
    numbers = (words(record, "volume"), words(record, "number"), words(record, "pages"))
    notes = [words(record, *path) for path in (("accession-num",), ("notes",), ("titles", "secondary-title"))]
    return Draft(
        title=words(record, "titles", "title"),
        abstract=words(record, "abstract"),
        authors=_authors(record),
        identifiers=[*map(arxiv_in, addresses + notes), f"doi:{doi}", *addresses],
        doi=doi,
        submitted=dates.instant(f"{stated} {year}") if stated else dates.instant(year),
        journal_ref=reference(journal, *numbers, year),
        address=addresses[0] if addresses else "",
        line=line_of(record),
    )


def _authors(record: Element) -> list[Author]:
    """Authors in order; EndNote ends the name of a group with a comma."""
    group = at(record, "contributors", "authors")
    found = []
    for element in [] if group is None else children(group, "author"):
        typed = flat(element)
        found.append(Author(clean_name(typed)) if typed.endswith(",") else author(typed))
    return [one for one in found if one.name]
