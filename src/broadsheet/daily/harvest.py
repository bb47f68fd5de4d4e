"""Taking in what the sources announced: one run over all that is followed, and what it came to."""

import os
import socket
from collections.abc import Callable, Sequence
from datetime import datetime

from broadsheet.daily import source_health
from broadsheet.daily.arxiv_run import harvest_arxiv
from broadsheet.daily.feeds_run import harvest_feeds
from broadsheet.daily.other_run import harvest_other
from broadsheet.daily.plans import ArxivPlan, Plan, Run, SourceReport, Span
from broadsheet.errors import Busy
from broadsheet.library import leases
from broadsheet.library.database import Library
from broadsheet.papers import AnnouncementCount

_LEASE = "harvest"
_LEASE_SECONDS = 1800.0


def harvest(
    library: Library, plans: Sequence[Plan], span: Span, now: datetime, tell: Callable[[str], None]
) -> list[SourceReport]:
    """Take in the announcements of each planned source; each answer is committed as it comes.

    ``now`` stands for the clock throughout. ``tell`` is called with a line before each part of the work.
    Raises Busy while another process harvests; a fault of a source is told in its report.
    """
    holder = f"process {os.getpid()} on {socket.gethostname()}"
    _take_lease(library, holder, now)
    try:
        return [_harvest_one(Run(library, plan.source, now, tell), plan, span, holder) for plan in plans]
    finally:
        with library.write() as conn:
            leases.release(conn, _LEASE, holder)


def _harvest_one(run: Run, plan: Plan, span: Span, holder: str) -> SourceReport:
    with run.library.write() as conn:
        leases.renew(conn, _LEASE, holder, run.now, _LEASE_SECONDS)
        run.not_before = source_health.closed_until(conn, plan.source, run.now)
        run.closed = source_health.closed_routes(conn, plan.source, run.now)
    if run.not_before:
        run.left_alone = True
        run.notice(f"{plan.source} is not asked before {run.not_before:%Y-%m-%d %H:%M} UTC.")
    days = _days_of(run, plan, span)
    with run.library.write() as conn:
        source_health.remember(conn, run)
    return SourceReport(plan.source, tuple(days), run.reached, tuple(run.notices))


def _days_of(run: Run, plan: Plan, span: Span) -> list[AnnouncementCount]:
    if isinstance(plan, ArxivPlan):
        return harvest_arxiv(run, plan, span)
    return harvest_feeds(run, plan, span) if plan.source == "feeds" else harvest_other(run, plan, span)


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
