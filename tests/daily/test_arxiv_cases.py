"""Faults that people have met when they harvest arXiv, each with what is right."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import httpx
import pytest
from tests.daily.small import SmallWorld, hours_after
from tests.endurance.checks import read_held
from tests.endurance.wire import DIRECT, harvest_once, plan, transport
from tests.fake_sources.faults import Scripted
from tests.fake_sources.routes import Sources

from broadsheet.daily.plans import SourceReport
from broadsheet.library import papers
from broadsheet.library.database import Library
from broadsheet.papers import AnnouncementCount, KindCounts

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY = (date(2026, 11, n) for n in range(9, 14))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Library]:
    opened = Library.open(tmp_path / "library.sqlite3", hours_after(SmallWorld(MONDAY), MONDAY))
    yield opened
    opened.close()


def run(
    home: Library,
    world: SmallWorld,
    day: date,
    faults: Scripted | None = None,
    hours: float = 4,
    categories: tuple[str, ...] = ("cs.XA",),
    abstracts: bool = True,
    refused: str = "",
) -> tuple[SourceReport, Sources]:
    """One harvest some hours after a day's mailing was due, over sources with the named faults."""
    now = hours_after(world, day, hours)
    sources = Sources(world, now, faults or Scripted())
    through = _altered(sources, abstracts, refused)
    return harvest_once(home, plan(DIRECT, categories, now, through), now), sources


def _altered(sources: Sources, abstracts: bool, refused: str) -> httpx.MockTransport:
    """The sources, without the abstracts on their pages or without the addresses that begin so."""
    inner = transport(sources)

    def answer(request: httpx.Request) -> httpx.Response:
        if refused and request.url.path.startswith(refused):
            return httpx.Response(404)
        found = inner.handle_request(request)
        if abstracts or not request.url.path.startswith(("/list", "/catchup")):
            return found
        body = re.sub(rb"<p class='mathjax'>.*?</p>", b"", found.read())
        return httpx.Response(found.status_code, content=body, headers={"content-type": "text/html"})

    return httpx.MockTransport(answer)


def on(report: SourceReport, day: date, category: str = "cs.XA") -> AnnouncementCount:
    [count] = [c for c in report.days if (c.day, c.category) == (day, category)]
    return count


def held_ids(home: Library, day: date, category: str = "cs.XA") -> set[str]:
    return {i for ids in read_held(home).kinds.get((category, day), {}).values() for i in ids}


def test_refusals_without_a_stated_wait_do_not_lose_the_day(home: Library) -> None:
    """B01: four times 429, then good answers: the day is finished."""
    world = SmallWorld(TUESDAY)
    world.paper("2611.00001", TUESDAY)
    faults = Scripted(script={"listing": ["429"] * 4})
    report, _ = run(home, world, TUESDAY, faults)
    assert on(report, TUESDAY).text == "complete: announced 1, held 1"


def test_a_refused_last_batch_keeps_the_ones_before_it(home: Library) -> None:
    """B02: of three batches of ids the third is refused: 100 + 100 are held, 50 are pending, and the next
    run asks for those only."""
    world = SmallWorld(TUESDAY)
    for number in range(250):
        world.paper(f"2611.{number:05}", TUESDAY)
    faults = Scripted(script={"oai": "503", "feed": "503", "api": ["", "", *["429"] * 50]})
    report, _ = run(home, world, TUESDAY, faults, abstracts=False)
    count = on(report, TUESDAY)
    assert (count.state, count.held.total, count.pending) == ("partial", 200, 50)
    assert "partial: announced 250, held 200, 50 pending" in count.text
    later = Scripted(script={"oai": "503", "feed": "503"})
    report, sources = run(home, world, TUESDAY, later, hours=5.5, abstracts=False)
    [asked] = [line for line in sources.asked if line.startswith("/api")]
    assert len(re.findall(r"2611\.\d{5}", asked)) == 50
    assert on(report, TUESDAY).text == "complete: announced 250, held 250"


