"""The feed of arXiv's newest batch, in Atom or RSS: entries by kind with version, title and abstract.

``rss.arxiv.org/atom/<category>`` holds only the newest batch; on days without one it is empty and names
the days it skips. It may still hold yesterday's batch under a fresh build date, so the day of each entry
is the one that the entry itself carries.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime

from broadsheet.errors import BadAnswer, InvalidIdentifier
from broadsheet.papers import AnnouncementKind, Author, parse_id
from broadsheet.sources.arxiv.announced import AnnouncedEntry, Batch, numbered
from broadsheet.sources.arxiv.metadata import paper_of, split_authors
from broadsheet.sources.calendar import EASTERN
from broadsheet.sources.files.drafts import Draft
from broadsheet.sources.files.plain_text import plain
from broadsheet.sources.http import Client, Validators
from broadsheet.sources.markup import Element, child_text, children, name, text, xml

_KINDS: dict[str, AnnouncementKind] = {
    "new": "new",
    "cross": "cross",
    "replace": "replace",
    "replace-cross": "replace-cross",
    "replacement": "replace",
}
_HEAD = re.compile(
    r"\A\s*(?:arXiv:(?P<id>\S+)\s+)?Announce Type:\s*(?P<kind>[a-z-]+)\s*(?:Abstract:)?\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FeedPage:
    """One feed as it was read.

    ``batches`` are in order of day, usually one, none on a day without announcement; ``built`` is when
    the feed says that it was made; ``skip_days`` are English day names; ``validators`` are to be passed
    in at the next asking.
    """

    batches: tuple[Batch, ...]
    built: datetime | None
    skip_days: tuple[str, ...] = ()
    validators: Validators = Validators()


def fetch(
    client: Client, feed_url: str, category: str, validators: Validators | None = None
) -> FeedPage | None:
    """A category's feed, or None if it has not changed since ``validators`` were given."""
    address = f"{feed_url.rstrip('/')}/atom/{category}"
    found = client.read_if_changed(address, lambda body: parse(body, category), validators)
    if found is None:
        return None
    page, fresh = found
    return FeedPage(page.batches, page.built, page.skip_days, fresh)


def parse(body: bytes, category: str) -> FeedPage:
    """What an Atom or RSS feed of one category holds; raises BadAnswer for anything else."""
    root = xml(body, f"The feed of {category}")
    if name(root) == "rss":
        channels = children(root, "channel")
        if not channels:
            raise BadAnswer(f"The feed of {category} has no channel")
        head, items = channels[0], children(channels[0], "item")
    elif name(root) == "feed":
        head, items = root, children(root, "entry")
    else:
        raise BadAnswer(f"The feed of {category} is a {name(root)!r} document")
    built = _moment(head, ("lastBuildDate", "updated", "pubDate"))
    skipped = tuple(text(day).strip() for days in children(head, "skipDays") for day in days)
    return FeedPage(_batches(category, items, _moment(head, ("pubDate", "updated"))), built, skipped)


def _batches(category: str, items: list[Element], published: datetime | None) -> tuple[Batch, ...]:
    by_day: dict[date, list[AnnouncedEntry]] = {}
    notes: list[str] = []
    for item in items:
        moment = _moment(item, ("pubDate", "published", "updated")) or published
        if moment is None:
            raise BadAnswer(f"The feed of {category} dates neither itself nor its entries")
        entry = _entry(item)
        if entry is None:
            notes.append(f"An entry of the feed of {category} without id or kind was left out.")
        else:
            by_day.setdefault(_batch_day(moment), []).append(entry)
    return tuple(
        Batch(category, day, numbered(entries), notes=tuple(notes)) for day, entries in sorted(by_day.items())
    )


def _batch_day(moment: datetime) -> date:
    """The day that an entry's date prints; midnight is taken as written, whatever its offset."""
    return moment.date() if moment.time() == time() else moment.astimezone(EASTERN).date()


def _entry(item: Element) -> AnnouncedEntry | None:
    words = child_text(item, "description") or child_text(item, "summary")
    head = _HEAD.match(words)
    named = (
        child_text(item, "guid"),
        child_text(item, "id"),
        head["id"] if head and head["id"] else "",
        _link(item),
    )
    identity = next((found for found in map(_identity, named) if found), None)
    kind = _KINDS.get((child_text(item, "announce_type") or (head["kind"] if head else "")).lower())
    if identity is None or kind is None:
        return None
    paper_id, version = identity
    abstract = words[head.end() :] if head else re.sub(r"\A\s*Abstract:\s*", "", words)
    draft = Draft(
        title=child_text(item, "title"),
        abstract=plain(abstract),
        authors=_authors(item),
        categories=_categories(item),
        version=version,
        doi=child_text(item, "DOI") or child_text(item, "doi"),
        journal_ref=child_text(item, "journal_reference") or child_text(item, "journal_ref"),
    )
    return AnnouncedEntry(paper_id, version, kind, 0, paper_of(paper_id, draft))


def _identity(words: str) -> tuple[str, int | None] | None:
    try:
        paper_id, version = parse_id(words)
    except InvalidIdentifier:
        return None
    return (paper_id, version) if paper_id.startswith("arxiv:") else None


def _link(item: Element) -> str:
    links = children(item, "link")
    return (links[0].get("href") or text(links[0]).strip()) if links else ""


def _categories(item: Element) -> tuple[str, ...]:
    terms = (tag.get("term") or text(tag).strip() for tag in children(item, "category"))
    return tuple(dict.fromkeys(term for term in terms if term))


def _authors(item: Element) -> tuple[Author, ...]:
    creators = [text(creator) for creator in children(item, "creator")]
    creators = creators or [child_text(author, "name") for author in children(item, "author")]
    return tuple(author for line in creators for author in split_authors(plain(line)))


def _moment(element: Element, wanted: tuple[str, ...]) -> datetime | None:
    """The first date among children of these names, in the offset that it is written in."""
    for tag in wanted:
        written = child_text(element, tag)
        if written:
            return _written(written)
    return None


def _written(text: str) -> datetime | None:
    """A date of RSS or Atom in the offset that it is written in, UTC where it has none; None for what
    cannot be one of arXiv's, which began in 1991."""
    try:
        moment = datetime.fromisoformat(text) if text[:4].isdigit() else parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if not 1991 <= moment.year < 9999:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
