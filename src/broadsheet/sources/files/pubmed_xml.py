"""PubMed's XML: articles and chapters of books."""

from collections.abc import Iterator
from datetime import datetime

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import reference
from broadsheet.sources.files.nbib import without_stop
from broadsheet.sources.files.xml_documents import at, descendants, flat, line_of, root_of, words
from broadsheet.sources.markup import Element, children, name
from broadsheet.sources.text import clean, clean_name, named


def parse(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    """Each ``PubmedArticle`` and ``PubmedBookArticle`` of a file."""
    root = root_of(content, path)
    if isinstance(root, Skipped):
        yield root
        return
    for element in root.iter("{*}PubmedArticle", "{*}PubmedBookArticle"):
        read = _article if name(element) == "PubmedArticle" else _book
        yield arrival(read(element), path)


def _article(element: Element) -> Draft:
    citation = at(element, "MedlineCitation")
    article = at(element, "MedlineCitation", "Article")
    if citation is None or article is None:
        return Draft(line=line_of(element))
    issue = at(article, "Journal", "JournalIssue")
    published = _date(at(article, "ArticleDate")) or _date(None if issue is None else at(issue, "PubDate"))
    doi = _doi(article, element)
    journal = words(article, "Journal", "ISOAbbreviation") or words(article, "Journal", "Title")
    numbers = (words(issue, "Volume"), words(issue, "Issue"), words(article, "Pagination", "MedlinePgn"))
    kinds = [flat(kind) for kind in descendants(article, "PublicationType")]
    return Draft(
        title=without_stop(words(article, "ArticleTitle") or words(article, "VernacularTitle")),
        abstract=_abstract(at(article, "Abstract")),
        authors=_authors(at(article, "AuthorList")),
        identifiers=[f"doi:{doi}", f"pmid:{words(citation, 'PMID')}"],
        doi=doi,
        submitted=published,
        journal_ref=reference(journal, *numbers, str(published.year) if published else ""),
        withdrawn="Retracted Publication" in kinds,
        line=line_of(element),
    )


def _book(element: Element) -> Draft:
    document = at(element, "BookDocument")
    if document is None:
        return Draft(line=line_of(element))
    book = at(document, "Book")
    people = at(document, "AuthorList")
    if people is None and book is not None:
        people = at(book, "AuthorList")
    return Draft(
        title=without_stop(words(document, "ArticleTitle") or words(book, "BookTitle")),
        abstract=_abstract(at(document, "Abstract")),
        authors=_authors(people),
        identifiers=[f"pmid:{words(document, 'PMID')}"],
        submitted=_date(None if book is None else at(book, "PubDate")),
        journal_ref=words(book, "BookTitle") if words(document, "ArticleTitle") else "",
        line=line_of(element),
    )


def _doi(article: Element, whole: Element) -> str:
    """The article's own DOI: its electronic location, else its list of ids (not those it cites)."""
    for location in children(article, "ELocationID"):
        if location.get("EIdType") == "doi" and location.get("ValidYN") != "N":
            return flat(location)
    ids = at(whole, "PubmedData", "ArticleIdList")
    for one in [] if ids is None else children(ids, "ArticleId"):
        if one.get("IdType") == "doi":
            return flat(one)
    return ""


def _abstract(element: Element | None) -> str:
    """The abstract's parts in order, each after its label."""
    parts = []
    for part in [] if element is None else children(element, "AbstractText"):
        label = part.get("Label")
        parts.append(f"{label}: {flat(part)}" if label and label != "UNLABELLED" else flat(part))
    return " ".join(parts)


def _authors(element: Element | None) -> list[Author]:
    people = [_author(one) for one in ([] if element is None else children(element, "Author"))]
    return [one for one in people if one.name]


def _author(element: Element) -> Author:
    if group := words(element, "CollectiveName"):
        return Author(clean_name(group))
    given = clean_name(words(element, "ForeName") or words(element, "Initials"))
    found = named(clean_name(words(element, "LastName")), given, clean_name(words(element, "Suffix")))
    orcid = next((flat(one) for one in children(element, "Identifier") if one.get("Source") == "ORCID"), "")
    place = clean(words(element, "AffiliationInfo", "Affiliation") or words(element, "Affiliation"))
    return Author(found.name, found.family, found.given, orcid.rpartition("/")[2] or None, place or None)


def _date(element: Element | None) -> datetime | None:
    if element is None:
        return None
    if stated := words(element, "MedlineDate"):
        return dates.instant(stated)
    year, day = words(element, "Year"), words(element, "Day")
    if not (year.isascii() and year.isdigit() and len(year) == 4):
        return None
    month = dates.month_number(words(element, "Month") or words(element, "Season")) or 1
    return dates.of_parts(int(year), month, int(day) if day.isascii() and day.isdigit() else 1)