@pytest.mark.parametrize("form", ["stale", "disguised"])
def test_a_feed_that_still_holds_yesterdays_batch_is_seen_through(home: Library, form: str) -> None:
    """B10: five known ids under a fresh build date, and four new ones on the listing: the four are held,
    and the report names the feed."""
    world = SmallWorld(TUESDAY, WEDNESDAY)
    for number in range(5):
        world.paper(f"2611.0000{number}", TUESDAY)
    for number in range(5, 9):
        world.paper(f"2611.0000{number}", WEDNESDAY)
    run(home, world, TUESDAY)
    report, _ = run(home, world, WEDNESDAY, Scripted(script={"feed": form}))
    assert on(report, WEDNESDAY).text == "complete: announced 4, held 4"
    assert report.notices == (f"arxiv: the feed of cs.XA still holds the batch of {TUESDAY}.",)


@pytest.mark.parametrize("form", ["stale", "disguised"])
def test_a_day_on_which_every_route_shows_yesterdays_batch_is_stale(home: Library, form: str) -> None:
    """B10: no other route tells the day: it is stale with a next try, not quiet and not complete."""
    world = SmallWorld(TUESDAY, WEDNESDAY)
    world.paper("2611.00001", TUESDAY)
    world.paper("2611.00002", WEDNESDAY)
    run(home, world, TUESDAY)
    faults = Scripted(script={"feed": form, "listing": "stale", "catchup": "404"})
    report, _ = run(home, world, WEDNESDAY, faults)
    assert on(report, WEDNESDAY).text == (
        "expected one, got only the batch before it (stale), next try at 06:00 UTC"
    )
    assert held_ids(home, WEDNESDAY) == set()


def test_weekends_holidays_and_faults_read_differently(home: Library) -> None:
    """B11: a Saturday, the batch after Thanksgiving, and a Wednesday with nothing."""
    world = SmallWorld(MONDAY, TUESDAY)
    world.paper("2611.00001", TUESDAY)
    report, _ = run(home, world, WEDNESDAY)
    assert on(report, WEDNESDAY).text == "expected one, got none, next try at 06:00 UTC"
    report, _ = run(home, world, date(2026, 11, 14), hours=12)
    assert on(report, date(2026, 11, 14)).text == "no announcement: weekend"
    report, _ = run(home, world, date(2026, 11, 27))
    assert on(report, date(2026, 11, 27)).text == "no announcement: arXiv holiday"


def test_a_mailing_that_comes_on_a_holiday_is_taken_in(home: Library) -> None:
    """The list of holidays can change late: what comes counts, whatever the calendar says."""
    friday = date(2026, 11, 27)
    world = SmallWorld(friday)
    world.paper("2611.00001", friday)
    report, _ = run(home, world, friday)
    assert on(report, friday).text == "complete: announced 1, held 1"


def test_a_mailing_that_never_came_is_inferred_once_the_next_is_out(home: Library) -> None:
    """Missing while it may still come; then no announcement, in words that say how it is known."""
    world = SmallWorld(MONDAY, WEDNESDAY)
    world.paper("2611.00001", WEDNESDAY)
    report, _ = run(home, world, TUESDAY)
    assert on(report, TUESDAY).state == "missing"
    report, _ = run(home, world, WEDNESDAY)
    count = on(report, TUESDAY)
    assert (count.state, count.reason) == ("none_expected", "inferred")
    assert count.text.startswith("no announcement: inferred")


def test_a_day_is_not_inferred_empty_while_one_category_could_not_be_asked(home: Library) -> None:
    """Empty in all that is followed means asked in all of it, after the later mailing."""
    world = SmallWorld(MONDAY, WEDNESDAY)
    world.paper("2611.00001", WEDNESDAY)
    both = ("cs.XA", "math.XX")
    run(home, world, TUESDAY, categories=both)
    report, _ = run(home, world, WEDNESDAY, categories=both, refused="/catchup/math.XX")
    assert on(report, TUESDAY, "math.XX").state == "missing"


