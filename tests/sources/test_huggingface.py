"""Hugging Face Daily Papers: archived answers of the payloads, and answers written by hand in their form."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import httpx
import pytest

from broadsheet.errors import BadAnswer
from broadsheet.papers import Announcement, Signal
from broadsheet.sources import huggingface
from sources.served import Served, pages

URL = "https://huggingface.co/api/daily_papers"
NOW = datetime(2031, 6, 6, 12, 0, tzinfo=UTC)


def entry(number: str, featured: str | None = None, upvotes: int = 3) -> dict[str, object]:
    paper: dict[str, object] = {
        "id": number,
        "title": f"On {number}",
        "summary": "Words.",
        "authors": [{"name": "Ada Quill", "hidden": False}],
        "publishedAt": "2031-06-03T00:00:00.000Z",
        "upvotes": upvotes,
    }
    if featured:
        paper["submittedOnDailyAt"] = f"{featured}T00:00:00.000Z"
    return {"paper": paper, "publishedAt": "2031-06-02T20:00:00.000Z", "title": f"On {number}"}


def body(*entries: dict[str, object]) -> str:
    return json.dumps(entries)


def days(featured: huggingface.Featured) -> list[tuple[str, date]]:
    return [(a.paper_id, a.day) for arrival in featured.arrivals for a in arrival.announcements]


@pytest.mark.data
def test_the_present_form(evaluation_data: Path) -> None:
    content = (evaluation_data / "payloads/hf_daily_papers/2026-08-20_first4.json").read_bytes()
    featured = huggingface.parse(content, date(2026, 8, 20), NOW)
    assert len(featured.arrivals) == 4
    first = featured.arrivals[0]
    assert first.paper.id == "arxiv:2608.16590"
    assert first.paper.submitted == datetime(2026, 8, 17, tzinfo=UTC)
    assert first.paper.links.code == "https://github.com/air-embodied-brain/Zetta-Embodiment"
    assert first.paper.links.project == "https://air-embodied-brain.github.io/zetta/"
    assert [author.name for author in first.paper.authors][:2] == ["Xin Ding", "Liang Mi"]
    assert first.announcements == (
        Announcement("arxiv:2608.16590", "huggingface", "daily", date(2026, 8, 20), "featured", None, NOW),
    )
    assert first.signals == (
        Signal("arxiv:2608.16590", "upvotes", 92.0, NOW),
        Signal("arxiv:2608.16590", "stars", 152.0, NOW),
    )


@pytest.mark.data
def test_the_older_form_takes_the_day_that_was_asked_for(evaluation_data: Path) -> None:
    content = (evaluation_data / "payloads/hf_daily_papers/2024-05-27_first3.json").read_bytes()
    featured = huggingface.parse(content, date(2024, 5, 27), NOW)
    assert days(featured) == [
        ("arxiv:2405.15738", date(2024, 5, 27)),
        ("arxiv:2405.15574", date(2024, 5, 27)),
        ("arxiv:2405.15071", date(2024, 5, 27)),
    ]


@pytest.mark.data
def test_an_archives_own_wrapper_is_refused(evaluation_data: Path) -> None:
    content = (evaluation_data / "payloads/hf_daily_papers/odd_wrapper_2025-01-10.json").read_bytes()
    with pytest.raises(BadAnswer):
        huggingface.parse(content, date(2025, 1, 10), NOW)


def test_a_paper_published_on_the_3rd_and_featured_on_the_6th_has_both_dates() -> None:
    """Whichever day is asked for, it was featured on the 6th."""
    served = Served(lambda _: body(entry("3106.00001", "2031-06-06")))
    for day in (date(2031, 6, 3), date(2031, 6, 6)):
        featured = huggingface.fetch_day(served.client(), URL, day, NOW)
        assert days(featured) == [("arxiv:3106.00001", date(2031, 6, 6))]
        assert featured.arrivals[0].paper.submitted == datetime(2031, 6, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fetch", "form"),
    [
        (huggingface.fetch_day, {"date": "2031-06-06"}),
        (huggingface.fetch_week, {"week": "2031-W23"}),
        (huggingface.fetch_month, {"month": "2031-06"}),
    ],
)
def test_each_form_of_asking(fetch: type(huggingface.fetch_day), form: dict[str, str]) -> None:
    served = Served(lambda _: body(entry("3106.00001", "2031-06-05"), entry("3106.00002")))
    featured = fetch(served.client(), URL, date(2031, 6, 6), NOW)
    assert dict(served.asked[0].params) == {**form, "limit": "100", "p": "0"}
    known = [("arxiv:3106.00001", date(2031, 6, 5))]
    assert days(featured) == (known + [("arxiv:3106.00002", date(2031, 6, 6))] if "date" in form else known)


def test_a_day_that_filled_up_gives_the_later_papers_too() -> None:
    """Polled with one paper, and an hour later with 28."""
    full = [entry(f"3106.{number:05}", "2031-06-06") for number in range(1, 29)]
    served = pages(body(full[0]), body(*full))
    client = served.client()
    early = huggingface.fetch_day(client, URL, date(2031, 6, 6), NOW)
    late = huggingface.fetch_day(client, URL, date(2031, 6, 6), NOW)
    assert (len(early.arrivals), len(late.arrivals)) == (1, 28)


def test_pages_go_on_where_a_limit_may_have_cut_them() -> None:
    """A server that gives 30 a page whatever is asked for: 30, 30, 5."""
    papers = [entry(f"3106.{number:05}", "2031-06-06") for number in range(65)]
    served = Served(lambda url: body(*papers[30 * int(url.params["p"]) :][:30]))
    assert len(huggingface.fetch_day(served.client(), URL, date(2031, 6, 6), NOW).arrivals) == 65
    assert len(served.asked) == 3


def test_a_server_that_ignores_the_page_is_asked_twice_at_most() -> None:
    papers = [entry(f"3106.{number:05}", "2031-06-06") for number in range(20)]
    served = Served(lambda _: body(*papers))
    assert len(huggingface.fetch_day(served.client(), URL, date(2031, 6, 6), NOW).arrivals) == 20
    assert len(served.asked) == 2


def test_an_entry_that_is_no_paper_of_arxivs_is_named() -> None:
    featured = huggingface.parse(
        body(entry("not-an-id"), entry("3106.00001")).encode(), date(2031, 6, 6), NOW
    )
    assert len(featured.arrivals) == 1
    assert featured.notes == ("Daily Papers: the entry 'not-an-id' has no id of arXiv's.",)


@pytest.mark.parametrize("sent", ["", "{}", '{"error": "Rate limited"}', "<html></html>", '[{"paper"', "[1]"])
def test_what_is_no_list_of_papers_is_refused(sent: str) -> None:
    with pytest.raises(BadAnswer):
        huggingface.parse(sent.encode(), date(2031, 6, 6), NOW)


def test_a_bare_host_as_address_is_completed() -> None:
    served = Served(lambda _: httpx.Response(200, text="[]"))
    huggingface.fetch_day(served.client(), "http://127.0.0.1:9", date(2031, 6, 6), NOW)
    assert served.asked[0].path == "/api/daily_papers"
