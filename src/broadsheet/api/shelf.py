"""What a reader keeps, and the days that papers lie on: what pages show beside the documents."""

from collections.abc import Sequence
from datetime import date
from typing import TypedDict

from broadsheet.api import documents
from broadsheet.api.documents import PaperDocument
from broadsheet.api.home import Home
from broadsheet.library import announcements, interactions, papers, readers
from broadsheet.readers import InteractionKind

_MARKS: tuple[InteractionKind, ...] = ("saved", "liked", "dismissed")


class SavedDocument(TypedDict):
    total: int
    papers: list[PaperDocument]


class NeighboursDocument(TypedDict):
    previous: str | None
    next: str | None


def standing(home: Home, ids: Sequence[str], reader_name: str = "me") -> dict[str, list[str]]:
    """Which of saved, liked and dismissed stand for each of these papers; papers without any are left out."""
    with home.library.read() as conn:
        keys = papers.keys_of(conn, ids)
        done = interactions.standing(conn, readers.named(conn, reader_name).id)
    marks: dict[str, list[str]] = {
        id_: [kind for kind in _MARKS if key in done.get(kind, {})] for id_, key in keys.items()
    }
    return {id_: kinds for id_, kinds in marks.items() if kinds}


def saved(home: Home, limit: int, reader_name: str = "me") -> SavedDocument:
    """The papers that a reader keeps, the last saved first."""
    with home.library.read() as conn:
        kept = interactions.standing(conn, readers.named(conn, reader_name).id).get("saved", {})
        newest = sorted(kept, key=lambda key: (kept[key], key), reverse=True)[:limit]
        loaded = papers.load(conn, newest)
    return {"total": len(kept), "papers": [documents.paper(loaded[key]) for key in newest]}


def neighbours(home: Home, day: date | None) -> NeighboursDocument:
    """The nearest days before and after one on which papers were announced."""
    if day is None:
        return {"previous": None, "next": None}
    with home.library.read() as conn:
        before, after = announcements.neighbouring_days(conn, day)
    return {"previous": documents.day_text(before), "next": documents.day_text(after)}
