"""The papers behind arXiv's announcements: metadata by OAI-PMH, then by the query API, then by what came
with the announcement itself. Each answer is committed as it comes, together with where to go on.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from sqlalchemy import Connection

from broadsheet.daily.plans import ArxivPlan, Run
from broadsheet.daily.taking_in import take_papers
from broadsheet.library import arrivals, ledger
from broadsheet.library.ledger import Job
from broadsheet.papers import Arrival, Paper
from broadsheet.sources.arxiv import api, oai
from broadsheet.sources.arxiv.sets import set_spec
from broadsheet.sources.batches import PaperBatch, dump_state, load_state

_DAY = timedelta(days=1)
_FILLED_UP = timedelta(days=30)
_STORED_AT_ONCE = 1000

Keep = Callable[[Connection, PaperBatch], None]


def take_metadata(run: Run, plan: ArxivPlan, firsts: Mapping[str, date], came: Mapping[str, Paper]) -> None:
    """Fetch what is pending by every route; what no route gave stays pending."""
    for category in plan.categories:
        run.tell(f"arxiv: records of {category}")
        _take_records(run, plan, category, firsts[category])
    _take_by_ids(run, plan)
    _take_what_came(run, came)


@dataclass(frozen=True, slots=True)
class _Listing:
    """Where the list of a category's records stands: ``since`` is the first datestamp that is wanted,
    ``resume`` the place inside a list that was broken off, ``began`` the day on which that was begun."""

    since: date
    began: date
    resume: str | None = None

    def job(self, now: datetime) -> Job:
        days = {"since": self.since.isoformat(), "began": self.began.isoformat()}
        return Job(dump_state({**days, "resume": self.resume}), None, now)


def _listing_of(job: Job) -> _Listing:
    kept = load_state(job.state)
    since, began = (date.fromisoformat(str(kept[name])) for name in ("since", "began"))
    resume = kept["resume"]
    return _Listing(since, began, None if resume is None else str(resume))


def _take_records(run: Run, plan: ArxivPlan, category: str, first: date) -> None:
    """All records of a category that changed since its list was last read to the end.

    Datestamps are whole days in UTC and a day's list grows until it is over, so the next list begins a
    day before this one ended.
    """
    name = f"oai {category}"
    with run.library.read() as conn:
        job = ledger.job(conn, run.source, name)
        needed = job is not None or bool(ledger.pending(conn, run.source, category))
    if not needed:
        return
    today = run.now.astimezone(UTC).date()
    listing = _listing_of(job) if job else _Listing(first - _DAY, today)
    if listing.resume is None:
        listing = replace(listing, began=today)
    selection = oai.Selection(listing.since, set_spec=set_spec(category))

    def keep(conn: Connection, batch: PaperBatch) -> None:
        if batch.state is not None:
            further = replace(listing, resume=batch.state)
        elif batch.complete:
            further = _Listing(listing.began - _DAY, today)
        else:
            further = replace(listing, resume=None)
        ledger.write_job(conn, run.source, name, further.job(run.now))

    batches = oai.list_records(plan.client, plan.addresses.oai, selection, listing.resume)
    _take_each(run, "OAI-PMH", batches, keep)


def _take_by_ids(run: Run, plan: ArxivPlan) -> None:
    """Ask for what is pending, and for what is held by no more than its announcement's text."""
    since = run.now.date() - _FILLED_UP
    with run.library.read() as conn:
        waiting = [p.identifier for p in ledger.pending(conn, run.source)]
        ids = list(dict.fromkeys([*waiting, *ledger.held_thin(conn, run.source, since)]))
    if not ids:
        return
    run.tell(f"arxiv: metadata of {len(ids)} papers")
    _take_each(run, "query API", api.by_ids(plan.client, plan.addresses.api, ids), lambda conn, batch: None)


def _take_each(run: Run, route: str, batches: Iterator[PaperBatch], keep: Keep) -> None:
    """Commit each batch with its place, as long as they come."""
    while (batch := run.ask(route, lambda: next(batches, None))) is not None:
        for note in batch.notes:
            run.notice(f"arxiv: {note}")
        with run.library.write() as conn:
            take_papers(conn, run.source, batch.arrivals, run.now)
            keep(conn, batch)


def _take_what_came(run: Run, came: Mapping[str, Paper]) -> None:
    """Hold what no metadata route gave by the title and abstract that stood in the announcement."""
    with run.library.read() as conn:
        waiting = {p.identifier for p in ledger.pending(conn, run.source)}
    told = [Arrival(paper) for identifier, paper in came.items() if identifier in waiting]
    for start in range(0, len(told), _STORED_AT_ONCE):
        with run.library.write() as conn:
            take_papers(conn, run.source, told[start : start + _STORED_AT_ONCE], run.now)


def fill_back(run: Run, plan: ArxivPlan, first: date, before: date) -> None:
    """Take in papers by their day of submission, where arXiv no longer tells announcements.

    Their announcement days are unknown, so the days' rows say no more than that.
    """
    for category in plan.categories:
        run.tell(f"arxiv: papers of {category} submitted from {first} to {before}")
        name = f"back {category} {first} {before}"
        with run.library.read() as conn:
            job = ledger.job(conn, run.source, name)
        window = (datetime.combine(first, time(), UTC), datetime.combine(before, time(), UTC))
        resume = job.state if job else None
        batches = api.by_date(plan.client, plan.addresses.api, category, window, resume)
        while (batch := run.ask("query API", lambda: next(batches, None))) is not None:  # noqa: B023 - used at once
            for note in batch.notes:
                run.notice(f"arxiv: {note}")
            with run.library.write() as conn:
                _store_back(conn, run, name, batch)


def _store_back(conn: Connection, run: Run, name: str, batch: PaperBatch) -> None:
    if batch.arrivals:
        arrivals.store(conn, batch.arrivals, run.now)
    if batch.state is None:
        ledger.drop_job(conn, run.source, name)
    else:
        ledger.write_job(conn, run.source, name, Job(batch.state, None, run.now))