def test_an_empty_answer_from_before_the_mailing_says_nothing_about_it(home: Library) -> None:
    """Tuesday was empty in both categories when it was asked, then it came late: a category that could
    not be asked again is missing, not complete with nothing."""
    world = SmallWorld(MONDAY, TUESDAY, WEDNESDAY)
    world.mailings[TUESDAY] = world.mailings[WEDNESDAY]
    world.paper("2611.00001", TUESDAY)
    both = ("cs.XA", "math.XX")
    run(home, world, TUESDAY, categories=both)
    report, _ = run(home, world, WEDNESDAY, categories=both, refused="/catchup/math.XX")
    assert on(report, TUESDAY, "cs.XA").text == "complete: announced 1, held 1"
    assert on(report, TUESDAY, "math.XX").state == "missing"


def test_two_batches_of_one_night_keep_their_own_days(home: Library) -> None:
    """Tuesday's mailing comes with Wednesday's: each paper stands on the day of its batch."""
    world = SmallWorld(MONDAY, TUESDAY, WEDNESDAY)
    world.mailings[TUESDAY] = world.mailings[WEDNESDAY]
    world.paper("2611.00001", TUESDAY)
    world.paper("2611.00002", WEDNESDAY)
    report, _ = run(home, world, TUESDAY)
    assert on(report, TUESDAY).state == "missing"
    report, _ = run(home, world, WEDNESDAY)
    assert (held_ids(home, TUESDAY), held_ids(home, WEDNESDAY)) == ({"2611.00001"}, {"2611.00002"})
    assert on(report, TUESDAY).text == on(report, WEDNESDAY).text == "complete: announced 1, held 1"
    assert on(report, TUESDAY).late == 0


def test_cross_lists_and_papers_from_moderation_stand_on_their_announcement_day(home: Library) -> None:
    """B16: a paper of another primary category, and one submitted nine days ago, are in today's list."""
    world = SmallWorld(TUESDAY)
    world.paper("2611.00001", TUESDAY, ("math.XX", "cs.XA"))
    world.paper("2611.00002", TUESDAY, age=9)
    report, _ = run(home, world, TUESDAY)
    assert on(report, TUESDAY).held == KindCounts(1, 1, 0, None)
    kinds = read_held(home).kinds[("cs.XA", TUESDAY)]
    assert kinds == {"cross": ["2611.00001"], "new": ["2611.00002"]}


def test_every_kind_is_counted_beside_the_sources_own_number(home: Library) -> None:
    """B17: new, cross and the sum of both replacements, announced and held, line by line."""
    world = SmallWorld(TUESDAY)
    world.older("2601.00001")
    world.older("2601.00002", ("math.XX", "cs.XA"))
    world.paper("2611.00001", TUESDAY)
    world.paper("2611.00002", TUESDAY)
    world.paper("2611.00003", TUESDAY, ("math.XX", "cs.XA"))
    world.replace("2601.00001", TUESDAY)
    world.replace("2601.00002", TUESDAY)
    report, _ = run(home, world, TUESDAY)
    count = on(report, TUESDAY)
    assert count.announced == count.held == KindCounts(2, 1, 2, None)
    kinds = read_held(home).kinds[("cs.XA", TUESDAY)]
    assert (kinds["replace"], kinds["replace-cross"]) == (["2601.00001"], ["2601.00002"])


def test_a_replacement_brings_its_text_and_the_old_one_stays_in_history(home: Library) -> None:
    """B19: the same paper, version 2, with the old version kept."""
    world = SmallWorld(TUESDAY, WEDNESDAY)
    world.paper("2611.00007", TUESDAY)
    run(home, world, TUESDAY)
    world.replace("2611.00007", WEDNESDAY)
    run(home, world, WEDNESDAY)
    with home.read() as conn:
        key, paper = papers.find(conn, "2611.00007")
        texts = [(v.version, v.title) for v in papers.versions(conn, key)]
        announced = [(a.day, a.kind, a.version) for a in papers.announcements(conn, key)]
    assert (paper.version, paper.announced) == (2, TUESDAY)
    assert texts == [(1, "Text 1 of 2611.00007"), (2, "Text 2 of 2611.00007")]
    assert announced == [(TUESDAY, "new", 1), (WEDNESDAY, "replace", 2)]


