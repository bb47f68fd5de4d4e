"""Feeds that readers add: any RSS, Atom or JSON feed, read as files of that kind are.

Each entry is announced as new, in a category that is the feed's own name, on the day that it carries or,
where it carries none or one to come, on the day on which it was seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit

import orjson

from broadsheet.errors import BadAnswer
from broadsheet.papers import Announcement, Arrival, Skipped
from broadsheet.sources.files import feed
from broadsheet.sources.files.encodings import decoded
from broadsheet.sources.files.plain_text import plain
from broadsheet.sources.files.values import text
from broadsheet.sources.files.xml_documents import root_of, words
from broadsheet.sources.http import Client, Validators
from broadsheet.sources.markup import Element, children, name
from broadsheet.sources.text import clean

SOURCE = "feeds"

_LONGEST_NAME = 200
_MOST_NOTES = 5
_CLOSINGS = {"rss": ("</rss>",), "RDF": ("rdf>",), "feed": ("feed>",)}


@dataclass(frozen=True, slots=True)
class FeedAnswer:
    """One feed as it was read: its own name, its papers in order, what was left out and why."""

    name: str
    arrivals: tuple[Arrival, ...]
    notes: tuple[str, ...] = ()
    validators: Validators = Validators()


def fetch(client: Client, url: str, now: datetime, validators: Validators | None = None) -> FeedAnswer | None:
    """A feed's papers, or None if it has not changed since ``validators`` were given."""
    found = client.read_if_changed(url, lambda body: parse(body, url, now), validators)
    return None if found is None else replace(found[0], validators=found[1])


def parse(body: bytes, url: str, now: datetime) -> FeedAnswer:
    """What a feed holds; raises BadAnswer for a page that is none, or one that was cut."""
    if body.lstrip()[:1] == b"{":
        title, entries = _json(body, url)
    else:
        title, entries = _xml(body, url, now)
    category = clean(plain(title))[:_LONGEST_NAME] or urlsplit(url).hostname or url
    arrivals: dict[str, Arrival] = {}
    notes: list[str] = []
    for entry in entries:
        if isinstance(entry, Skipped):
            notes.append(f"{category}: an entry was left out: {entry.why}.")
        else:
            arrivals.setdefault(entry.paper.id, _announced(entry, category, now))
    return FeedAnswer(category, tuple(arrivals.values()), tuple(notes[:_MOST_NOTES]))


def _announced(entry: Arrival, category: str, now: datetime) -> Arrival:
    moment = entry.paper.submitted
    day = (moment if moment and moment <= now else now).astimezone(UTC).date()
    announcement = Announcement(entry.paper.id, SOURCE, category, day, "new", None, now.astimezone(UTC))
    paper = replace(entry.paper, source=SOURCE, announced=day)
    return replace(entry, paper=paper, announcements=(announcement,), line=None)


def _json(body: bytes, url: str) -> tuple[str, Iterator[Arrival | Skipped]]:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as fault:
        raise BadAnswer(f"{url} is no whole JSON document: {fault}") from fault
    if "jsonfeed.org/version/" not in text(document, "version") or not isinstance(
        document.get("items"), list
    ):
        raise BadAnswer(f"{url} is no JSON Feed", status=200)
    return text(document, "title"), feed.parse_json(document, url)


def _xml(body: bytes, url: str, now: datetime) -> tuple[str, Iterator[Arrival | Skipped]]:
    root = root_of(body, url, recover=True)
    if isinstance(root, Skipped):
        raise BadAnswer(f"{url} is no feed: {root.why}")
    closings = _CLOSINGS.get(name(root))
    if closings is None:
        raise BadAnswer(f"{url} is no feed but a {name(root)!r} document", status=200)
    if not decoded(body).rstrip().lower().endswith(closings):
        raise BadAnswer(f"The feed {url} is cut short")
    return words(_head(root), "title"), feed.parse(body, url, now)


def _head(root: Element) -> Element:
    """The element that carries the feed's own title."""
    return next(iter(children(root, "channel")), root)
