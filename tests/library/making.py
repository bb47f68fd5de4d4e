"""Short ways to write papers down in these tests."""

from datetime import UTC, date, datetime

from broadsheet.library import arrivals
from broadsheet.library.database import Library
from broadsheet.papers import Announcement, AnnouncementKind, Arrival, Author, Paper, Signal, file_id

NOW = datetime(2031, 1, 7, 9, 0, tzinfo=UTC)


def paper(id_: str | None = None, title: str = "Map of X", abstract: str = "We map X.", **more) -> Paper:
    authors = tuple(Author(name) for name in more.pop("authors", ("Ada Nord", "Bo Sued")))
    return Paper(id_ or file_id(title, abstract), title, abstract, authors, **more)


def announced(id_: str, day: date, kind: AnnouncementKind = "new", category: str = "cs.XA") -> Announcement:
    return Announcement(id_, "arxiv", category, day, kind, 1, NOW)


def on(told: Paper, *days: date, kind: AnnouncementKind = "new", category: str = "cs.XA") -> Arrival:
    return Arrival(told, tuple(announced(told.id, day, kind, category) for day in days))


def upvotes(id_: str, value: float, hour: int) -> Signal:
    return Signal(id_, "upvotes", value, datetime(2031, 1, 6, hour, tzinfo=UTC))


def store(library: Library, *told: Paper | Arrival) -> list[tuple[str, str]]:
    """Store papers as one batch: outcome and id of each."""
    batch = [item if isinstance(item, Arrival) else Arrival(item) for item in told]
    with library.write() as connection:
        return [(stored.outcome, stored.id) for stored in arrivals.store(connection, batch, NOW)]


def outcomes(library: Library, *told: Paper | Arrival) -> list[str]:
    return [outcome for outcome, _ in store(library, *told)]
