"""arXiv's query API: recorded answers from the payloads, and answers written by hand in the same form."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from broadsheet.errors import BadAnswer, NotBefore, Unreachable
from broadsheet.sources.arxiv import api
from broadsheet.sources.batches import PaperBatch
from sources.served import Served, pages

API = "https://export.arxiv.org/api/query"
WINDOW = (datetime(2031, 1, 1, tzinfo=UTC), datetime(2031, 1, 3, 23, 59, tzinfo=UTC))


def feed(total: int, start: int, *numbers: str, entries: str = "") -> str:
    written = "".join(
        f"""<entry><id>http://arxiv.org/abs/{number}v1</id><title>On {number}</title>
<published>2031-01-01T10:00:00Z</published><updated>2031-01-01T10:00:00Z</updated><summary>Words.</summary>
<author><name>Ada Quill</name></author>
<arxiv:primary_category term="cs.LG"/><category term="cs.LG"/></entry>"""
        for number in numbers
    )
    return f"""<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom"
 xmlns="http://www.w3.org/2005/Atom"><id>https://arxiv.org/api/x</id>
<opensearch:totalResults>{total}</opensearch:totalResults>
<opensearch:startIndex>{start}</opensearch:startIndex>{written}{entries}</feed>"""


ERROR = """<entry><id>https://arxiv.org/api/errors#incorrect_id_format_for_x</id><title>Error</title>
<summary>incorrect id format for x</summary><author><name>arXiv api core</name></author></entry>"""


def numbers(first: int, count: int) -> list[str]:
    return [f"3101.{number:05}" for number in range(first, first + count)]


def held(batches: list[PaperBatch]) -> list[str]:
    return [arrival.paper.id.removeprefix("arxiv:") for batch in batches for arrival in batch.arrivals]


def whole(papers: list[str], most: int = 100) -> Callable[[httpx.URL], str]:
    """A server that holds these papers and gives at most so many a page."""

    def reply(url: httpx.URL) -> str:
        start = int(url.params["start"])
        size = min(int(url.params["max_results"]), most)
        return feed(len(papers), start, *papers[start : start + size])

    return reply


def by_day(days: dict[str, list[str]]) -> Callable[[httpx.URL], str]:
    """A server whose papers came in at ten o'clock of their days."""

    def reply(url: httpx.URL) -> str:
        since, until = url.params["search_query"].split("[")[1].rstrip("]").split(" TO ")
        return whole([n for day, papers in days.items() if since <= f"{day}1000" <= until for n in papers])(
            url
        )

    return reply


@pytest.mark.data
def test_recorded_answers(evaluation_data: Path) -> None:
    folder = evaluation_data / "payloads/arxiv_api"
    old = api.parse((folder / "old_style_id.xml").read_bytes())
    (paper,) = [arrival.paper for arrival in old.arrivals]
    assert paper.id == "arxiv:astro-ph/0601001"
    assert paper.submitted == datetime(2006, 1, 2, 14, 57, 58, tzinfo=UTC)
    assert paper.journal_ref == "ActaAstron.56:1-50,2006"
    assert [author.name for author in paper.authors][:2] == ["Andrew Gould", "Susan Dorsher"]
    assert paper.authors[0].affiliation == "Ohio State"
    assert (paper.version, paper.categories, paper.withdrawn) == (1, ("astro-ph",), False)
    large = api.parse((folder / "query_100.xml").read_bytes())
    assert len({arrival.paper.id for arrival in large.arrivals}) == large.entries == 100
    assert api.parse((folder / "empty_result.xml").read_bytes()).total == 0
    error = api.parse((folder / "error_entry.xml").read_bytes())
    assert (error.arrivals, error.total) == ((), 0)
    assert error.errors == ("arXiv's API reports: incorrect id format for abc",)


@pytest.mark.data
def test_an_unknown_identifier_is_named_as_missing(evaluation_data: Path) -> None:
    body = (evaluation_data / "payloads/arxiv_api/one_unknown_one_known.xml").read_bytes()
    (batch,) = api.by_ids(pages(body, feed(0, 0)).client(), API, ["arxiv:0808.05394", "arxiv:1707.08567"])
    assert [arrival.paper.id for arrival in batch.arrivals] == ["arxiv:1707.08567"]
    assert (batch.missing, batch.complete) == (("arxiv:0808.05394",), False)


def test_ids_are_asked_for_by_the_hundred_and_each_batch_stands_alone() -> None:
    """Three batches, the third always 429: the first two are handed over before the fault."""
    asked = [f"arxiv:{number}" for number in numbers(1, 220)]

    def reply(url: httpx.URL) -> str | httpx.Response:
        wanted = url.params["id_list"].split(",")
        return feed(len(wanted), 0, *wanted) if len(wanted) == 100 else httpx.Response(429)

    batches = api.by_ids(Served(reply).client(), API, asked)
    stored = [next(batches), next(batches)]
    with pytest.raises((NotBefore, Unreachable)):
        next(batches)
    assert held(stored) == numbers(1, 200)


def test_an_error_entry_with_status_200_is_never_a_paper() -> None:
    served = Served(lambda _: feed(2, 0, "3101.00001", entries=ERROR))
    (batch,) = api.by_ids(served.client(), API, ["arxiv:3101.00001", "arxiv:3101.00002"])
    assert held([batch]) == ["3101.00001"]
    assert batch.missing == ("arxiv:3101.00002",)
    assert "incorrect id format for x" in batch.notes[0]


