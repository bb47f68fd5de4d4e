"""Taking in what a source announced and the papers themselves, each answer in one short transaction.

An announcement is held once its paper is, in the version that was announced; until then its identifier
is pending in the ledger, so a run that breaks off anywhere is gone on with by the next one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy import Connection

from broadsheet.daily.states import counted
from broadsheet.library import arrivals, ledger
from broadsheet.library.ledger import LedgerDay, PendingPaper
from broadsheet.papers import Announcement, AnnouncementKind, Arrival, KindCounts, Paper
from broadsheet.sources.calendar import batch_day

_REPLACING = ("replace", "replace-cross")


@dataclass(frozen=True, slots=True)
class Told:
    """What a route said of a category and day: entries as (identifier, kind, version or None).

    ``counts`` are the source's own, None where it printed none. ``whole`` says that the entries are all
    that there are; an empty one then says that nothing was announced.
    """

    category: str
    day: date
    entries: tuple[tuple[str, AnnouncementKind, int | None], ...]
    counts: KindCounts | None
    whole: bool = True


def known_entries(
    conn: Connection, source: str, category: str, day: date
) -> set[tuple[str, AnnouncementKind]]:
    """All that is known to be announced for a category and day, held or pending."""
    known = set(ledger.held(conn, source, category, day).items())
    return known | {(p.identifier, p.kind) for p in ledger.pending(conn, source, category, day)}


def take_announcement(conn: Connection, source: str, told: Told, now: datetime) -> int:
    """Write into the ledger what was announced; identifiers that are not held yet become pending.

    Announcements of papers that are held in the right version count as held at once. Gives the number
    of identifiers that nobody had told before.
    """
    held = ledger.held(conn, source, told.category, told.day)
    waiting = {p.identifier: p for p in ledger.pending(conn, source, told.category, told.day)}
    fresh: dict[str, PendingPaper] = {}
    for identifier, kind, version in told.entries:
        before = waiting.get(identifier)
        if before is not None and version is not None and before.version is None:
            fresh[identifier] = replace(before, version=version)
        elif before is None and identifier not in held:
            fresh.setdefault(
                identifier, PendingPaper(source, told.category, told.day, identifier, kind, version, now)
            )
    ledger.write_pending(conn, list(fresh.values()))
    _write_row(conn, source, told, now)
    known = ledger.told_papers(conn, fresh)
    ready = [p for p in fresh.values() if p.identifier in known and _held_already(p, known[p.identifier])]
    _store(conn, [Arrival(known[p.identifier]) for p in ready], ready, now)
    return len(fresh.keys() - waiting.keys())


def _write_row(conn: Connection, source: str, told: Told, now: datetime) -> None:
    key = (told.category, told.day)
    row = ledger.days(conn, source, told.day, told.day, [told.category]).get(key)
    row = row or LedgerDay(source, *key, None, "unknown")
    announced = row.announced
    seen = told.counts or (counted(_kinds(told), split=True) if told.whole else None)
    empty = seen is not None and seen.total == 0
    if seen is not None and (announced is None or not empty) and not _poorer(told, announced):
        announced = seen
    taken_in = row.taken_in_at or (now if told.entries else None)
    checked = row.checked_at if _poorer(told, row.announced) else now
    ledger.write_days(conn, [replace(row, announced=announced, checked_at=checked, taken_in_at=taken_in)])


def _poorer(told: Told, announced: KindCounts | None) -> bool:
    """A route that prints no counts never speaks against one that did.

    A feed stays as it was made, so it cannot say either that a day has not grown since.
    """
    return told.counts is None and announced is not None and announced.total > 0


def _kinds(told: Told) -> dict[AnnouncementKind, int]:
    kinds: dict[AnnouncementKind, int] = {}
    for _, kind, _ in told.entries:
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def _held_already(pending: PendingPaper, paper: Paper) -> bool:
    """Whether a paper that was held before is what was announced.

    A replacement needs its version. A record of another source may lack the categories or the abstract,
    and is fetched from the source that announced it.
    """
    if pending.kind not in _REPLACING:
        return bool(paper.categories and paper.abstract)
    return pending.version is not None and paper.version >= pending.version


def answers(pending: PendingPaper, paper: Paper) -> bool:
    """Whether metadata that was asked for now is what was announced.

    A replacement whose version nobody told is at least the second version.
    """
    if pending.kind not in _REPLACING:
        return True
    return paper.version >= (pending.version or 2)


def take_papers(conn: Connection, source: str, told: Sequence[Arrival], now: datetime) -> int:
    """Store metadata: of papers that are pending or held; other papers are left alone.

    Gives how many pending announcements are held now.
    """
    by_id = {arrival.paper.id: arrival for arrival in told}
    waiting = ledger.pending_of(conn, source, by_id)
    ready = [p for p in waiting if answers(p, by_id[p.identifier].paper)]
    wanted = {p.identifier for p in waiting} | ledger.told_papers(conn, by_id).keys()
    _store(conn, [arrival for id_, arrival in by_id.items() if id_ in wanted], ready, now)
    return len(ready)


def _store(conn: Connection, told: Iterable[Arrival], ready: Sequence[PendingPaper], now: datetime) -> None:
    """Store papers with the pending announcements that they answer, which are pending no more."""
    by_id: dict[str, list[PendingPaper]] = {}
    for pending in ready:
        by_id.setdefault(pending.identifier, []).append(pending)
    whole = [
        replace(
            arrival,
            announcements=tuple(
                _announcement(pending, arrival.paper, now) for pending in by_id.get(arrival.paper.id, ())
            ),
        )
        for arrival in told
    ]
    if whole:
        arrivals.store(conn, whole, now)
    ledger.drop_pending(conn, ready)
    for category, day in {(p.category, p.day) for p in ready}:
        source = ready[0].source
        ledger.mark_late(conn, source, category, day, now, came_late(conn, source, category, day, now))


def _announcement(pending: PendingPaper, paper: Paper, now: datetime) -> Announcement:
    version = pending.version
    if version is None and pending.kind == "new":
        version = 1
    if version is None and pending.kind in _REPLACING and paper.updated:
        version = paper.version if batch_day(paper.updated) == pending.day else None
    return Announcement(paper.id, pending.source, pending.category, pending.day, pending.kind, version, now)


def came_late(conn: Connection, source: str, category: str, day: date, now: datetime) -> bool:
    """Whether a later announcement had been taken in before what is first held now.

    One that is taken in by this very run counts only if the day itself was taken in by an earlier run:
    several days that are fetched at once are not late.
    """
    own, later = ledger.taken_in(conn, source, category, day)
    return any(moment < now or (own is not None and own < now) for moment in later)
