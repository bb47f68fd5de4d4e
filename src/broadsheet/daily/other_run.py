"""One harvest of a source other than arXiv: what was featured or posted, day by day."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import Connection

from broadsheet.daily.day_rows import ALL, LOOK_BACK, Almanac, settle
from broadsheet.daily.plans import OtherPlan, Run, Span
from broadsheet.daily.states import UNSETTLED
from broadsheet.daily.taking_in import came_late
from broadsheet.library import arrivals, ledger
from broadsheet.library.ledger import Job, LedgerDay
from broadsheet.papers import AnnouncementCount, Arrival, KindCounts
from broadsheet.sources import huggingface, rxiv
from broadsheet.sources.batches import PaperBatch
from broadsheet.sources.calendar import Expectation
from broadsheet.sources.files.jsonl import DAILY_PAPERS

_DAY = timedelta(days=1)
_ASKED_AGAIN = timedelta(days=30)
_VOTING = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a source's days are: the category of its rows, how far back they are asked for again, on which
    days something is expected, and how one day is taken in."""

    category: str
    look_back: timedelta
    expectation: Callable[[date], Expectation]
    take: Callable[[Run, OtherPlan, date], None]


def harvest_other(run: Run, plan: OtherPlan, span: Span) -> list[AnnouncementCount]:
    """Take in what a source posted or featured on each owed day; the rows of all days touched."""
    kind = _KINDS[plan.source]
    today = run.now.astimezone(UTC).date()
    last = min(span.until or today, today)
    with run.library.read() as conn:
        first = _first(conn, plan.source, kind, span, last)
        days = _owed(conn, plan.source, kind, first, last)
    almanac = Almanac(kind.expectation, _midnight, first, under_way=today)
    with run.library.write() as conn:
        # A day that has its row is owed, so a run that dies at once does not lose it.
        settle(conn, plan.source, {kind.category: first}, last, almanac, run.now)
    for day in () if run.left_alone else days:
        run.tell(f"{plan.source}: {day}")
        kind.take(run, plan, day)
    almanac = replace(almanac, not_before=run.opens())
    with run.library.write() as conn:
        return settle(conn, plan.source, {kind.category: first}, last, almanac, run.now)


def _first(conn: Connection, source: str, kind: _Kind, span: Span, last: date) -> date:
    if span.since is not None:
        return min(span.since, last)
    seen = ledger.newest_taken_in(conn, source).get(kind.category, last)
    rows = ledger.days(conn, source, last - _ASKED_AGAIN, last, [kind.category])
    owed = [day for (_, day), row in rows.items() if row.state in UNSETTLED]
    return min([min(seen, last) - kind.look_back, *owed])


def _owed(conn: Connection, source: str, kind: _Kind, first: date, last: date) -> list[date]:
    """The days to ask for, oldest first: all in the look-back, and those before it that are not settled."""
    rows = ledger.days(conn, source, first, last, [kind.category])
    seen = ledger.newest_taken_in(conn, source).get(kind.category, last)
    recent = min(seen, last) - kind.look_back
    days = (first + _DAY * number for number in range((last - first).days + 1))
    return [
        day
        for day in days
        if day >= recent or (row := rows.get((kind.category, day))) is None or row.state in UNSETTLED
    ]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _take_featured(run: Run, plan: OtherPlan, day: date) -> None:
    """A day's featured papers with their votes as they stand now; one record tells its own day."""
    told = run.ask(plan.source, lambda: huggingface.fetch_day(plan.client, plan.urls[0], day, run.now))
    if told is None:
        return
    for note in told.notes:
        run.notice(f"{plan.source}: {note}")
    here = [one for one in told.arrivals if any(a.day == day for a in one.announcements)]
    with run.library.write() as conn:
        _store(conn, run, list(told.arrivals), DAILY_PAPERS, day)
        _write_row(conn, run, DAILY_PAPERS, day, len(here), None)


def _take_posted(run: Run, plan: OtherPlan, day: date) -> None:
    """All that was posted on a day, page after page."""
    name = f"day {day}"
    with run.library.read() as conn:
        job = ledger.job(conn, run.source, name)
    server: rxiv.Server = "biorxiv" if plan.source == "biorxiv" else "medrxiv"
    resume = job.state if job else None
    batches = rxiv.fetch(plan.client, plan.urls[0], server, (day, day), run.now, resume)
    while (batch := run.ask(plan.source, lambda: next(batches, None))) is not None:
        with run.library.write() as conn:
            _store(conn, run, list(batch.arrivals), ALL, day)
            _write_row(conn, run, ALL, day, batch.total or 0, _served(batch))
            _go_on(conn, run, name, batch)


def _served(batch: PaperBatch) -> str | None:
    """The source's own shortfall, in words."""
    if batch.complete:
        return None
    return next((note for note in batch.notes if "served" in note), "not all was served")


def _go_on(conn: Connection, run: Run, name: str, batch: PaperBatch) -> None:
    for note in batch.notes:
        run.notice(note)
    if batch.state is None:
        ledger.drop_job(conn, run.source, name)
    else:
        ledger.write_job(conn, run.source, name, Job(batch.state, None, run.now))


def _store(conn: Connection, run: Run, told: list[Arrival], category: str, day: date) -> None:
    if told:
        arrivals.store(conn, told, run.now)
        late = came_late(conn, run.source, category, day, run.now)
        ledger.mark_late(conn, run.source, None, day, run.now, late)


def _write_row(
    conn: Connection, run: Run, category: str, day: date, announced: int, note: str | None
) -> None:
    """A day's row with the source's own number. The day is settled with the others in the end."""
    key = (category, day)
    row = ledger.days(conn, run.source, day, day, [category]).get(key)
    row = row or LedgerDay(run.source, *key, None, "unknown")
    taken_in = row.taken_in_at or (run.now if announced else None)
    if row.announced is None or announced:
        row = replace(row, announced=KindCounts(announced, 0, 0, 0))
    ledger.write_days(conn, [replace(row, checked_at=run.now, taken_in_at=taken_in, note=note)])


def _every_day(day: date) -> Expectation:
    return "expected"


def _working_days(day: date) -> Expectation:
    return "weekend" if day.weekday() > 4 else "expected"


_KINDS = {
    "huggingface": _Kind(DAILY_PAPERS, _VOTING, _working_days, _take_featured),
    "biorxiv": _Kind(ALL, LOOK_BACK, _every_day, _take_posted),
    "medrxiv": _Kind(ALL, LOOK_BACK, _every_day, _take_posted),
}