def test_an_identifier_that_spoils_its_batch_is_found_and_the_others_are_kept() -> None:
    def reply(url: httpx.URL) -> str | httpx.Response:
        wanted = url.params["id_list"].split(",")
        return httpx.Response(400) if "3101.00003" in wanted else feed(len(wanted), 0, *wanted)

    batches = list(api.by_ids(Served(reply).client(), API, [f"arxiv:{n}" for n in numbers(1, 5)]))
    assert sorted(held(batches)) == ["3101.00001", "3101.00002", "3101.00004", "3101.00005"]
    assert [paper_id for batch in batches for paper_id in batch.missing] == ["arxiv:3101.00003"]


def test_an_id_batch_that_came_short_is_completed() -> None:
    served = pages(feed(3, 0, "3101.00001"), feed(2, 0, "3101.00002", "3101.00003"))
    (batch,) = api.by_ids(served.client(), API, [f"arxiv:{n}" for n in numbers(1, 3)])
    assert held([batch]) == numbers(1, 3)
    assert batch.complete
    assert served.asked[1].params["id_list"] == "3101.00002,3101.00003"


def test_a_total_that_is_a_multiple_of_the_page_needs_no_extra_page() -> None:
    """50 papers, 25 a page: two requests."""
    served = Served(whole(numbers(1, 50), most=25))
    assert held(list(api.by_date(served.client(), API, "cs.LG", WINDOW))) == numbers(1, 50)
    assert len(served.asked) == 2
    assert (
        served.asked[0].params["search_query"] == "cat:cs.LG AND submittedDate:[203101010000 TO 203101032359]"
    )


def test_a_short_last_page_is_accepted() -> None:
    served = Served(whole(numbers(1, 137)))
    assert len(held(list(api.by_date(served.client(), API, "cs.LG", WINDOW)))) == 137
    assert len(served.asked) == 2


def test_an_empty_page_before_the_total_is_asked_for_again() -> None:
    served = pages(
        feed(250, 0, *numbers(1, 100)),
        feed(250, 100),
        feed(250, 100, *numbers(101, 100)),
        feed(250, 200, *numbers(201, 50)),
    )
    batches = list(api.by_date(served.client(), API, None, WINDOW))
    assert held(batches) == numbers(1, 250)
    assert batches[-1].complete


def test_a_page_that_stays_empty_is_a_hole_with_its_range_and_never_the_end() -> None:
    def reply(url: httpx.URL) -> str:
        start = int(url.params["start"])
        return feed(250, start, *(numbers(1, 100) if start == 0 else []))

    batches = list(api.by_date(Served(reply).client(), API, None, WINDOW))
    assert sorted(set(held(batches))) == numbers(1, 100)
    assert not batches[-1].complete
    notes = [note for batch in batches for note in batch.notes]
    assert any("empty page at 100 of 250" in note for note in notes)
    assert any("served 100 of 250" in note for note in notes)


def test_large_windows_are_halved_until_they_are_small() -> None:
    """1,600 papers in three days, none of the parts above 1,000; every paper once or more, none lost."""
    days = {"20310101": numbers(1, 700), "20310102": numbers(1001, 700), "20310103": numbers(2001, 200)}
    batches = list(api.by_date(Served(by_day(days)).client(), API, None, WINDOW))
    assert sorted(held(batches)) == sorted(n for held in days.values() for n in held)
    assert max(batch.total or 0 for batch in batches) <= 1000
    assert batches[-1].state is None


def test_two_passes_that_differ_are_united_and_told() -> None:
    """The first pass gives 98 of 100 papers twice over, the second all."""
    papers = numbers(1, 100)
    served = pages(feed(100, 0, *papers[:98], *papers[:2]), feed(100, 0, *papers))
    batches = list(api.by_date(served.client(), API, None, WINDOW))
    assert sorted(set(held(batches))) == papers
    assert batches[-1].complete
    assert batches[-1].notes[0].endswith("differ: 98 papers, then 2 more.")


def test_a_run_goes_on_with_the_windows_that_were_not_finished() -> None:
    """Stopped after the first of two windows (700 papers in 7 pages), the second run asks for the other."""
    reply = by_day({"20310101": numbers(1, 700), "20310103": numbers(2001, 500)})
    batches = list(api.by_date(Served(reply).client(), API, None, WINDOW))
    assert held(batches[:8]) == numbers(1, 700)
    state = batches[7].state
    assert state
    assert held(list(api.by_date(Served(reply).client(), API, None, WINDOW, state))) == numbers(2001, 500)


@pytest.mark.parametrize(
    "body", [b"", b"Rate limited", b"<feed/>", feed(3, 0, "3101.00001").encode()[:-9], b"\x00"]
)
def test_what_is_no_result_feed_is_refused(body: bytes) -> None:
    with pytest.raises(BadAnswer):
        api.parse(body)


def test_a_withdrawn_last_version_is_marked() -> None:
    entry = """<entry><id>http://arxiv.org/abs/3101.00009v3</id><title>Gone</title><summary>Words.</summary>
<published>2031-01-01T10:00:00Z</published><updated>2031-02-01T10:00:00Z</updated>
<arxiv:comment>This paper has been withdrawn by the authors</arxiv:comment></entry>"""
    (arrival,) = api.parse(feed(1, 0, entries=entry).encode()).arrivals
    assert (arrival.paper.withdrawn, arrival.paper.version) == (True, 3)
