"""Is what the library holds, and what each day's row claims, true?"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import func, select
from tests.fake_sources.world import HOLIDAY_BATCH, World

from broadsheet.library import ledger
from broadsheet.library.database import Library
from broadsheet.library.ledger import LedgerDay
from broadsheet.library.tables import announcements, papers
from broadsheet.papers import AnnouncementCount

Truth = Mapping[tuple[str, date], Mapping[str, set[str]]]


@dataclass(frozen=True)
class Held:
    """What stands in the library: identifiers by category, day and kind, and the ledger's rows."""

    kinds: dict[tuple[str, date], dict[str, list[str]]]
    rows: dict[tuple[str, date], LedgerDay]
    pending: Counter[tuple[str, date]]


def read_held(library: Library) -> Held:
    kinds: dict[tuple[str, date], dict[str, list[str]]] = {}
    with library.read() as conn:
        asked = select(announcements.c.category, announcements.c.day, announcements.c.kind, papers.c.id).join(
            papers, papers.c.key == announcements.c.paper_key
        )
        for category, day, kind, identifier in conn.execute(asked):
            names = kinds.setdefault((category, day), {}).setdefault(kind, [])
            names.append(identifier.removeprefix("arxiv:"))
        rows = ledger.days(conn, "arxiv", date(2000, 1, 1), date(2100, 1, 1))
        pending = Counter((p.category, p.day) for p in ledger.pending(conn, "arxiv"))
    return Held(kinds, rows, pending)


def lies(world: World, held: Held, days: Iterable[AnnouncementCount], now: datetime) -> list[str]:
    """Every claim of a report that is not true at ``now``: counts, kinds and states."""
    found = []
    for count in days:
        key = (count.category, count.day)
        kinds = held.kinds.get(key, {})
        told = world.told(*key, now)
        where = f"{now:%m-%d %H:%M} {count.category} {count.day}: {count.text}:"
        wrong = {k: set(ids) - told.get(k, set()) for k, ids in kinds.items()}
        if any(wrong.values()):
            found.append(f"{where} holds what was not announced: {wrong}")
        number = sum(len(ids) for ids in kinds.values())
        if count.held.total != number or count.pending != held.pending[key]:
            found.append(f"{where} says {count.held.total} and holds {number}")
        if count.announced and count.announced.total > _size(told):
            found.append(f"{where} announced more than the {_size(told)} that were")
        found += [f"{where} {lie}" for lie in _false_state(world, held, count, now)]
    return found


def _size(kinds: Mapping[str, set[str]]) -> int:
    return sum(len(ids) for ids in kinds.values())


def _false_state(world: World, held: Held, count: AnnouncementCount, now: datetime) -> list[str]:
    key = (count.category, count.day)
    checked = held.rows[key].checked_at
    then = world.told(*key, checked) if checked else {}
    mailed = count.day in world.mailed(now)
    if count.state == "complete":
        if count.announced and count.announced.replace_cross is not None:
            # told by the feed alone, which stays as it was made
            then = world.told(*key, world.mailings[count.day])
        if count.held.total != _size(then):
            return [f"complete, though {_size(then)} had been announced when it was asked"]
        if checked != now and "as of" not in count.text and checked < world.settled(count.day):
            return ["complete without saying as of when"]
    if count.state == "none_expected" and _size(then):
        return ["something was announced"]
    if count.reason == "weekend" and count.day.weekday() < 5:
        return ["no weekend"]
    if count.reason == "holiday" and count.day != HOLIDAY_BATCH:
        return ["no holiday"]
    if count.reason == "inferred" and mailed:
        return ["there was a mailing"]
    if count.state in ("missing", "stale") and count.next_try is None:
        return ["no next try"]
    return []


def shortfalls(world: World, library: Library, categories: Iterable[str], now: datetime) -> list[str]:
    """Every difference between what was announced by ``now`` and what is held at the end."""
    held = read_held(library)
    truth = world.truth(now)
    found = []
    for (category, day), told in truth.items():
        if category not in categories:
            continue
        kinds = held.kinds.get((category, day), {})
        for kind, ids in told.items():
            names = kinds.get(kind, [])
            if len(names) != len(set(names)):
                found.append(f"{category} {day} {kind}: doubles")
            if set(names) != ids:
                missing, extra = sorted(ids - set(names))[:3], sorted(set(names) - ids)[:3]
                found.append(f"{category} {day} {kind}: missing {missing}, not announced {extra}")
    found += [f"{key}: never announced" for key in held.kinds if key not in truth]
    found += [f"{category} {day}: {n} pending" for (category, day), n in held.pending.items()]
    found += _wrong_states(world, held, now) + _wrong_texts(world, library, now)
    return found


def _wrong_states(world: World, held: Held, now: datetime) -> list[str]:
    found = []
    for (category, day), row in held.rows.items():
        if day in world.days:
            right = row.state == "complete"
        elif day < world.days[0]:
            right = row.state in ("none_expected", "missing")
        else:
            reasons = {HOLIDAY_BATCH: "holiday", world.silent_day: "inferred"}
            reason = reasons.get(day, "weekend" if day.weekday() > 4 else None)
            right = (row.state, row.reason) == ("none_expected", reason) or day > world.days[-1]
        if not right:
            found.append(f"{category} {day}: {row.state} {row.reason}")
    return found


def _wrong_texts(world: World, library: Library, now: datetime) -> list[str]:
    """Papers that are held twice, or whose text is not that of the newest version."""
    with library.read() as conn:
        twice = select(papers.c.title).group_by(papers.c.title).having(func.count() > 1)
        found = [f"two papers are called {title}" for (title,) in conn.execute(twice)]
        for identifier, version, abstract, withdrawn in conn.execute(
            select(papers.c.id, papers.c.version, papers.c.abstract, papers.c.withdrawn)
        ):
            newest = world.papers[identifier.removeprefix("arxiv:")].version_at(now)
            assert newest is not None
            if (version, abstract) != (newest.number, newest.abstract):
                found.append(f"{identifier}: version {version}, not {newest.number}, or another text")
            if withdrawn != ("withdrawn" in newest.comment):
                found.append(f"{identifier}: withdrawn {withdrawn}")
    return found
