"""A harvest holds what was announced, says so, and goes on where it stopped."""

import itertools
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select
from tests.endurance.checks import lies, read_held
from tests.endurance.wire import DIRECT, harvest_once, plan, transport
from tests.fake_sources.faults import Faults, Scripted
from tests.fake_sources.routes import Sources
from tests.fake_sources.world import World

from broadsheet.daily.counts import counts_for
from broadsheet.daily.harvest import harvest
from broadsheet.daily.plans import SourceReport, Span
from broadsheet.errors import Busy
from broadsheet.library import leases, ledger, tables
from broadsheet.library.database import Library
from broadsheet.papers import AnnouncementCount, KindCounts

CATEGORIES = ("cs.LG", "hep-th")


def run(
    library: Library, sources: Sources, now: datetime, categories: tuple[str, ...] = CATEGORIES
) -> SourceReport:
    sources.now = now
    return harvest_once(library, plan(DIRECT, categories, now, transport(sources)), now)


def row(report: SourceReport, category: str, day: date) -> AnnouncementCount:
    [found] = [count for count in report.days if (count.category, count.day) == (category, day)]
    return found


def evening(world: World, index: int) -> datetime:
    """Four hours after the mailing of the world's announcement day."""
    return world.mailings[world.days[index]] + timedelta(hours=4)


def test_a_day_is_held_whole_and_says_so(world: World, sources: Sources, library: Library) -> None:
    """What the listing prints, what is held and what the sentence says are the same number."""
    day = world.days[1]
    report = run(library, sources, evening(world, 1))
    told = world.truth(sources.now)[("cs.LG", day)]
    count = row(report, "cs.LG", day)
    replaced = len(told["replace"]) + len(told["replace-cross"])
    assert count.announced == KindCounts(len(told["new"]), len(told["cross"]), replaced, None)
    assert count.held == count.announced
    assert count.text == f"complete: announced {count.announced.total}, held {count.announced.total}"
    assert report.reached


def test_every_calendar_day_from_the_look_back_on_has_a_row(
    world: World, sources: Sources, library: Library
) -> None:
    """The first run looks back seven days; weekends have their rows too."""
    report = run(library, sources, evening(world, 0))
    days = [count.day for count in report.days if count.category == "cs.LG"]
    first = world.days[0]
    assert days == [first - timedelta(days=back) for back in range(7, -1, -1)]
    assert row(report, "cs.LG", first - timedelta(days=1)).text == "no announcement: weekend"


def test_a_second_run_changes_nothing(world: World, sources: Sources, library: Library) -> None:
    """Run twice, the same rows come out and no paper is stored again."""
    first = run(library, sources, evening(world, 2))
    held = read_held(library).kinds
    second = run(library, sources, evening(world, 2))
    assert second.days == first.days
    assert read_held(library).kinds == held


def test_a_night_without_answers_is_missing_with_the_next_try(
    world: World, sources: Sources, library: Library
) -> None:
    """Nothing reached: the newest day is missing, never quiet, and the report says that nothing answered."""
    sources.faults = Faults(rate=1.0, only=("dropped",))
    now = evening(world, 1)
    report = run(library, sources, now)
    assert not report.reached
    assert row(report, "cs.LG", world.days[1]).text == "expected one, got none, next try at 05:00 UTC"


def test_metadata_that_fails_leaves_pending_papers_and_the_next_run_asks_only_for_those(
    world: World, sources: Sources, library: Library
) -> None:
    """Announced by the listing, no route gives the papers: partial, and all of them are pending."""
    sources.faults = Faults(dead=frozenset({"oai", "api", "feed", "catchup"}))
    now = evening(world, 0)
    report = run(library, sources, now, ("cs.LG",))
    count = row(report, "cs.LG", world.days[0])
    # the listing brings the text of new papers; of others nobody said which version it is of
    told = world.truth(now)[("cs.LG", world.days[0])]
    waiting = len(told["cross"] | told["replace"] | told["replace-cross"])
    assert (count.state, count.pending) == ("partial", waiting)
    assert f"{waiting} pending" in count.text
    sources.faults = Faults()
    sources.asked.clear()
    later = run(library, sources, now + timedelta(hours=1), ("cs.LG",))
    assert row(later, "cs.LG", world.days[0]).state == "complete"


def test_a_second_harvester_is_told_who_is_at_work(world: World, sources: Sources, library: Library) -> None:
    """One harvester at a time; a lease that has run out is taken over."""
    now = evening(world, 0)
    with library.write() as conn:
        leases.take(conn, "harvest", "process 1 on elsewhere", now, 600)
    with pytest.raises(Busy, match="process 1 on elsewhere"):
        run(library, sources, now)
    assert run(library, sources, now + timedelta(seconds=601)).reached


def test_the_lease_of_a_process_that_died_here_is_taken_over(
    world: World, sources: Sources, library: Library
) -> None:
    """A killed harvest must not block the next one until its lease runs out."""
    import socket
    import subprocess
    import sys

    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    now = evening(world, 0)
    with library.write() as conn:
        leases.take(conn, "harvest", f"process {child.pid} on {socket.gethostname()}", now, 600)
    assert run(library, sources, now).reached


