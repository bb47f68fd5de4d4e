"""How complete a day is for a reader: the ledger's rows, and what is held beside them."""

from collections.abc import Collection, Mapping
from datetime import date

from sqlalchemy import Connection

from broadsheet.daily.day_rows import counts_of
from broadsheet.library import announcements, digests, interactions
from broadsheet.papers import AnnouncementCount, AnnouncementKind, KindCounts
from broadsheet.readers import InteractionKind
from broadsheet.sources.table import SOURCES

_DECIDED: tuple[InteractionKind, ...] = ("saved", "liked", "dismissed")


def counts_for(conn: Connection, day: date, categories: Collection[str] | None) -> list[AnnouncementCount]:
    """What the ledger says of a day: arXiv's rows in these categories (None: all), the others' rows.

    Days and categories that were never harvested have none.
    """
    found: list[AnnouncementCount] = []
    for source in SOURCES:
        found += counts_of(conn, source.name, day, categories if source.name == "arxiv" else None)
    return found


def day_counts(conn: Connection, day: date, categories: Collection[str] | None) -> list[AnnouncementCount]:
    """The ledger's rows of a day, then one of state unknown for each batch that came by files alone.

    ``categories`` keep to what is followed (an archive stands for its categories); None takes all.
    """
    told = counts_for(conn, day, categories)
    known = {(row.source, row.category) for row in told}
    others = [
        _held_only(source, category, day, kinds)
        for (source, category), kinds in announcements.batches_on(conn, day).items()
        if (source, category) not in known and _is_wanted(category, categories)
    ]
    return told + others


def _is_wanted(category: str, categories: Collection[str] | None) -> bool:
    return categories is None or category in categories or category.split(".", 1)[0] in categories


def _held_only(
    source: str, category: str, day: date, kinds: Mapping[AnnouncementKind, int]
) -> AnnouncementCount:
    new = kinds.get("new", 0) + kinds.get("featured", 0)
    held = KindCounts(new, kinds.get("cross", 0), kinds.get("replace", 0), kinds.get("replace-cross", 0))
    text = f"held {held.total}, from files: nobody said how many were announced"
    return AnnouncementCount(source, category, day, None, held, 0, 0, "unknown", None, None, text)


def seen_before(conn: Connection, reader_id: int, day: date) -> set[int]:
    """Papers that are no news to a reader: decided on, or offered on an earlier day."""
    standing = interactions.standing(conn, reader_id)
    decided = {key for kind in _DECIDED for key in standing.get(kind, {})}
    return decided | digests.offered_before(conn, reader_id, day)


def new_to_reader(conn: Connection, row: AnnouncementCount, seen: Collection[int]) -> int:
    """How many papers of a row's batch a reader has not seen yet."""
    return len(announcements.of_batch(conn, row.source, row.category, row.day) - set(seen))
