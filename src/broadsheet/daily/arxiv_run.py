"""One harvest of arXiv: which days are owed, the routes one after the other, and the rows in the end."""

from datetime import date, timedelta

from sqlalchemy import Connection

from broadsheet.daily.arxiv_days import (
    Announced,
    almanac,
    last_day,
    still_owed,
    take_announcements,
)
from broadsheet.daily.arxiv_papers import fill_back, take_metadata
from broadsheet.daily.day_rows import LOOK_BACK, settle
from broadsheet.daily.plans import ArxivPlan, Run, Span
from broadsheet.library import ledger
from broadsheet.papers import AnnouncementCount
from broadsheet.sources import calendar
from broadsheet.sources.arxiv.announced import CATCHUP_DAYS


def harvest_arxiv(run: Run, plan: ArxivPlan, span: Span) -> list[AnnouncementCount]:
    """Take in what arXiv announced in the followed categories; the rows of all days touched."""
    last = last_day(run.now)
    if span.until is not None:
        last = min(span.until, last)
    with run.library.read() as conn:
        firsts = _firsts(conn, run.source, plan.categories, span, last)
    found = Announced()
    with run.library.write() as conn:
        # A day that has its row is owed, so a run that dies at once does not lose it.
        settle(conn, run.source, firsts, last, almanac(run.now), run.now)
    if not run.left_alone and firsts:
        found = take_announcements(run, plan, firsts, last)
        take_metadata(run, plan, firsts, found.papers)
        oldest, told_from = min(firsts.values()), almanac(run.now).askable_from
        if oldest < told_from:
            fill_back(run, plan, oldest, min(told_from, last + timedelta(days=1)))
    known = almanac(run.now, found.stale, run.opens())
    last = last if span.until else max(last, found.newest)
    with run.library.write() as conn:
        return settle(conn, run.source, firsts, last, known, run.now)


def _firsts(
    conn: Connection, source: str, categories: tuple[str, ...], span: Span, last: date
) -> dict[str, date]:
    """The first day of each category: as asked, else the look-back before the newest day that was seen,
    or an older day that is still owed and can be asked for."""
    if span.since is not None:
        return {category: min(span.since, last) for category in categories}
    seen = ledger.newest_taken_in(conn, source)
    rows = ledger.days(conn, source, last - timedelta(days=CATCHUP_DAYS), last, categories)
    firsts = {c: min(seen.get(c, last), last) - LOOK_BACK for c in categories}
    for (category, day), row in rows.items():
        if day < firsts[category] and calendar.expectation(day) != "weekend" and still_owed(row, day):
            firsts[category] = day
    return firsts
