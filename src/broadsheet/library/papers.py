"""Reading papers: by any identifier, by key, by change; with versions, announcements, signals, twins."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BigInteger, Connection, String, func, or_, select, type_coerce

from broadsheet.errors import NotFound
from broadsheet.library.batch import version_day
from broadsheet.library.rows import PAPER_COLUMNS, among, paper_of
from broadsheet.library.tables import announcements as announcement_rows
from broadsheet.library.tables import identifiers, papers, pointers
from broadsheet.library.tables import signals as signal_rows
from broadsheet.library.tables import twins as twin_rows
from broadsheet.library.tables import versions as version_rows
from broadsheet.papers import Announcement, Paper, Signal, normal_id


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a paper as it was told."""

    version: int
    submitted: datetime | None
    title: str
    abstract: str
    comment: str | None
    withdrawn: bool


@dataclass(frozen=True, slots=True)
class Twin:
    """Another record of the same work that stands beside a paper, and why they are linked."""

    id: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Changed:
    """A paper's newest write: ``paper`` is None where the record no longer stands for a work.

    ``text_change`` is the change at which title or abstract last changed.
    """

    key: int
    change: int
    text_change: int
    day: date | None
    paper: Paper | None


@dataclass(frozen=True, slots=True)
class Heads:
    """Papers that stand for a work, newest day first: arrays of shape (n,), int64.

    ``days`` are those that search dates papers by: of the announcement, else of the submission. They
    count from 1970-01-01; papers without a day have the least value and come last. ``gone`` are keys
    of records that no longer stand for a work.
    """

    keys: NDArray[np.int64]
    text_changes: NDArray[np.int64]
    days: NDArray[np.int64]
    gone: NDArray[np.int64]


NO_DAY = int(np.iinfo(np.int64).min)
_HEADS_AT_ONCE = 50_000
_MICROSECONDS_A_DAY = 86_400_000_000
_STANDING = papers.c.same_as.is_(None)


def find(connection: Connection, id_text: str) -> tuple[int, Paper]:
    """The key and paper of an identifier in any form; raises NotFound or InvalidIdentifier.

    A journal's DOI that only a preprint names finds the preprint.
    """
    identifier = normal_id(id_text)
    key = keys_of(connection, [identifier]).get(identifier)
    if key is None:
        raise NotFound(
            f"{identifier} is not in the library.", "Take it in with broadsheet harvest or broadsheet add."
        )
    return key, load(connection, [key])[key]


def keys_of(connection: Connection, ids: Iterable[str]) -> dict[str, int]:
    """The keys of the papers that normal identifiers lead to; those that are not held are left out."""
    wanted = set(ids)
    found: dict[str, int] = {}
    for table in (identifiers, pointers):
        statement = (
            select(table.c.identifier, func.coalesce(papers.c.same_as, papers.c.key))
            .join_from(table, papers, table.c.paper_key == papers.c.key)
            .order_by(papers.c.key)
        )
        for identifier, key in among(connection, statement, table.c.identifier, wanted - found.keys()):
            found.setdefault(identifier, key)
    return found


def load(connection: Connection, keys: Iterable[int]) -> dict[int, Paper]:
    """Papers by key; keys of records that no longer stand for a work are left out."""
    statement = select(*PAPER_COLUMNS).where(_STANDING)
    return {row.key: paper_of(row) for row in among(connection, statement, papers.c.key, keys)}


def count(connection: Connection) -> int:
    """How many works are held: all records less the merged ones, each counted in an index alone."""
    everything = select(func.count()).select_from(papers)
    merged = everything.where(papers.c.same_as.is_not(None)).scalar_subquery()
    held: int = connection.execute(select(everything.scalar_subquery() - merged)).scalar_one()
    return held


def every(connection: Connection) -> Iterator[tuple[int, Paper]]:
    """All papers in order of key, read in portions: memory stays bounded."""
    statement = select(*PAPER_COLUMNS).where(_STANDING).order_by(papers.c.key)
    for row in connection.execution_options(yield_per=1000).execute(statement):
        yield row.key, paper_of(row)


def changed(connection: Connection, after: int, limit: int) -> list[Changed]:
    """Up to ``limit`` papers written after a change number, in order of change."""
    statement = select(*PAPER_COLUMNS, papers.c.same_as, papers.c.change, papers.c.text_change)
    rows = connection.execute(statement.where(papers.c.change > after).order_by(papers.c.change).limit(limit))
    return [
        Changed(row.key, row.change, row.text_change, row.announced, None if row.same_as else paper_of(row))
        for row in rows
    ]


def newest_change(connection: Connection) -> int:
    """The number of the newest change, 0 in an empty library."""
    return connection.execute(select(func.max(papers.c.change))).scalar() or 0


