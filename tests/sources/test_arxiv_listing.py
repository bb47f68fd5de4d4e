"""arXiv's listing and catch-up pages, written by hand in the published form: counts, kinds, days, pages."""

from datetime import UTC, date, datetime

import httpx
import pytest

from broadsheet.errors import BadAnswer
from broadsheet.papers import KindCounts
from broadsheet.sources.arxiv import catchup, listing
from sources.served import Served, pages


def entry(number: str, primary: str = "cs.LG", others: str = "", mark: str = "", abstract: str = "") -> str:
    words = f"<p class='mathjax'>{abstract}</p>" if abstract else ""
    more = "".join(f"; Field ({other})" for other in others.split())
    return f"""<dt><a name='item1'>[1]</a>
<a href ="/abs/{number}" title="Abstract" id="{number}">arXiv:{number}</a> {mark}
[<a href="/pdf/{number}" title="Download PDF">pdf</a>, <a href="/format/{number}">other</a>]</dt>
<dd><div class='meta'>
<div class='list-title mathjax'><span class='descriptor'>Title:</span> On {number}</div>
<div class='list-authors'><a href="https://arxiv.org/a/x">Ada Quill</a>, <a href="/b">Bo Feather</a></div>
<div class='list-comments mathjax'><span class='descriptor'>Comments:</span> 9 pages</div>
<div class='list-subjects'><span class='descriptor'>Subjects:</span>
<span class="primary-subject">Field ({primary})</span>{more}</div>{words}</div></dd>"""


def section(title: str, shown: int, announced: int, *entries: str) -> str:
    heading = f"<h3>{title} (showing {shown} of {announced} entries)</h3>"
    return f"<dl id='articles'>{heading}{''.join(entries)}</dl>"


def listing_page(*sections: str, day: str = "Thursday, 3 September 2026", total: int | None = None) -> bytes:
    paging = f"<div class='paging'>Total of {total} entries</div>" if total is not None else ""
    return f"""<!DOCTYPE html><html lang="en"><body><div id='dlpage'><h1>Machine Learning</h1>
<h3>Showing new listings for {day}</h3>{paging}{"".join(sections)}</div></body></html>""".encode()


NEW = section("New submissions", 2, 2, entry("2609.00001"), entry("2609.00002", others="cs.AI stat.ML"))
CROSS = section(
    "Cross submissions", 1, 1, entry("2609.00003", "math.OC", "cs.LG", "(cross-list from math.OC)")
)
REPLACED = section(
    "Replacement submissions",
    2,
    2,
    entry("2608.00004"),
    entry("2607.00005", "stat.ML", "cs.LG", "(replaced)"),
)


def test_counts_kinds_and_day_of_the_newest_batch() -> None:
    served = Served(lambda _: listing_page(NEW, CROSS, REPLACED, total=5))
    batch = listing.fetch_new(served.client(), "https://arxiv.org/list", "cs.LG")
    assert str(served.asked[0]) == "https://arxiv.org/list/cs.LG/new?show=2000"
    assert len(served.asked) == 1
    assert (batch.day, batch.counts, batch.total) == (date(2026, 9, 3), KindCounts(2, 1, 2, None), 5)
    assert [(e.id, e.kind, e.position) for e in batch.entries] == [
        ("arxiv:2609.00001", "new", 1),
        ("arxiv:2609.00002", "new", 2),
        ("arxiv:2609.00003", "cross", 3),
        ("arxiv:2608.00004", "replace", 4),
        ("arxiv:2607.00005", "replace-cross", 5),
    ]
    assert [e.paper for e in batch.entries] == [None] * 5
    assert batch.notes == ()


def test_a_listing_over_two_pages_is_read_whole() -> None:
    one = listing_page(section("New submissions", 1, 2, entry("2609.00001")))
    two = listing_page(section("New submissions", 1, 2, entry("2609.00002")), CROSS)
    served = pages(one, two)
    batch = listing.fetch_new(served.client(), "https://arxiv.org/list", "cs.LG")
    assert [e.id for e in batch.entries] == ["arxiv:2609.00001", "arxiv:2609.00002", "arxiv:2609.00003"]
    assert batch.counts == KindCounts(2, 1, 0, None)
    assert served.asked[1].params["skip"] == "1"


def test_a_section_that_shows_less_than_it_says_is_asked_for_again() -> None:
    cut = listing_page(section("New submissions", 2, 2, entry("2609.00001")))
    served = pages(cut, listing_page(NEW))
    batch = listing.fetch_new(served.client(), "https://arxiv.org/list", "cs.LG")
    assert batch.counts == KindCounts(2, 0, 0, None)
    assert len(served.asked) == 2


