"""Taking in what the sources announced: one run over all that is followed, and what it came to."""

import logging
import os
import socket
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from broadsheet.daily import source_health
from broadsheet.daily.arxiv_run import harvest_arxiv
from broadsheet.daily.feeds_run import harvest_feeds
from broadsheet.daily.other_run import harvest_other
from broadsheet.daily.plans import ArxivPlan, Plan, Run, SourceReport, Span
from broadsheet.errors import BroadsheetError, Busy
from broadsheet.library import leases
from broadsheet.library.database import Library
from broadsheet.papers import AnnouncementCount

log = logging.getLogger(__name__)

_LEASE = "harvest"
_LEASE_SECONDS = 1800.0
_RENEW_SECONDS = 300.0


def harvest(
    library: Library, plans: Sequence[Plan], span: Span, now: datetime, tell: Callable[[str], None]
) -> list[SourceReport]:
    """Take in the announcements of each planned source; each answer is committed as it comes.

    ``now`` stands for the clock throughout. ``tell`` is called with a line before each part of the work.
    Raises Busy while another process harvests; a fault of a source is told in its report.
    """
    holder = _own_name()
    _take_lease(library, holder, now)
    try:
        return [_harvest_one(library, plan, span, now, tell) for plan in plans]
    finally:
        with library.write() as conn:
            leases.release(conn, _LEASE, holder)


def _harvest_one(
    library: Library, plan: Plan, span: Span, now: datetime, tell: Callable[[str], None]
) -> SourceReport:
    run = Run(library, plan.source, now, tell, _kept_lease(library, plan, now))
    with library.write() as conn:
        run.not_before = source_health.closed_until(conn, plan.source, run.now)
        run.closed = source_health.closed_routes(conn, plan.source, run.now)
    if run.not_before:
        run.left_alone = True
        run.notice(f"{plan.source} is not asked before {run.not_before:%Y-%m-%d %H:%M} UTC.")
    try:
        days = _days_of(run, plan, span)
    except BroadsheetError:
        raise
    except Exception as fault:  # one source's surprise must not cost the others their day
        log.exception("%s could not be harvested", plan.source)
        run.notice(f"{plan.source}: a fault of Broadsheet's own, {type(fault).__name__}: {fault}")
        run.left_alone = True
        days = _days_of(run, plan, span)
    with run.library.write() as conn:
        source_health.remember(conn, run)
    return SourceReport(plan.source, tuple(days), run.reached, tuple(run.notices))


def _days_of(run: Run, plan: Plan, span: Span) -> list[AnnouncementCount]:
    if isinstance(plan, ArxivPlan):
        return harvest_arxiv(run, plan, span)
    return harvest_feeds(run, plan, span) if plan.source == "feeds" else harvest_other(run, plan, span)


def _own_name() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _kept_lease(library: Library, plan: Plan, now: datetime) -> Callable[[], None]:
    """Renews the lease as time passes: a run may take longer than a lease does, while ``now`` stands."""
    elapsed = plan.client.clock.elapsed
    began = elapsed()
    renewed = began - _RENEW_SECONDS

    def keep() -> None:
        nonlocal renewed
        if elapsed() - renewed < _RENEW_SECONDS:
            return
        renewed = elapsed()
        with library.write() as conn:
            moment = now + timedelta(seconds=renewed - began)
            leases.renew(conn, _LEASE, _own_name(), moment, _LEASE_SECONDS)

    return keep


def _take_lease(library: Library, holder: str, now: datetime) -> None:
    """Take the harvester's lease, from a process of this host that is dead too; else raises Busy."""
    with library.write() as conn:
        before = leases.holder(conn, _LEASE)
        if before is not None and _is_dead(before):
            leases.release(conn, _LEASE, before)
        try:
            leases.take(conn, _LEASE, holder, now, _LEASE_SECONDS)
        except Busy as busy:
            raise Busy(
                f"Another harvest is running: {busy.message}", "Wait for it to end, then run this again."
            ) from busy


def _is_dead(holder: str) -> bool:
    """Whether a holder of this host has ended without giving its lease back."""
    words = holder.split(" ")
    if len(words) != 4 or words[3] != socket.gethostname() or not words[1].isdigit():
        return False
    try:
        os.kill(int(words[1]), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
