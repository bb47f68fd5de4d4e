"""Daily Papers, bioRxiv and medRxiv: each day's number is the source's own, and never shrinks."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import httpx
import pytest
from tests.endurance.wire import transport
from tests.fake_sources.others import featured, rxiv_records
from tests.fake_sources.routes import Sources
from tests.fake_sources.world import World

from broadsheet.daily.harvest import harvest
from broadsheet.daily.plans import OtherPlan, SourceReport, Span
from broadsheet.daily.source_health import health
from broadsheet.library import papers
from broadsheet.library.database import Library
from broadsheet.papers import AnnouncementCount
from broadsheet.sources.http import Client, Clock, Manners

ADDRESSES = {
    "huggingface": "/api/daily_papers",
    "biorxiv": "/details",
    "medrxiv": "/details",
    "feeds": "/feed",
}
Answering = Callable[[httpx.Request], httpx.Response]


def run(
    library: Library,
    source: str,
    through: httpx.BaseTransport,
    now: datetime,
    span: Span = Span(),  # noqa: B008 - frozen
) -> SourceReport:
    manners = Manners(spacing=0.0, patience=120.0)
    clock = Clock(now=lambda: now, sleep=lambda seconds: None, random=lambda: 0.5)
    with Client(source, "nobody@broadsheet.invalid", manners, clock, through) as client:
        address = "http://made-up.invalid" + ADDRESSES[source]
        [report] = harvest(library, [OtherPlan(source, client, (address,))], span, now, lambda line: None)
    return report


def on(report: SourceReport, day: date) -> AnnouncementCount:
    [count] = [count for count in report.days if count.day == day]
    return count


def test_a_featured_day_fills_up_and_never_shrinks(world: World, sources: Sources, library: Library) -> None:
    """Asked in the morning it holds a few; asked again it holds all; votes are kept with their times."""
    day = world.days[3]
    morning = datetime(day.year, day.month, day.day, 2, tzinfo=UTC)
    sources.now = morning
    first = on(run(library, "huggingface", transport(sources), morning), day)
    evening = morning + timedelta(hours=20)
    sources.now = evening
    report = run(library, "huggingface", transport(sources), evening)
    second = on(report, day)
    assert (first.held.total, second.held.total) == (1, 8)
    assert second.text == "complete: announced 8, held 8"
    one = featured(world, day, evening)[0][0]
    with library.read() as conn:
        key, _ = papers.find(conn, one)
        votes = [(s.observed_at, s.value) for s in papers.signals(conn, key) if s.name == "upvotes"]
    assert votes == [(morning, 2.0), (evening, 3.0)]


def test_votes_are_asked_for_again_for_two_weeks(world: World, sources: Sources, library: Library) -> None:
    """Each run asks for the last fourteen days besides today."""
    now = world.mailings[world.days[9]]
    sources.now = now
    report = run(library, "huggingface", transport(sources), now)
    assert len(report.days) == 15
    saturday = next(count for count in report.days if count.day.weekday() == 5)
    assert saturday.text == "no announcement: weekend"


def test_all_pages_of_a_day_are_read(sources: Sources, library: Library) -> None:
    """A day of several pages is held whole: the total is the source's own."""
    days = [date(2026, 10, 1) + timedelta(days=n) for n in range(20)]
    day = max(days, key=lambda d: len(rxiv_records("biorxiv", d)))
    expected = len(rxiv_records("biorxiv", day))
    now = datetime(2026, 10, 20, 12, tzinfo=UTC)
    sources.now = now
    report = run(library, "biorxiv", transport(sources), now, Span(day, day))
    assert expected > 30
    assert on(report, day).text == f"complete: announced {expected}, held {expected}"


def rxiv_answer(served: int, total: int) -> Answering:
    """A server that promises ``total`` records, ten a page, and serves fewer."""

    def answer(request: httpx.Request) -> httpx.Response:
        cursor = int(request.url.path.split("/")[-2])
        records = [
            {
                "doi": f"10.1101/2031.01.01.{n:06}",
                "title": f"Counting cells, part {n}",
                "abstract": f"We count cells in {n} ways.",
                "authors": "Nord, A.; Sued, B.",
                "date": "2031-01-01",
                "version": "1",
                "category": "cell biology",
                "published": "NA",
            }
            for n in range(cursor, min(cursor + 10, served))
        ]
        if not records:
            return httpx.Response(200, json={"messages": [{"status": "no posts found"}], "collection": []})
        message = {"status": "ok", "total": str(total), "count": len(records), "cursor": cursor}
        return httpx.Response(200, json={"messages": [message], "collection": records})

    return answer


def test_a_source_that_serves_fewer_than_it_promises_is_partial(library: Library) -> None:
    """Total 12, 11 served, then "no posts found": it stops cleanly and says what is lacking."""
    now = datetime(2031, 1, 2, 12, tzinfo=UTC)
    day = date(2031, 1, 1)
    through = httpx.MockTransport(rxiv_answer(11, 12))
    count = on(run(library, "biorxiv", through, now, Span(day, day)), day)
    assert (count.state, count.held.total) == ("partial", 11)
    assert "11 of 12 served" in count.text