def test_entries_that_are_announced_but_never_served_are_said() -> None:
    """The heading says 3, one page shows 2 of them and the next none."""
    two = section("New submissions", 2, 3, entry("2609.00001"), entry("2609.00002"))
    served = pages(listing_page(two), listing_page())
    batch = listing.fetch_new(served.client(), "https://arxiv.org/list", "cs.LG")
    assert batch.counts == KindCounts(3, 0, 0, None)
    assert batch.notes == ("cs.LG 2026-09-03: 2 of 3 entries were served.",)


def test_a_day_without_entries_has_counts_of_zero() -> None:
    batch = listing.fetch_new(Served(lambda _: listing_page()).client(), "https://arxiv.org/list", "cs.XA")
    assert (batch.counts, batch.entries) == (KindCounts(0, 0, 0, None), ())


def test_recent_has_a_batch_for_each_day() -> None:
    body = f"""<html><body><div id='dlpage'><h1>Machine Learning</h1><dl id='articles'>
<h3>Fri, 2 Oct 2026 (showing 2 of 2 entries )</h3>{entry("2610.00002")}
{entry("2610.00003", "math.OC", "cs.LG", "(cross-list from math.OC)")}
<h3>Thu, 1 Oct 2026 (showing 1 of 4 entries )</h3>{entry("2610.00001")}</dl></div></body></html>"""
    batches = listing.fetch_recent(Served(lambda _: body).client(), "https://arxiv.org/list", "cs.LG")
    assert [(b.day, b.total, b.counts) for b in batches] == [
        (date(2026, 10, 2), 2, None),
        (date(2026, 10, 1), 4, None),
    ]
    assert [e.kind for e in batches[0].entries] == ["new", "cross"]
    assert batches[1].notes == ("cs.LG 2026-10-01: 1 of 4 entries were served.",)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body><h1>403 Forbidden</h1></body></html>",
        listing_page(NEW)[:-20],
        b"Rate exceeded.",
        listing_page(NEW, day="the day after"),
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_whole_listing_is_refused(body: bytes) -> None:
    with pytest.raises(BadAnswer):
        listing.parse_new(body, "cs.LG")


def test_catch_up_gives_a_past_day_with_abstracts() -> None:
    new = section(
        "New submissions", 1, 1, entry("2609.00001", others="cs.AI", abstract="For $a&lt;b$ we show.")
    )
    served = Served(lambda _: listing_page(new, REPLACED))
    batch = catchup.fetch(served.client(), "https://arxiv.org/catchup", "cs", date(2026, 9, 3))
    assert str(served.asked[0]) == "https://arxiv.org/catchup/cs/2026-09-03?abs=True"
    assert batch.counts == KindCounts(1, 0, 2, None)
    paper = batch.entries[0].paper
    assert paper
    assert (paper.title, paper.abstract, paper.comment) == ("On 2609.00001", "For $a<b$ we show.", "9 pages")
    assert [author.name for author in paper.authors] == ["Ada Quill", "Bo Feather"]
    assert paper.categories == ("cs.LG", "cs.AI")
    assert [e.kind for e in batch.entries] == ["new", "replace", "replace-cross"]


def test_catch_up_goes_on_over_pages() -> None:
    one = listing_page(section("New submissions", 1, 1, entry("2609.00001")), total=3)
    two = listing_page(
        section("Cross submissions (continued)", 2, 2, entry("2609.00002"), entry("2609.00003")), total=3
    )
    served = pages(one, two)
    batch = catchup.fetch(served.client(), "https://arxiv.org/catchup", "cs.LG", date(2026, 9, 3))
    assert batch.counts == KindCounts(1, 2, 0, None)
    assert [url.params.get("page") for url in served.asked] == [None, "2"]


def test_catch_up_of_another_day_than_asked_is_refused() -> None:
    with pytest.raises(BadAnswer, match="2026-09-03, not of 2026-09-02"):
        catchup.fetch(
            Served(lambda _: listing_page(NEW)).client(), "https://arxiv.org/catchup", "cs", date(2026, 9, 2)
        )


def test_catch_up_says_when_a_day_is_too_old() -> None:
    """At noon of December 1 in New York, September 2 is ninety days ago."""
    now = datetime(2026, 12, 1, 17, 0, tzinfo=UTC)
    assert catchup.reaches(date(2026, 9, 2), now)
    assert not catchup.reaches(date(2026, 9, 1), now)
    served = Served(lambda _: httpx.Response(400, text="Catchup only allowed for past 90 days"))
    with pytest.raises(BadAnswer) as refusal:
        catchup.fetch(served.client(), "https://arxiv.org/catchup", "cs", date(2026, 9, 1))
    assert refusal.value.status == 400
    assert len(served.asked) == 1
