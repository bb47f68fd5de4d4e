"""One harvest of the feeds that readers added: each feed is a category of its own, by its own name.

A feed promises nothing, so a day without entries is quiet; one that could not be read is missing today.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import Connection

from broadsheet.daily.day_rows import LOOK_BACK, Almanac, settle
from broadsheet.daily.plans import OtherPlan, Run, Span
from broadsheet.library import arrivals, ledger
from broadsheet.library.ledger import Job, LedgerDay
from broadsheet.papers import AnnouncementCount, Arrival, KindCounts
from broadsheet.sources import feeds
from broadsheet.sources.batches import dump_state, load_state
from broadsheet.sources.http import Validators

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is remembered of a feed: its own name, and how to ask whether it has changed."""

    name: str
    validators: Validators


def harvest_feeds(run: Run, plan: OtherPlan, span: Span) -> list[AnnouncementCount]:
    """Take in every feed; the rows of all days touched."""
    today = run.now.astimezone(UTC).date()
    last = min(span.until or today, today)
    first = min(span.since or last - LOOK_BACK, last)
    days: list[AnnouncementCount] = []
    for url in plan.urls:
        run.tell(f"feeds: {url}")
        name, answered = _take(run, plan, url)
        promised = None if answered else today
        almanac = Almanac(
            lambda day, promised=promised: "expected" if day == promised else "open",  # type: ignore[misc]
            _midnight,
            first,
            not_before=run.opens(),
        )
        with run.library.write() as conn:
            _write_rows(conn, run, name, first, last, answered)
            days += settle(conn, run.source, {name: first}, last, almanac, run.now)
    return days


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _take(run: Run, plan: OtherPlan, url: str) -> tuple[str, bool]:
    """Read one feed and store what it holds: its name, and whether it answered."""
    with run.library.read() as conn:
        known = _known(conn, run.source, url)
    if run.left_alone:
        return known.name, False
    before = run.notices.copy()
    told = run.ask(url, lambda: feeds.fetch(plan.client, url, run.now, known.validators))
    if told is None:
        return known.name, run.notices == before
    for note in told.notes:
        run.notice(f"feeds: {note}")
    with run.library.write() as conn:
        _store(conn, run, told)
        state = dump_state(
            {
                "name": told.name,
                "etag": told.validators.etag,
                "last_modified": told.validators.last_modified,
            }
        )
        ledger.write_job(conn, run.source, f"feed {url}", Job(state, None, run.now))
    return told.name, True


def _known(conn: Connection, source: str, url: str) -> _Known:
    job = ledger.job(conn, source, f"feed {url}")
    if job is None:
        return _Known(url, Validators())
    kept = load_state(job.state)
    etag, modified = kept["etag"], kept["last_modified"]
    return _Known(
        str(kept["name"]),
        Validators(None if etag is None else str(etag), None if modified is None else str(modified)),
    )


def _store(conn: Connection, run: Run, told: feeds.FeedAnswer) -> None:
    """Store a feed's papers; one that was announced by this feed before is not announced again."""
    before = ledger.announced_before(
        conn, run.source, told.name, {arrival.paper.id for arrival in told.arrivals}
    )
    arrivals.store(conn, [_once(arrival, before) for arrival in told.arrivals], run.now)


def _once(arrival: Arrival, before: set[str]) -> Arrival:
    return replace(arrival, announcements=()) if arrival.paper.id in before else arrival


def _write_rows(conn: Connection, run: Run, name: str, first: date, last: date, answered: bool) -> None:
    """A row for each day with entries, as far as the feed answered: what it announced is what is held."""
    if not answered:
        return
    rows = ledger.days(conn, run.source, first, last, [name])
    written = []
    for (category, day), kinds in ledger.held_counts(conn, run.source, first, last).items():
        if category == name:
            number = sum(held for held, _ in kinds.values())
            row = rows.get((name, day)) or LedgerDay(run.source, name, day, None, "unknown")
            written.append(
                replace(
                    row,
                    announced=KindCounts(number, 0, 0, 0),
                    checked_at=run.now,
                    taken_in_at=row.taken_in_at or run.now,
                )
            )
    ledger.write_days(conn, written)