def test_a_replacement_is_not_held_by_the_version_before_it(home: Library) -> None:
    """The version that was announced is needed: while no route gives it, the day is partial."""
    world = SmallWorld(TUESDAY, WEDNESDAY)
    world.paper("2611.00007", TUESDAY)
    run(home, world, TUESDAY)
    world.replace("2611.00007", WEDNESDAY)
    faults = Scripted(script={"oai": "503", "api": "503", "feed": "503"})
    report, _ = run(home, world, WEDNESDAY, faults)
    assert on(report, WEDNESDAY).text.startswith("partial: announced 1, held 0, 1 pending")
    report, _ = run(home, world, WEDNESDAY, hours=5.5)
    assert on(report, WEDNESDAY).text == "complete: announced 1, held 1"


def test_a_paper_held_by_its_announcement_is_filled_up_later(home: Library) -> None:
    """No metadata route answers: title and abstract are held at once, the rest comes with the next run."""
    world = SmallWorld(TUESDAY)
    world.paper("2611.00007", TUESDAY)
    faults = Scripted(script={"oai": "503", "api": "503", "feed": "503"})
    report, _ = run(home, world, TUESDAY, faults)
    assert on(report, TUESDAY).text == "complete: announced 1, held 1"
    with home.read() as conn:
        assert papers.find(conn, "2611.00007")[1].submitted is None
    run(home, world, TUESDAY, Scripted(script={"oai": "503"}), hours=5.5)
    with home.read() as conn:
        assert (
            papers.find(conn, "2611.00007")[1].submitted == world.papers["2611.00007"].versions[0].submitted
        )


def test_a_text_of_unknown_version_is_not_taken_for_the_first(home: Library) -> None:
    """A paper that is cross-listed after its second version is never held as version 1."""
    world = SmallWorld(TUESDAY, WEDNESDAY)
    world.older("2601.00001", ("math.XX",))
    world.replace("2601.00001", TUESDAY)
    world.cross_list("2601.00001", "cs.XA", WEDNESDAY)
    faults = Scripted(script={"oai": "503", "api": "503", "feed": "503"})
    report, _ = run(home, world, WEDNESDAY, faults)
    assert on(report, WEDNESDAY).text.startswith("partial: announced 1, held 0, 1 pending")
    run(home, world, WEDNESDAY, hours=5.5)
    with home.read() as conn:
        assert papers.find(conn, "2601.00001")[1].version == 2


def test_a_withdrawn_paper_is_marked(home: Library) -> None:
    """B20: the last version's comment says so; earlier versions stay."""
    world = SmallWorld(TUESDAY, WEDNESDAY)
    world.paper("2611.00007", TUESDAY)
    run(home, world, TUESDAY)
    world.replace("2611.00007", WEDNESDAY, "This paper has been withdrawn by the authors")
    run(home, world, WEDNESDAY)
    with home.read() as conn:
        key, paper = papers.find(conn, "2611.00007")
        states = [v.withdrawn for v in papers.versions(conn, key)]
    assert paper.withdrawn
    assert states == [False, True]


