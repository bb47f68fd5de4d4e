"""Saved answers of Crossref: works in JSON, and the deposited record in XML."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.csl_json import of_date_parts, people
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import reference
from broadsheet.sources.files.plain_text import plain
from broadsheet.sources.files.values import record_of, text, texts
from broadsheet.sources.files.xml_documents import at, descendants, flat, line_of, root_of, words
from broadsheet.sources.markup import Element, children, name
from broadsheet.sources.text import clean_name, named


def parse(works: Iterator[Mapping[str, object]], path: str) -> Iterator[Arrival | Skipped]:
    """Each work of an answer."""
    for work in works:
        yield arrival(_draft(work), path)


def _draft(work: Mapping[str, object]) -> Draft:
    stated = ("published", "issued", "published-online", "published-print", "posted", "created")
    found = (of_date_parts(record_of(work, key).get("date-parts")) for key in stated)
    published = next((one for one in found if one), None)
    journal = next(iter(texts(work, "container-title")), "")
    numbers = (text(work, "volume"), text(work, "issue"), text(work, "page", "article-number"))
    year = str(published.year) if published else ""
    return Draft(
        title=plain(next(iter(texts(work, "title")), "")),
        abstract=plain(text(work, "abstract")),
        authors=people(work, "author") or people(work, "editor"),
        identifiers=[f"doi:{text(work, 'DOI')}"],
        doi=text(work, "DOI"),
        submitted=published,
        journal_ref=reference(plain(journal), *numbers, year),
        address=text(work, "URL"),
    )


def parse_xml(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    """Each work in Crossref's deposited form (unixref)."""
    root = root_of(content, path)
    if isinstance(root, Skipped):
        yield root
        return
    works = root.iter("{*}journal_article", "{*}posted_content", "{*}conference_paper", "{*}content_item")
    found = False
    for work in works:
        found = True
        yield arrival(_deposited(work), path)
    if not found:
        yield Skipped(path, 1, "holds no work of Crossref's")


def _deposited(work: Element) -> Draft:
    around = work.getparent()
    journal = words(around, "journal_metadata", "full_title")
    volume = words(around, "journal_issue", "journal_volume", "volume")
    pages = (words(work, "pages", "first_page"), words(work, "pages", "last_page"))
    published = _date(at(work, "publication_date"))
    numbers = (volume, words(around, "journal_issue", "issue"), "-".join(one for one in pages if one))
    return Draft(
        title=words(work, "titles", "title"),
        abstract=" ".join(flat(part) for part in descendants(work, "p")),
        authors=_people(at(work, "contributors")),
        identifiers=[f"doi:{words(work, 'doi_data', 'doi')}"],
        doi=words(work, "doi_data", "doi"),
        submitted=published,
        journal_ref=reference(journal, *numbers, str(published.year) if published else ""),
        address=words(work, "doi_data", "resource"),
        line=line_of(work),
    )


def _people(group: Element | None) -> list[Author]:
    found = []
    for one in [] if group is None else group:
        if name(one) == "organization":
            found.append(Author(clean_name(flat(one))))
        elif name(one) == "person_name" and one.get("contributor_role") in ("author", None):
            given, suffix = clean_name(words(one, "given_name")), clean_name(words(one, "suffix"))
            person = named(clean_name(words(one, "surname")), given, suffix)
            orcid = words(one, "ORCID").rpartition("/")[2] or None
            place = next((flat(p) for p in children(one, "affiliation")), "") or None
            found.append(Author(person.name, person.family, person.given, orcid, place))
    return [one for one in found if one.name]


def _date(element: Element | None) -> datetime | None:
    year = words(element, "year")
    parts = "-".join(one for one in (year, words(element, "month"), words(element, "day")) if one)
    return dates.instant(parts)
