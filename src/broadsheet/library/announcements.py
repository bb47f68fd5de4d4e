"""Which papers were announced on a day."""

from collections.abc import Collection
from datetime import date

import orjson
from sqlalchemy import Connection, func, select

from broadsheet.library.tables import announcements, papers
from broadsheet.papers import AnnouncementKind

CANDIDATE_KINDS: tuple[AnnouncementKind, ...] = ("new", "cross", "featured")


def newest_day(
    connection: Connection, not_after: date, sources: Collection[str] | None = None
) -> date | None:
    """The newest day with an announcement of a source (None: of any), not after a day."""
    a = announcements.c
    statement = select(func.max(a.day)).where(a.day <= not_after)
    if sources is not None:
        statement = statement.where(a.source.in_(sources))
    return connection.execute(statement).scalar()


def neighbouring_days(connection: Connection, day: date) -> tuple[date | None, date | None]:
    """The nearest days before and after one on which papers were announced."""
    a = announcements.c
    offered = a.kind.in_(CANDIDATE_KINDS)
    before = connection.execute(select(func.max(a.day)).where(a.day < day, offered)).scalar()
    after = connection.execute(select(func.min(a.day)).where(a.day > day, offered)).scalar()
    return before, after


def announced_on(
    connection: Connection,
    day: date,
    categories: Collection[str] | None = None,
    kinds: Collection[AnnouncementKind] = CANDIDATE_KINDS,
) -> list[int]:
    """The keys of papers announced on a day in one of the categories (None: any), in order of key.

    A category also stands for what lies below it: ``cs`` for ``cs.LG``. A featured paper counts in
    its own categories, and in all where none are known.
    """
    a = announcements.c
    work = func.coalesce(papers.c.same_as, papers.c.key)
    statement = (
        select(work, a.category, a.kind, papers.c.categories)
        .join_from(announcements, papers, a.paper_key == papers.c.key)
        .where(a.day == day, a.kind.in_(kinds))
        .order_by(work)
    )
    rows = connection.execute(statement)
    if categories is None:
        return list(dict.fromkeys(key for key, _, _, _ in rows))
    wanted = set(categories)
    return list(
        dict.fromkeys(
            key
            for key, category, kind, own in rows
            if _within([category] if kind != "featured" else orjson.loads(own), wanted)
        )
    )


def _within(categories: Collection[str], wanted: set[str]) -> bool:
    if not categories:
        return True
    return any(category in wanted or category.split(".", 1)[0] in wanted for category in categories)


def of_batch(connection: Connection, source: str, category: str, day: date) -> set[int]:
    """The keys of papers that a source announced as new, cross-listed or featured in one batch."""
    a = announcements.c
    work = func.coalesce(papers.c.same_as, papers.c.key)
    statement = (
        select(work)
        .join_from(announcements, papers, a.paper_key == papers.c.key)
        .where(a.source == source, a.category == category, a.day == day, a.kind.in_(CANDIDATE_KINDS))
    )
    return set(connection.execute(statement).scalars())


def batches_on(connection: Connection, day: date) -> dict[tuple[str, str], dict[AnnouncementKind, int]]:
    """How many papers of each kind are held of each source's and category's batch of a day."""
    a = announcements.c
    statement = (
        select(a.source, a.category, a.kind, func.count())
        .where(a.day == day)
        .group_by(a.source, a.category, a.kind)
        .order_by(a.source, a.category)
    )
    found: dict[tuple[str, str], dict[AnnouncementKind, int]] = {}
    for source, category, kind, number in connection.execute(statement):
        found.setdefault((source, category), {})[kind] = number
    return found
