"""The ledger's rows as they stand: judged from what was said, what is held and what is pending."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from sqlalchemy import Connection

from broadsheet.daily.states import DayFacts, Expected, at_least, counted, judge, next_try, sentence
from broadsheet.library import ledger
from broadsheet.library.ledger import LedgerDay
from broadsheet.papers import AnnouncementCount, AnnouncementKind, KindCounts

LOOK_BACK = timedelta(days=7)
ALL = "all"
LUMPED = frozenset({"biorxiv", "medrxiv"})

_DAY = timedelta(days=1)
_AS_OF = "as of "
Key = tuple[str, date]


@dataclass(frozen=True, slots=True)
class Almanac:
    """What is known of a source's days beside the ledger.

    ``expectation`` is its calendar, ``due`` when a day's announcement is due. ``stale`` are the
    categories in which an earlier batch was still shown this time. Before ``askable_from`` the source
    no longer says what it announced. ``under_way`` is a day that still fills up, so that it may be empty.
    """

    expectation: Callable[[date], Expected]
    due: Callable[[date], datetime]
    askable_from: date
    stale: frozenset[str] = frozenset()
    not_before: datetime | None = None
    under_way: date | None = None


@dataclass(frozen=True, slots=True)
class _Tallies:
    held: Mapping[Key, Mapping[AnnouncementKind, tuple[int, int]]]
    pending: Mapping[Key, Mapping[AnnouncementKind, int]]

    def held_counts(self, key: Key, split: bool) -> KindCounts:
        return counted({kind: number for kind, (number, _) in self.held.get(key, {}).items()}, split)

    def known_counts(self, key: Key, split: bool) -> KindCounts:
        kinds = {kind: number for kind, (number, _) in self.held.get(key, {}).items()}
        for kind, number in self.pending.get(key, {}).items():
            kinds[kind] = kinds.get(kind, 0) + number
        return counted(kinds, split)

    def pending_count(self, key: Key) -> int:
        return sum(self.pending.get(key, {}).values())

    def late(self, key: Key) -> int:
        return sum(late for _, late in self.held.get(key, {}).values())


def _tallies(conn: Connection, source: str, first: date, last: date) -> _Tallies:
    held = ledger.held_counts(conn, source, first, last)
    return _Tallies(_lumped(held) if source in LUMPED else held, ledger.pending_counts(conn, source))


def _lumped(
    held: Mapping[Key, Mapping[AnnouncementKind, tuple[int, int]]],
) -> dict[Key, dict[AnnouncementKind, tuple[int, int]]]:
    """The counts of all categories of a day in one, for sources that tell only their sum."""
    found: dict[Key, dict[AnnouncementKind, tuple[int, int]]] = {}
    for (_, day), kinds in held.items():
        sums = found.setdefault((ALL, day), {})
        for kind, (number, late) in kinds.items():
            before = sums.get(kind, (0, 0))
            sums[kind] = (before[0] + number, before[1] + late)
    return found


def settle(
    conn: Connection, source: str, firsts: Mapping[str, date], last: date, almanac: Almanac, now: datetime
) -> list[AnnouncementCount]:
    """Judge each day of each category from its first one to ``last`` anew and write it into the ledger.

    Days without a row get one. The counts come back by category and day.
    """
    first = min(firsts.values(), default=last)
    told = ledger.days(conn, source, first, last, set(firsts))
    tallies = _tallies(conn, source, first, last)
    keys = [(category, day) for category in sorted(firsts) for day in _days(firsts[category], last)]
    rows = [_with_known(told.get(key) or LedgerDay(source, *key, None, "unknown"), tallies) for key in keys]
    mailings = _mailings(told.values())
    by_day: dict[date, list[LedgerDay]] = {}
    for row in rows:
        by_day.setdefault(row.day, []).append(row)
    judged = [_judged(row, by_day[row.day], mailings, tallies, almanac, now) for row in rows]
    ledger.write_days(conn, [row for row in judged if row != told.get((row.category, row.day))])
    return [_count(row, tallies) for row in judged]


def _days(first: date, last: date) -> list[date]:
    return [first + _DAY * number for number in range((last - first).days + 1)]


def _with_known(row: LedgerDay, tallies: _Tallies) -> LedgerDay:
    """The row, its announced counts never below the identifiers that are known."""
    if row.announced is None:
        return row
    key = (row.category, row.day)
    known = tallies.known_counts(key, split=row.announced.replace_cross is not None)
    if row.source in LUMPED:
        first_versions = max(row.announced.total - known.replace, known.new)
        return replace(row, announced=replace(known, new=first_versions))
    return replace(row, announced=at_least(row.announced, known))


def _mailings(rows: Iterable[LedgerDay]) -> dict[date, datetime]:
    """The days on which something was announced, each with when that was first seen."""
    seen: dict[date, datetime] = {}
    for row in rows:
        if row.taken_in_at and row.announced and row.announced.total:
            seen[row.day] = min(seen.get(row.day, row.taken_in_at), row.taken_in_at)
    return seen


def _judged(
    row: LedgerDay,
    same_day: Collection[LedgerDay],
    mailings: Mapping[date, datetime],
    tallies: _Tallies,
    almanac: Almanac,
    now: datetime,
) -> LedgerDay:
    key = (row.category, row.day)
    mailed_at = mailings.get(row.day)
    facts = DayFacts(
        expectation=almanac.expectation(row.day),
        announced=row.announced,
        held=tallies.held_counts(key, split=False),
        pending=tallies.pending_count(key),
        mailed=_after(row.checked_at, mailed_at) or _fills_up(row, almanac),
        overtaken=_overtaken(same_day, mailings, almanac),
        stale=row.category in almanac.stale,
        askable=row.day >= almanac.askable_from,
    )
    state, reason = judge(facts)
    when = next_try(state, almanac.not_before, now)
    row = replace(row, state=state, reason=reason, next_try=when)
    return replace(row, note=_age(row, almanac, now) or _own_note(row))


def _after(checked_at: datetime | None, moment: datetime | None) -> bool:
    return checked_at is not None and moment is not None and checked_at >= moment


def _fills_up(row: LedgerDay, almanac: Almanac) -> bool:
    """Whether the day is under way and was asked about: it may be empty so far."""
    return row.day == almanac.under_way and row.checked_at is not None


def _age(row: LedgerDay, almanac: Almanac, now: datetime) -> str | None:
    """When a complete day that may still grow was last asked about, if that was not now."""
    checked = row.checked_at
    if row.state != "complete" or checked is None or checked >= min(now, almanac.due(row.day) + LOOK_BACK):
        return None
    return f"{_AS_OF}{checked:%Y-%m-%d %H:%M} UTC"


def _own_note(row: LedgerDay) -> str | None:
    return None if row.note is None or row.note.startswith(_AS_OF) else row.note


def _overtaken(same_day: Collection[LedgerDay], mailings: Mapping[date, datetime], almanac: Almanac) -> bool:
    """Whether a later mailing came and every category was asked after it and is empty on this day."""
    day = next(iter(same_day)).day
    later = min((other for other in mailings if other > day), default=None)
    if later is None:
        return False
    return all(
        row.announced is not None and row.announced.total == 0 and _after(row.checked_at, almanac.due(later))
        for row in same_day
    )


def _count(row: LedgerDay, tallies: _Tallies) -> AnnouncementCount:
    """The row with what is held now: a run that broke off may have held more than its row says."""
    key = (row.category, row.day)
    split = row.announced is None or row.announced.replace_cross is not None
    held, pending = tallies.held_counts(key, split), tallies.pending_count(key)
    state = row.state
    if row.announced and row.announced.total:
        state = "complete" if not pending and held.total >= row.announced.total else "partial"
    count = AnnouncementCount(
        source=row.source,
        category=row.category,
        day=row.day,
        announced=row.announced,
        held=held,
        late=tallies.late(key),
        pending=pending,
        state=state,
        reason=row.reason,
        next_try=None if state == "complete" else row.next_try,
        text="",
    )
    note = f" ({row.note})" if row.note else ""
    return replace(count, text=sentence(count) + note)


def counts_of(
    conn: Connection, source: str, day: date, categories: Collection[str] | None
) -> list[AnnouncementCount]:
    """What the ledger says of a source's day, in the categories that were harvested."""
    rows = ledger.days(conn, source, day, day, categories)
    tallies = _tallies(conn, source, day, day)
    return [_count(rows[key], tallies) for key in sorted(rows)]
