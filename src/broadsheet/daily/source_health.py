"""How well each source answers: a source that keeps failing is left alone for a while, and that is shown."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from broadsheet.daily.plans import Run
from broadsheet.library import ledger
from broadsheet.library.ledger import Job
from broadsheet.sources.batches import dump_state, load_state

_JOB = "health"
_ROUTE = "route "
_FAILURES_ALLOWED = 2
_FIRST_PAUSE = timedelta(hours=1)
_LONGEST_PAUSE = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class SourceHealth:
    """A source's last runs: how many in a row reached nothing, what was said last, and until when the
    source is left alone (None: it may be asked)."""

    source: str
    failures: int
    last_notice: str
    not_before: datetime | None
    checked_at: datetime


def health(conn: Connection, source: str) -> SourceHealth | None:
    """How a source answered lately; None where it was never asked."""
    job = ledger.job(conn, source, _JOB)
    if job is None:
        return None
    kept = load_state(job.state)
    failures = int(str(kept["failures"]))
    return SourceHealth(source, failures, str(kept["notice"]), job.not_before, job.updated_at)


def closed_until(conn: Connection, source: str, now: datetime) -> datetime | None:
    """Until when a source must not be asked, or None if it may be asked now."""
    job = ledger.job(conn, source, _JOB)
    return job.not_before if job and job.not_before and job.not_before > now else None


def closed_routes(conn: Connection, source: str, now: datetime) -> dict[str, datetime]:
    """The routes of a source that must not be asked yet, each with the moment when it may be."""
    return {
        name.removeprefix(_ROUTE): job.not_before
        for name, job in ledger.jobs(conn, source).items()
        if name.startswith(_ROUTE) and job.not_before and job.not_before > now
    }


def remember(conn: Connection, run: Run) -> None:
    """Write down how this run went. Optional sources that fail again and again get growing pauses."""
    before = health(conn, run.source)
    if run.left_alone:
        return
    for route, until in run.closed.items():
        ledger.write_job(conn, run.source, _ROUTE + route, Job("{}", until, run.now))
    failures = 0 if run.reached or run.closed else (before.failures if before else 0) + 1
    not_before = run.not_before
    if run.source != "arxiv" and failures > _FAILURES_ALLOWED and not_before is None:
        pause = _FIRST_PAUSE * 2 ** min(failures - _FAILURES_ALLOWED - 1, 10)
        not_before = run.now + min(pause, _LONGEST_PAUSE)
        run.notice(
            f"{run.source} failed {failures} times in a row and is left alone until"
            f" {not_before:%Y-%m-%d %H:%M} UTC; nothing else waits for it."
        )
    state = dump_state({"failures": failures, "notice": run.notices[-1] if run.notices else ""})
    ledger.write_job(conn, run.source, _JOB, Job(state, not_before, run.now))
