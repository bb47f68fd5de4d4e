"""bioRxiv and medRxiv: one record as it was quoted in the payloads, pages written by hand in that form."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import httpx
import pytest

from broadsheet.errors import BadAnswer
from broadsheet.papers import Announcement
from broadsheet.sources import rxiv
from broadsheet.sources.batches import PaperBatch
from sources.served import Served, pages

URL = "https://api.biorxiv.org/details/biorxiv"
DAYS = (date(2031, 1, 1), date(2031, 1, 2))
NOW = datetime(2031, 1, 3, 6, 0, tzinfo=UTC)


def record(number: int, version: int = 1, **given: str) -> dict[str, str]:
    return {
        "doi": f"10.64898/2031.01.01.{number:06}",
        "title": f"On {number}",
        "authors": "Quill, A.; Feather, B. C.",
        "date": "2031-01-01",
        "version": str(version),
        "category": "cell biology",
        "abstract": "Words.",
        "type": "new results",
        "published": "NA",
        "server": "bioRxiv",
    } | given


def page(total: int, *records: dict[str, str]) -> str:
    message = {"status": "ok", "cursor": 0, "count": len(records), "total": str(total)}
    return json.dumps({"messages": [message], "collection": records})


NOTHING = json.dumps({"messages": [{"status": "no posts found"}], "collection": []})


def stored(total: int, promised: int, page_length: int) -> Served:
    """A server with so many records, which promises perhaps more."""
    records = [record(number) for number in range(total)]

    def reply(url: httpx.URL) -> str:
        cursor = int(url.path.split("/")[-2])
        part = records[cursor : cursor + page_length]
        return page(promised, *part) if part else NOTHING

    return Served(reply)


def ids(batches: list[PaperBatch]) -> list[str]:
    return [arrival.paper.id for batch in batches for arrival in batch.arrivals]


@pytest.mark.data
def test_a_quoted_record(evaluation_data: Path) -> None:
    answer = rxiv.parse(
        (evaluation_data / "payloads/biorxiv/details_excerpt.json").read_bytes(), "biorxiv", NOW
    )
    assert (answer.total, answer.size) == (109, 1)
    (arrival,) = answer.arrivals
    paper = arrival.paper
    assert (paper.id, paper.version) == ("doi:10.64898/2026.07.31.741992", 1)
    assert [author.name for author in paper.authors] == ["M. Loconsole", "C. Xue", "E. Garcia-Pelegrin"]
    assert (paper.authors[0].family, paper.categories) == ("Loconsole", ("animal behavior and cognition",))
    assert (paper.submitted, paper.source) == (datetime(2026, 8, 1, tzinfo=UTC), "biorxiv")
    assert arrival.announcements == (
        Announcement(paper.id, "biorxiv", paper.categories[0], date(2026, 8, 1), "new", 1, NOW),
    )


@pytest.mark.parametrize("page_length", [100, 30])
def test_all_pages_are_read_to_the_total(page_length: int) -> None:
    """212 records: three pages of a hundred, or eight of thirty."""
    served = stored(212, 212, page_length)
    batches = list(rxiv.fetch(served.client(), URL, "biorxiv", DAYS, NOW))
    assert len(set(ids(batches))) == 212
    assert len(served.asked) == (3 if page_length == 100 else 8)
    assert served.asked[0].path == "/details/biorxiv/2031-01-01/2031-01-02/0/json"
    assert (batches[-1].state, batches[-1].complete) == (None, True)


def test_fewer_than_promised_end_cleanly_and_are_said() -> None:
    """12 are promised, 11 served; asked past them the service finds nothing."""
    batches = list(rxiv.fetch(stored(11, 12, 10).client(), URL, "biorxiv", DAYS, NOW))
    assert len(ids(batches)) == 11
    assert batches[-1].notes == ("biorxiv 2031-01-01 to 2031-01-02: 11 of 12 served.",)
    assert (batches[-1].complete, batches[-1].state) == (False, None)


def test_a_day_without_posts_is_complete() -> None:
    (batch,) = rxiv.fetch(Served(lambda _: NOTHING).client(), URL, "medrxiv", DAYS, NOW)
    assert (batch.arrivals, batch.complete, batch.notes) == ((), True, ())


def test_an_empty_body_with_status_200_is_asked_for_again() -> None:
    served = pages("", page(1, record(1)))
    assert len(ids(list(rxiv.fetch(served.client(), URL, "biorxiv", DAYS, NOW)))) == 1
    with pytest.raises(BadAnswer, match="empty"):
        list(rxiv.fetch(Served(lambda _: "").client(), URL, "biorxiv", DAYS, NOW))


def test_a_run_goes_on_after_the_last_stored_page() -> None:
    first = next(rxiv.fetch(stored(25, 25, 10).client(), URL, "biorxiv", DAYS, NOW))
    served = stored(25, 25, 10)
    rest = list(rxiv.fetch(served.client(), URL, "biorxiv", DAYS, NOW, first.state))
    assert len(ids(rest)) == 15
    assert served.asked[0].path.endswith("/10/json")


def test_a_published_preprint_names_its_twin_and_a_second_version_is_a_replacement() -> None:
    answer = rxiv.parse(page(1, record(7, 2, published="10.1091/mbc.E25")).encode(), "biorxiv", NOW)
    (arrival,) = answer.arrivals
    assert (arrival.paper.id, arrival.paper.doi) == ("doi:10.64898/2031.01.01.000007", "10.1091/mbc.e25")
    assert (arrival.announcements[0].kind, arrival.announcements[0].version) == ("replace", 2)


def test_fields_are_read_by_name_and_markup_goes() -> None:
    """The abstract has JATS and mathematics; the record's keys stand in another order."""
    turned = dict(
        reversed(
            record(1, abstract="<jats:p>If <jats:italic>p</jats:italic> &lt; 1, $a<b$.</jats:p>").items()
        )
    )
    (arrival,) = rxiv.parse(page(1, turned).encode(), "biorxiv", NOW).arrivals
    assert arrival.paper.abstract == "If p < 1, $a<b$."


def test_a_record_without_doi_is_named_and_counted_as_served() -> None:
    answer = rxiv.parse(page(2, record(1), record(2, doi="")).encode(), "biorxiv", NOW)
    assert (len(answer.arrivals), answer.size, len(answer.notes)) == (1, 2, 1)


@pytest.mark.parametrize(
    "sent", ["", "[]", "{}", "<html>", '{"messages": [{"status": "error"}], "collection": []}', page(1)[:-3]]
)
def test_what_is_no_answer_of_the_service_is_refused(sent: str) -> None:
    with pytest.raises(BadAnswer):
        rxiv.parse(sent.encode(), "biorxiv", NOW)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9", "http://127.0.0.1:9/details", "http://127.0.0.1:9/details/biorxiv/"]
)
def test_a_shorter_address_is_completed(url: str) -> None:
    served = Served(lambda _: NOTHING)
    list(rxiv.fetch(served.client(), url, "biorxiv", DAYS, NOW))
    assert served.asked[0].path == "/details/biorxiv/2031-01-01/2031-01-02/0/json"