def test_a_published_day_never_shrinks(library: Library) -> None:
    """A second answer with one record does not take away the day's thirty."""
    now = datetime(2031, 1, 2, 12, tzinfo=UTC)
    day = date(2031, 1, 1)
    span = Span(day, day)
    run(library, "biorxiv", httpx.MockTransport(rxiv_answer(30, 30)), now, span)
    count = on(
        run(library, "biorxiv", httpx.MockTransport(rxiv_answer(1, 1)), now + timedelta(hours=1), span), day
    )
    assert count.text == "complete: announced 30, held 30"


def refusing(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("no such host", request=request)


def test_a_dead_optional_source_is_left_alone_for_a_while(library: Library) -> None:
    """After three runs without an answer it is not asked for an hour, and its health says so."""
    now = datetime(2031, 1, 2, 12, tzinfo=UTC)
    asked: list[str] = []

    def dead(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return refusing(request)

    for hour in range(3):
        report = run(library, "huggingface", httpx.MockTransport(dead), now + timedelta(hours=hour))
        assert not report.reached
    before = len(asked)
    report = run(library, "huggingface", httpx.MockTransport(dead), now + timedelta(hours=2, minutes=30))
    assert len(asked) == before
    assert report.notices == ("huggingface is not asked before 2031-01-02 15:00 UTC.",)
    with library.read() as conn:
        found = health(conn, "huggingface")
    assert found is not None
    assert (found.failures, found.not_before) == (3, datetime(2031, 1, 2, 15, tzinfo=UTC))


@pytest.mark.parametrize("asked_for", [date(2031, 6, 3), date(2031, 6, 6)])
def test_the_day_of_featuring_is_not_that_of_publishing(library: Library, asked_for: date) -> None:
    """Published on 3 June, featured on 6 June: both dates are kept, and only the sixth counts one."""
    entry = {
        "paper": {
            "id": "3106.00001",
            "title": "A map of maps",
            "summary": "We map maps.",
            "authors": [{"name": "Ada Quillfeather"}],
            "publishedAt": "2031-06-03T00:00:00.000Z",
            "submittedOnDailyAt": "2031-06-06T00:00:00.000Z",
            "upvotes": 7,
        }
    }

    def answer(request: httpx.Request) -> httpx.Response:
        wanted = request.url.params["date"]
        return httpx.Response(200, content=json.dumps([entry] if wanted == "2031-06-06" else []))

    now = datetime(2031, 6, 9, 12, tzinfo=UTC)
    report = run(library, "huggingface", httpx.MockTransport(answer), now, Span(asked_for, asked_for))
    assert on(report, asked_for).held.total == (1 if asked_for.day == 6 else 0)
    if asked_for.day == 6:
        with library.read() as conn:
            key, paper = papers.find(conn, "3106.00001")
            [announcement] = papers.announcements(conn, key)
        assert (paper.submitted, announcement.day) == (datetime(2031, 6, 3, tzinfo=UTC), asked_for)


def test_a_feed_is_a_category_of_its_own_and_quiet_days_are_quiet(sources: Sources, library: Library) -> None:
    """Three entries a day are held; a second reading announces none of them again."""
    now = datetime(2026, 10, 21, 12, tzinfo=UTC)
    sources.now = now
    report = run(library, "feeds", transport(sources), now)
    assert {count.category for count in report.days} == {"Made-up Letters"}
    assert on(report, date(2026, 10, 20)).text == "complete: announced 3, held 3"
    again = run(library, "feeds", transport(sources), now)
    assert again.days == report.days


def undated(request: httpx.Request) -> httpx.Response:
    item = "<item><title>On maps</title><link>https://doi.org/10.5555/1</link><guid>10.5555/1</guid></item>"
    body = f"<rss version='2.0'><channel><title>Letters</title>{item}</channel></rss>"
    return httpx.Response(200, content=body)


def test_an_entry_without_a_date_is_announced_once(library: Library) -> None:
    """It stands on the day on which it was first seen, and on no later one."""
    now = datetime(2031, 1, 2, 12, tzinfo=UTC)
    run(library, "feeds", httpx.MockTransport(undated), now)
    report = run(library, "feeds", httpx.MockTransport(undated), now + timedelta(days=1))
    assert on(report, now.date()).held.total == 1
    assert on(report, now.date() + timedelta(days=1)).text == "no announcement"


def test_a_feed_that_does_not_answer_is_missing_today(library: Library) -> None:
    """A dead feed is no quiet day."""
    now = datetime(2031, 1, 2, 12, tzinfo=UTC)
    report = run(library, "feeds", httpx.MockTransport(refusing), now)
    assert not report.reached
    assert on(report, now.date()).text == "expected one, got none, next try at 13:00 UTC"