def test_a_list_that_ends_early_is_no_success(home: Library) -> None:
    """B22: an empty token after 120 of 150 records: the rest is pending, and the report says why."""
    world = SmallWorld(TUESDAY)
    for number in range(150):
        world.paper(f"2611.{number:05}", TUESDAY)
    faults = Scripted(script={"oai": "short", "api": "503", "feed": "503"})
    report, _ = run(home, world, TUESDAY, faults, abstracts=False)
    count = on(report, TUESDAY)
    assert (count.state, count.held.total, count.pending) == ("partial", 120, 30)
    assert "arxiv: OAI-PMH ended after 120 of 150 records." in report.notices
    report, sources = run(home, world, TUESDAY, hours=5.5, abstracts=False)
    [asked, *_] = [line for line in sources.asked if line.startswith("/oai")]
    assert "from=2026-11-02" in asked
    assert on(report, TUESDAY).text == "complete: announced 150, held 150"


def test_a_dated_wait_and_an_empty_list_are_no_accidents(home: Library) -> None:
    """B23: Retry-After as a date is waited for; noRecordsMatch is an empty answer."""
    world = SmallWorld(MONDAY, TUESDAY)
    world.paper("2611.00001", MONDAY)
    run(home, world, MONDAY)
    report, _ = run(home, world, TUESDAY, Scripted(script={"oai": ["429 date"]}))
    assert report.notices == ()
    assert on(report, MONDAY).text == "complete: announced 1, held 1"


def test_error_entries_are_never_papers(home: Library) -> None:
    """B25: the API answers 200 with an entry called Error: nothing of it is stored, the paper is pending."""
    world = SmallWorld(TUESDAY)
    world.paper("2611.00001", TUESDAY)
    faults = Scripted(script={"oai": "503", "feed": "503", "api": "error entry"})
    report, _ = run(home, world, TUESDAY, faults, abstracts=False)
    assert on(report, TUESDAY).pending == 1
    with home.read() as conn:
        assert papers.count(conn) == 0


def test_a_run_over_days_offline_calls_nothing_late(home: Library) -> None:
    """Back after four days, all four are fetched at once: each whole, none late."""
    world = SmallWorld(MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY)
    for number, day in enumerate(world.days):
        world.paper(f"2611.0000{number}", day)
    run(home, world, MONDAY)
    report, _ = run(home, world, FRIDAY)
    assert [on(report, day).late for day in world.days] == [0] * 5
    assert {on(report, day).state for day in world.days} == {"complete"}


def test_an_archive_can_be_followed_whole(home: Library) -> None:
    """``math`` stands for all of its categories; what is primary elsewhere is a cross-list."""
    world = SmallWorld(TUESDAY, names=("math.XX", "math.YY", "cs.XA"))
    world.paper("2611.00001", TUESDAY, ("math.XX", "math.YY"))
    world.paper("2611.00002", TUESDAY, ("cs.XA", "math.YY"))
    report, _ = run(home, world, TUESDAY, categories=("math",))
    assert on(report, TUESDAY, "math").held == KindCounts(1, 1, 0, None)


def test_a_complete_day_that_could_not_be_asked_again_says_as_of_when(home: Library) -> None:
    """Within its first week a day may still grow: a claim that was not looked at now carries its time."""
    world = SmallWorld(TUESDAY, WEDNESDAY)
    world.paper("2611.00001", TUESDAY)
    world.paper("2611.00002", WEDNESDAY)
    run(home, world, TUESDAY)
    report, _ = run(home, world, WEDNESDAY, Scripted(script={"catchup": "404"}))
    assert on(report, TUESDAY).text == "complete: announced 1, held 1 (as of 2026-11-10 05:00 UTC)"


def test_looking_back_finds_what_was_missed_for_a_week(home: Library) -> None:
    """A late paper is found even if the day could not be asked about for its whole look-back."""
    world = SmallWorld(MONDAY, *(MONDAY + timedelta(days=n) for n in range(7, 12)))
    world.paper("2611.00001", MONDAY)
    run(home, world, MONDAY)
    world.paper("2611.00002", MONDAY)
    for day in world.days[1:4]:
        world.paper(f"2611.1{day.day:04}", day)
        run(home, world, day, Scripted(script={"catchup": "404"}))
    report, _ = run(home, world, world.days[5])
    assert on(report, MONDAY).text == "complete: announced 2, held 2 (1 came late)"