def change_heads(connection: Connection, after: int = 0) -> Heads:
    """Key, text change and day of every paper written after a change; newest day first, then newest key."""
    p = papers.c
    # Plain columns: turning millions of values into dates one by one takes most of the time.
    announced, submitted = type_coerce(p.announced, String), type_coerce(p.submitted, BigInteger)
    statement = select(p.key, p.text_change, func.coalesce(p.same_as, 0), announced, submitted)
    if after:
        statement = statement.where(p.change > after)
    rows = connection.execution_options(yield_per=_HEADS_AT_ONCE).execute(statement)
    columns = [_head_columns(list(map(tuple, portion))) for portion in rows.partitions()]
    table = np.concatenate([np.empty((0, 4), np.int64), *columns])
    stands = table[:, 2] == 0
    keys, text_changes, days = table[stands][:, [0, 1, 3]].T
    newest_first = np.lexsort((-keys, -np.maximum(days, NO_DAY + 1)))
    return Heads(keys[newest_first], text_changes[newest_first], days[newest_first], table[~stands, 0])


def _head_columns(rows: list[tuple[int, int, int, str | date | None, int | None]]) -> NDArray[np.int64]:
    """Key, text change, the record that stands for it (or 0) and day, of shape (n, 4)."""
    keys, text_changes, same_as, announced, submitted = zip(*rows, strict=True)
    days = np.array(announced, "datetime64[D]").astype(np.int64)
    instants = np.array([NO_DAY if instant is None else instant for instant in submitted], np.int64)
    sent = np.where(instants == NO_DAY, NO_DAY, instants // _MICROSECONDS_A_DAY)
    return np.column_stack([keys, text_changes, same_as, np.where(days == NO_DAY, sent, days)])


def records_of(connection: Connection, key: int) -> list[int]:
    """The keys of all records of a paper's work, itself included."""
    statement = select(papers.c.key).where(or_(papers.c.key == key, papers.c.same_as == key))
    return list(connection.execute(statement).scalars())


def versions(connection: Connection, key: int) -> list[Version]:
    """All versions that were told of a paper, oldest first, the present one last."""
    v = version_rows.c
    statement = select(v.version, v.submitted, v.title, v.abstract, v.comment, v.withdrawn)
    old = connection.execute(statement.where(v.paper_key == key).order_by(v.version))
    paper = load(connection, [key])[key]
    present = Version(
        paper.version, version_day(paper), paper.title, paper.abstract, paper.comment, paper.withdrawn
    )
    return [*(Version(*row) for row in old), present]


def announcements(connection: Connection, key: int) -> list[Announcement]:
    """Every announcement of a paper, in order of day."""
    a = announcement_rows.c
    statement = select(a.source, a.category, a.day, a.kind, a.version, a.seen_at)
    of_work = a.paper_key.in_(records_of(connection, key))
    rows = connection.execute(statement.where(of_work).order_by(a.day, a.source, a.category, a.kind))
    id_ = load(connection, [key])[key].id
    return [Announcement(id_, *row) for row in rows]


def signals(connection: Connection, key: int) -> list[Signal]:
    """Every signal of a paper, in order of time."""
    s = signal_rows.c
    statement = select(s.name, s.value, s.observed_at)
    of_work = s.paper_key.in_(records_of(connection, key))
    rows = connection.execute(statement.where(of_work).order_by(s.observed_at, s.name))
    id_ = load(connection, [key])[key].id
    return [Signal(id_, *row) for row in rows]


def latest_signals(connection: Connection, keys: Iterable[int], name: str) -> dict[int, float]:
    """The newest value of one signal for each of the papers that have it."""
    works = {key: key for key in keys}
    merged = select(papers.c.key, papers.c.same_as)
    works |= {record: key for record, key in among(connection, merged, papers.c.same_as, list(works))}
    s = signal_rows.c
    statement = select(s.paper_key, s.value).where(s.name == name).order_by(s.observed_at)
    return {works[record]: value for record, value in among(connection, statement, s.paper_key, works)}


def twins(connection: Connection, key: int) -> list[Twin]:
    """The papers that are linked with a paper as records of the same work."""
    records = records_of(connection, key)
    t = twin_rows.c
    pairs = connection.execute(
        select(t.first_key, t.second_key, t.why).where(
            or_(t.first_key.in_(records), t.second_key.in_(records))
        )
    )
    why = {(b if a in records else a): reason for a, b, reason in pairs}
    work = func.coalesce(papers.c.same_as, papers.c.key)
    roots = {row[0]: row[1] for row in among(connection, select(papers.c.key, work), papers.c.key, why)}
    whys = {roots[other]: reason for other, reason in why.items() if roots[other] != key}
    return [Twin(p.id, p.title, whys[k]) for k, p in sorted(load(connection, whys).items())]


def twins_among(connection: Connection, keys: Iterable[int]) -> list[tuple[int, int]]:
    """The pairs of these papers that are linked as records of the same work, by key."""
    works = {key: key for key in keys}
    merged = select(papers.c.key, papers.c.same_as)
    works |= {record: key for record, key in among(connection, merged, papers.c.same_as, list(works))}
    t = twin_rows.c
    pairs = among(connection, select(t.first_key, t.second_key), t.first_key, works)
    return [(works[a], works[b]) for a, b in pairs if b in works and works[a] != works[b]]