def test_a_fault_of_our_own_in_one_source_leaves_the_others_their_day(
    world: World, sources: Sources, library: Library
) -> None:
    """What nobody foresaw is named in the report, and the next source is harvested."""
    now = sources.now = evening(world, 1)

    def answer(request: httpx.Request) -> httpx.Response:
        raise RuntimeError("what nobody foresaw")

    broken = plan(DIRECT, ("hep-th",), now, httpx.MockTransport(answer))
    sound = plan(DIRECT, ("cs.LG",), now, transport(sources))
    first, second = harvest(library, [broken, sound], Span(), now, lambda line: None)
    assert first.notices == ("arxiv: a fault of Broadsheet's own, RuntimeError: what nobody foresaw",)
    assert row(first, "hep-th", world.days[1]).state == "missing"
    assert row(second, "cs.LG", world.days[1]).state == "complete"


def test_a_long_run_keeps_its_lease(world: World, sources: Sources, library: Library) -> None:
    """A thousand seconds pass between two requests: no second harvester may step in meanwhile."""
    now = sources.now = evening(world, 0)
    seconds = itertools.count(0.0, 1000.0)
    inner = transport(sources)
    last_moment = now

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal last_moment
        with library.read() as conn:
            last_moment = max(last_moment, conn.execute(select(tables.leases.c.until)).scalar_one())
        return inner.handle_request(request)

    planned = plan(DIRECT, ("cs.LG",), now, httpx.MockTransport(answer))
    planned.client.clock = replace(planned.client.clock, elapsed=lambda: next(seconds))
    harvest_once(library, planned, now)
    assert last_moment > now + timedelta(seconds=10_000)


def test_counts_for_a_day_are_those_of_its_report(world: World, sources: Sources, library: Library) -> None:
    """The daily page shows the very rows that the harvest printed."""
    report = run(library, sources, evening(world, 1))
    with library.read() as conn:
        shown = counts_for(conn, world.days[1], ["hep-th"])
    assert shown == [row(report, "hep-th", world.days[1])]


def test_papers_that_come_late_are_counted(world: World, sources: Sources, library: Library) -> None:
    """A paper that enters an earlier batch after the next one is late; the day grows by it."""
    late = [e for e in world.entries if e.visible > world.mailings[e.day] and e.category in CATEGORIES]
    entry = min(late, key=lambda e: e.visible)
    before = world.mailings[entry.day] + timedelta(hours=1)
    first = row(run(library, sources, before), entry.category, entry.day)
    step = before
    while step < entry.visible:
        step += timedelta(days=1)
        report = run(library, sources, step)
    found = row(report, entry.category, entry.day)
    told = world.truth(step)[(entry.category, entry.day)]
    assert first.late == 0
    assert (
        found.late == found.held.total - first.held.total == sum(map(len, told.values())) - first.held.total
    )
    assert "came late" in found.text


def test_a_pause_longer_than_patience_is_kept_for_the_route_that_asked_for_it(
    world: World, sources: Sources, library: Library
) -> None:
    """The query API asks for ninety minutes: later runs do not ask it before, and say so; other routes
    are asked."""
    sources.faults = Scripted(script={"api": "429 long", "oai": "503", "feed": "503"})
    now = evening(world, 0)
    report = run(library, sources, now, ("cs.LG",))
    until = now + timedelta(seconds=5400)
    assert row(report, "cs.LG", world.days[0]).next_try == until
    sources.faults = Scripted(script={"oai": "503", "feed": "503"})
    sources.asked.clear()
    again = run(library, sources, now + timedelta(minutes=10), ("cs.LG",))
    assert f"arxiv: query API is not asked before {until:%Y-%m-%d %H:%M} UTC." in again.notices
    assert not [line for line in sources.asked if line.startswith("/api")]
    assert row(again, "cs.LG", world.days[0]).state == "partial"
    last = run(library, sources, until + timedelta(minutes=1), ("cs.LG",))
    assert row(last, "cs.LG", world.days[0]).state == "complete"


def test_the_days_that_are_asked_for_can_be_named(world: World, sources: Sources, library: Library) -> None:
    """--since and --until: rows for these days and no others."""
    sources.now = evening(world, 8)
    planned = plan(DIRECT, ("cs.LG",), sources.now, transport(sources))
    span = Span(world.days[2], world.days[4])
    [report] = harvest(library, [planned], span, sources.now, lambda line: None)
    assert [count.day for count in report.days] == [world.days[2], world.days[3], world.days[4]]
    assert lies(world, read_held(library), report.days, sources.now) == []
    assert {count.late for count in report.days} == {0}


def test_days_beyond_ninety_are_unknown_but_their_papers_are_taken_in(
    world: World, sources: Sources, library: Library
) -> None:
    """Catch-up no longer tells them: papers come by day of submission and the rows say "unknown"."""
    sources.now = datetime(2027, 2, 10, 12, tzinfo=UTC)
    planned = plan(DIRECT, ("cs.LG",), sources.now, transport(sources))
    span = Span(world.days[2], world.days[2])
    [report] = harvest(library, [planned], span, sources.now, lambda line: None)
    assert [(count.state, count.announced) for count in report.days] == [("unknown", None)]


def test_the_library_can_be_written_while_a_source_is_waited_for(
    world: World, sources: Sources, library: Library, tmp_path: Path
) -> None:
    """No transaction is open while a request is under way: each answer finds the library free."""
    now = sources.now = evening(world, 0)
    inner = transport(sources)
    other = Library.open(tmp_path / "library.sqlite3", now)
    written = itertools.count()

    def answer(request: httpx.Request) -> httpx.Response:
        with other.write() as conn:
            ledger.write_job(conn, "elsewhere", f"job {next(written)}", ledger.Job("{}", None, now))
        return inner.handle_request(request)

    harvest_once(library, plan(DIRECT, ("cs.LG",), now, httpx.MockTransport(answer)), now)
    with other.read() as conn:
        assert len(ledger.jobs(conn, "elsewhere")) == len(sources.asked)
    other.close()
