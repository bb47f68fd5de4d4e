"""The harvest ledger: what each source announced for a category and day, and what of it is not yet held.

Three tables are read and written here: ``announced_days`` (one row a source, category and day),
``pending_papers`` (announced, not yet held) and ``harvest_states`` (where a job stopped, and before
when a source must not be asked again). What is held is counted from ``announcements``.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, case, delete, func, insert, select, tuple_, update
from sqlalchemy.engine import Row

from broadsheet.library.rows import PAPER_COLUMNS, among, paper_of
from broadsheet.library.tables import announced_days, announcements, harvest_states, papers, pending_papers
from broadsheet.papers import AnnouncementKind, DayState, KindCounts, NoneReason, Paper

_CHUNK = 400
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LedgerDay:
    """One row: what the source said of a category and day, and how that stood when last looked at.

    ``announced`` is None where the source never said. ``checked_at`` is when the source was last asked
    about the day and answered, ``taken_in_at`` when its announcement was first seen.
    """

    source: str
    category: str
    day: date
    announced: KindCounts | None
    state: DayState
    reason: NoneReason | None = None
    next_try: datetime | None = None
    checked_at: datetime | None = None
    taken_in_at: datetime | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class PendingPaper:
    """An identifier known to be announced and not yet held; ``version`` where the source told it."""

    source: str
    category: str
    day: date
    identifier: str
    kind: AnnouncementKind
    version: int | None
    since: datetime


@dataclass(frozen=True, slots=True)
class Job:
    """Where a job of a source stopped (``state`` is that job's own JSON) and when it may go on."""

    state: str
    not_before: datetime | None
    updated_at: datetime


def days(
    conn: Connection, source: str, first: date, last: date, categories: Collection[str] | None = None
) -> dict[tuple[str, date], LedgerDay]:
    """The rows of a source between two days, both included, by category and day."""
    table = announced_days
    asked = select(table).where(table.c.source == source, table.c.day.between(first, last))
    if categories is not None:
        asked = asked.where(table.c.category.in_(list(categories)))
    rows = [_ledger_day(row) for row in conn.execute(asked)]
    return {(row.category, row.day): row for row in rows}


def _ledger_day(row: Row[Any]) -> LedgerDay:
    told = row.announced_new is not None
    counts = KindCounts(
        row.announced_new or 0,
        row.announced_cross or 0,
        row.announced_replace or 0,
        row.announced_replace_cross,
    )
    return LedgerDay(
        row.source,
        row.category,
        row.day,
        counts if told else None,
        row.state,
        row.reason,
        row.next_try,
        row.checked_at,
        row.taken_in_at,
        row.note,
    )


def write_days(conn: Connection, rows: Sequence[LedgerDay]) -> None:
    """Put rows in the place of those of the same source, category and day."""
    table = announced_days
    if not rows:
        return
    for part in _parts(rows):
        keys = [(row.source, row.category, row.day) for row in part]
        conn.execute(delete(table).where(tuple_(table.c.source, table.c.category, table.c.day).in_(keys)))
    conn.execute(insert(table), [_day_values(row) for row in rows])


def _day_values(row: LedgerDay) -> dict[str, object]:
    counts = row.announced
    return {
        "source": row.source,
        "category": row.category,
        "day": row.day,
        "announced_new": counts and counts.new,
        "announced_cross": counts and counts.cross,
        "announced_replace": counts and counts.replace,
        "announced_replace_cross": counts and counts.replace_cross,
        "state": row.state,
        "reason": row.reason,
        "next_try": row.next_try,
        "checked_at": row.checked_at,
        "taken_in_at": row.taken_in_at,
        "note": row.note,
    }


def newest_taken_in(conn: Connection, source: str) -> dict[str, date]:
    """The newest day of each category whose announcement was taken in."""
    table = announced_days
    asked = (
        select(table.c.category, func.max(table.c.day))
        .where(table.c.source == source, table.c.taken_in_at.is_not(None))
        .group_by(table.c.category)
    )
    return {category: day for category, day in conn.execute(asked).all()}


def pending(
    conn: Connection, source: str, category: str | None = None, day: date | None = None
) -> list[PendingPaper]:
    """What a source announced and is not yet held, of one category and day or of all, oldest day first."""
    asked = select(pending_papers).where(pending_papers.c.source == source)
    if category is not None:
        asked = asked.where(pending_papers.c.category == category)
    if day is not None:
        asked = asked.where(pending_papers.c.day == day)
    rows = conn.execute(asked.order_by(pending_papers.c.day, pending_papers.c.identifier))
    return [_pending_paper(row) for row in rows]


def pending_of(conn: Connection, source: str, identifiers: Iterable[str]) -> list[PendingPaper]:
    """What is pending of these identifiers, over all categories and days."""
    asked = select(pending_papers).where(pending_papers.c.source == source)
    return [_pending_paper(row) for row in among(conn, asked, pending_papers.c.identifier, identifiers)]


def _pending_paper(row: Row[Any]) -> PendingPaper:
    return PendingPaper(row.source, row.category, row.day, row.identifier, row.kind, row.version, row.since)


def taken_in(
    conn: Connection, source: str, category: str, day: date
) -> tuple[datetime | None, list[datetime]]:
    """When a day's announcement was first seen, and when those of later days of the category were."""
    table = announced_days
    asked = select(table.c.day, table.c.taken_in_at).where(
        table.c.source == source,
        table.c.category == category,
        table.c.day >= day,
        table.c.taken_in_at.is_not(None),
    )
    rows = conn.execute(asked).all()
    own = next((moment for when, moment in rows if when == day), None)
    return own, [moment for when, moment in rows if when > day]


def write_pending(conn: Connection, rows: Sequence[PendingPaper]) -> None:
    """Remember identifiers as pending, in the place of what was said of them for that day and kind."""
    drop_pending(conn, rows)
    if rows:
        conn.execute(
            insert(pending_papers),
            [
                {
                    "source": r.source,
                    "category": r.category,
                    "day": r.day,
                    "identifier": r.identifier,
                    "kind": r.kind,
                    "version": r.version,
                    "since": r.since,
                }
                for r in rows
            ],
        )


def drop_pending(conn: Connection, rows: Sequence[PendingPaper]) -> None:
    """Forget pending identifiers: they are held now, or were told wrongly."""
    table = pending_papers
    key = tuple_(table.c.source, table.c.category, table.c.day, table.c.identifier, table.c.kind)
    for part in _parts(rows):
        gone = [(r.source, r.category, r.day, r.identifier, r.kind) for r in part]
        conn.execute(delete(table).where(key.in_(gone)))


def held(conn: Connection, source: str, category: str, day: date) -> dict[str, AnnouncementKind]:
    """The kind of each announcement of a category and day whose paper is held, by identifier."""
    table = announcements
    asked = (
        select(papers.c.id, table.c.kind)
        .join(papers, papers.c.key == table.c.paper_key)
        .where(table.c.source == source, table.c.category == category, table.c.day == day)
    )
    return {identifier: kind for identifier, kind in conn.execute(asked).all()}


def announced_before(conn: Connection, source: str, category: str, identifiers: Iterable[str]) -> set[str]:
    """Those of the identifiers that a source has announced in a category, on any day."""
    asked = (
        select(papers.c.id)
        .join(announcements, papers.c.key == announcements.c.paper_key)
        .where(announcements.c.source == source, announcements.c.category == category)
    )
    return {row.id for row in among(conn, asked, papers.c.id, identifiers)}


def held_thin(conn: Connection, source: str, since: date) -> list[str]:
    """Papers announced since a day that are held by their announcement's text alone: nobody told when
    they were submitted."""
    asked = (
        select(papers.c.id)
        .distinct()
        .join(announcements, papers.c.key == announcements.c.paper_key)
        .where(announcements.c.source == source, announcements.c.day >= since, papers.c.submitted.is_(None))
        .order_by(papers.c.id)
    )
    return list(conn.execute(asked).scalars())


def held_counts(
    conn: Connection, source: str, first: date, last: date
) -> dict[tuple[str, date], dict[AnnouncementKind, tuple[int, int]]]:
    """How many papers are held by category and day, then by kind: all, and those that came late."""
    table = announcements
    asked = (
        select(
            table.c.category,
            table.c.day,
            table.c.kind,
            func.count(),
            func.sum(case((table.c.late, 1), else_=0)),
        )
        .where(table.c.source == source, table.c.day.between(first, last))
        .group_by(table.c.category, table.c.day, table.c.kind)
    )
    found: dict[tuple[str, date], dict[AnnouncementKind, tuple[int, int]]] = {}
    for category, day, kind, held_papers, late in conn.execute(asked).all():
        found.setdefault((category, day), {})[kind] = (held_papers, late)
    return found


def pending_counts(conn: Connection, source: str) -> dict[tuple[str, date], dict[AnnouncementKind, int]]:
    """How many identifiers are pending by category and day, then by kind."""
    table = pending_papers
    asked = (
        select(table.c.category, table.c.day, table.c.kind, func.count())
        .where(table.c.source == source)
        .group_by(table.c.category, table.c.day, table.c.kind)
    )
    found: dict[tuple[str, date], dict[AnnouncementKind, int]] = {}
    for category, day, kind, number in conn.execute(asked).all():
        found.setdefault((category, day), {})[kind] = number
    return found


def told_papers(conn: Connection, ids: Iterable[str]) -> dict[str, Paper]:
    """The records that are held under their own identifiers, as they were told (merged ones too)."""
    statement = select(*PAPER_COLUMNS)
    return {row.id: paper_of(row) for row in among(conn, statement, papers.c.id, ids)}


def mark_late(
    conn: Connection, source: str, category: str | None, day: date, now: datetime, late: bool
) -> None:
    """Say of what was first seen at ``now`` for a category (None: any) and day whether it came late."""
    table = announcements
    these = [table.c.source == source, table.c.day == day, table.c.seen_at == now]
    if category is not None:
        these.append(table.c.category == category)
    conn.execute(update(table).where(*these).values(late=late))


def job(conn: Connection, source: str, name: str) -> Job | None:
    """Where a job of a source stands, or None where it never ran."""
    table = harvest_states
    row = conn.execute(select(table).where(table.c.source == source, table.c.job == name)).first()
    return None if row is None else Job(row.state, row.not_before, row.updated_at)


def jobs(conn: Connection, source: str) -> dict[str, Job]:
    """All jobs of a source by name."""
    asked = select(harvest_states).where(harvest_states.c.source == source)
    return {row.job: Job(row.state, row.not_before, row.updated_at) for row in conn.execute(asked)}


def write_job(conn: Connection, source: str, name: str, job: Job) -> None:
    """Remember where a job of a source stands."""
    drop_job(conn, source, name)
    values = {"state": job.state, "not_before": job.not_before, "updated_at": job.updated_at}
    conn.execute(insert(harvest_states).values(source=source, job=name, **values))


def drop_job(conn: Connection, source: str, name: str) -> None:
    """Forget a job: it is done."""
    table = harvest_states
    conn.execute(delete(table).where(table.c.source == source, table.c.job == name))


def _parts(rows: Sequence[T]) -> Iterable[Sequence[T]]:
    return (rows[start : start + _CHUNK] for start in range(0, len(rows), _CHUNK))
