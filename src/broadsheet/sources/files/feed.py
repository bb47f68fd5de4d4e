"""Saved feeds: RSS of every version, Atom, JSON Feed; Dublin Core and PRISM inside them; arXiv's own."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from urllib.parse import urljoin

from broadsheet.errors import BadAnswer
from broadsheet.papers import Announcement, Arrival, Author, Skipped
from broadsheet.sources.arxiv import feed as arxiv_feed
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import doi_in, reference
from broadsheet.sources.files.plain_text import plain
from broadsheet.sources.files.values import records, text, texts
from broadsheet.sources.files.xml_documents import descendants, flat, line_of, root_of, words
from broadsheet.sources.markup import Element, child_text, children, name
from broadsheet.sources.text import author

SOURCE = "feeds"
_BY_COMMA = re.compile(r"\s*,\s*(?:and\s+)?")
_BY_SEMICOLON = re.compile(r"\s*;\s*|\s+and\s+")
_CATEGORY = re.compile(r"[a-z-]+(?:\.[A-Za-z-]+)?(?=\s|\Z)")


def parse(content: bytes, path: str, now: datetime) -> Iterator[Arrival | Skipped]:
    """Each entry's paper; entries of arXiv's feed bring their announcement with them."""
    root = root_of(content, path, recover=True)
    if isinstance(root, Skipped):
        yield root
        return
    if descendants(root, "announce_type"):
        yield from _arxiv(content, path, words(next(root.iter("{*}title"), None)), now)
        return
    base = _joined(path, _link(root if name(root) == "feed" else next(root.iter("{*}channel"), root)))
    for entry in root.iter("{*}item", "{*}entry"):
        yield arrival(_draft(entry, base), path)


def _joined(base: str, link: str) -> str:
    """A relative address made whole; one that cannot be read stays as it is typed."""
    try:
        return urljoin(base, link)
    except ValueError:
        return link


def _arxiv(content: bytes, path: str, title: str, now: datetime) -> Iterator[Arrival | Skipped]:
    """Entries of arXiv's own feed, in the category that its title names, else in each paper's first."""
    try:
        page = arxiv_feed.parse(content, title)
    except BadAnswer as fault:
        yield Skipped(path, None, fault.message)
        return
    found = _CATEGORY.match(title)
    for batch in page.batches:
        for one in batch.entries:
            if one.paper is None:
                continue
            primary = one.paper.categories[0] if one.paper.categories else ""
            category = found[0] if found and found[0] in one.paper.categories else primary
            announced = Announcement(one.id, "arxiv", category, batch.day, one.kind, one.version, now)
            paper = replace(one.paper, announced=batch.day) if one.kind == "new" else one.paper
            yield Arrival(paper, (announced,))


def _draft(entry: Element, base: str) -> Draft:
    link = _joined(base, _link(entry)) if base.startswith("http") else _link(entry)
    named_there = [child_text(entry, key) for key in ("doi", "identifier", "guid", "id")]
    doi = next((found for one in named_there if (found := doi_in(one))), "") or doi_in(link)
    stated = (words(entry, key) for key in ("pubDate", "published", "date", "publicationDate", "updated"))
    journal = words(entry, "publicationName")
    numbers = (words(entry, "volume"), words(entry, "number"), words(entry, "startingPage"))
    submitted = next((moment for one in stated if (moment := dates.instant(one))), None)
    return Draft(
        title=plain(words(entry, "title")),
        abstract=_abstract(entry),
        authors=_authors(entry),
        identifiers=[f"doi:{doi}", *named_there, link],
        doi=doi,
        submitted=submitted,
        updated=dates.instant(words(entry, "updated")),
        journal_ref=reference(journal, *numbers, str(submitted.year) if submitted else ""),
        address=link,
        source=SOURCE,
        line=line_of(entry),
    )


def _abstract(entry: Element) -> str:
    """The longest of the texts that an entry carries, without markup."""
    keys = ("description", "summary", "encoded", "content")
    found = [plain(flat(one)) for key in keys for one in children(entry, key)]
    return max(found, key=len, default="")


def _link(element: Element) -> str:
    links = children(element, "link")
    chosen = [one for one in links if one.get("rel") in (None, "alternate")] or links
    for one in chosen:
        if found := (one.get("href") or flat(one)):
            return found
    return element.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about") or ""


def _authors(entry: Element) -> list[Author]:
    """Names in order: each creator or author element, or the names in one that holds several."""
    typed = [flat(one) for one in children(entry, "creator")]
    typed = typed or [child_text(one, "name") or flat(one) for one in children(entry, "author")]
    typed = [plain(one) for one in typed]
    if len(typed) == 1:
        by_comma = ";" not in typed[0] and typed[0].count(",") >= 2
        typed = (_BY_COMMA if by_comma else _BY_SEMICOLON).split(typed[0])
    found = [author(_without_address(one)) for one in typed]
    return [one for one in found if one.name]


def _without_address(name_there: str) -> str:
    """RSS writes ``mail@example.org (Name)``."""
    found = re.match(r"\S+@\S+\s*\(([^()]*)\)\s*\Z", name_there)
    return found[1] if found else name_there


def parse_json(feed: Mapping[str, object], path: str) -> Iterator[Arrival | Skipped]:
    """JSON Feed: each item's paper."""
    for item in records(feed, "items"):
        link = text(item, "external_url", "url")
        doi = doi_in(link) or doi_in(text(item, "id"))
        names = [text(one, "name") for one in records(item, "authors")] or texts(item, "author")
        yield arrival(
            Draft(
                title=plain(text(item, "title")),
                abstract=text(item, "content_text", "summary") or plain(text(item, "content_html")),
                authors=[author(one) for one in names if one],
                identifiers=[f"doi:{doi}", text(item, "id"), link],
                doi=doi,
                submitted=dates.instant(text(item, "date_published")),
                updated=dates.instant(text(item, "date_modified")),
                address=link,
                source=SOURCE,
            ),
            path,
        )
