"""arXiv's feed. The documents are written by hand in the published form, but for the one named as a file
of the payloads (which its own project wrote by hand too)."""

from datetime import UTC, date, datetime
from pathlib import Path

import httpx
import pytest

from broadsheet.errors import BadAnswer
from broadsheet.papers import KindCounts
from broadsheet.sources.arxiv import feed
from broadsheet.sources.http import Validators
from sources.served import Served, pages

ITEM = """<item>
  <title>{title}</title>
  <link>https://arxiv.org/abs/{id}</link>
  <description>arXiv:{id}v{version} Announce Type: {kind}
Abstract: {abstract}</description>
  <guid isPermaLink="false">oai:arXiv.org:{id}v{version}</guid>
  <category>cs.LG</category><category>stat.ML</category>
  <pubDate>{date}</pubDate>
  <arxiv:announce_type>{kind}</arxiv:announce_type>
  <dc:rights>http://creativecommons.org/licenses/by/4.0/</dc:rights>
  <dc:creator>Ada Quill, Bo Feather, Jr., Ci Ink (Nib Institute, Oslo)</dc:creator>
</item>"""


def item(number: str, kind: str, version: int = 1, **given: str) -> str:
    fields = {
        "title": f"Paper {number}",
        "abstract": "Words.",
        "date": "Thu, 03 Sep 2026 00:00:00 -0400",
    } | given
    return ITEM.format(id=number, kind=kind, version=version, **fields)


def rss(*items: str, skip: str = "") -> bytes:
    return f"""<?xml version='1.0' encoding='UTF-8'?>
<rss xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0">
<channel><title>cs.LG updates on arXiv.org</title>
<lastBuildDate>Fri, 04 Sep 2026 04:00:05 +0000</lastBuildDate>
<pubDate>Fri, 04 Sep 2026 00:00:00 -0400</pubDate>
{skip}{"".join(items)}</channel></rss>""".encode()


ATOM = b"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns="http://www.w3.org/2005/Atom"><id>http://rss.arxiv.org/atom/math.OC</id>
<title>math.OC updates on arXiv.org</title><updated>2026-01-15T05:00:00.1+00:00</updated>
<entry><id>oai:arXiv.org:2601.00011v2</id><title>Bounds</title><updated>2026-01-15T05:00:00.1+00:00</updated>
<link href="https://arxiv.org/abs/2601.00011" rel="alternate" type="text/html"/>
<summary>arXiv:2601.00011v2 Announce Type: replace-cross
Abstract: For $a&lt;b$ and $c&gt;d$, cost \\$5.</summary>
<category term="cs.LG"/><category term="math.OC"/><published>2026-01-15T00:00:00-05:00</published>
<arxiv:announce_type>replace-cross</arxiv:announce_type><dc:creator>L\\'evy, P.</dc:creator></entry></feed>"""


def test_kinds_versions_and_texts_of_a_batch() -> None:
    page = feed.parse(
        rss(
            item("2609.00001", "new"),
            item("2608.00002", "cross"),
            item("2607.00003", "replace", 3),
            item("2606.00004", "replace-cross", 2),
        ),
        "cs.LG",
    )
    (batch,) = page.batches
    assert (batch.category, batch.day) == ("cs.LG", date(2026, 9, 3))
    assert [(e.id, e.version, e.kind, e.position) for e in batch.entries] == [
        ("arxiv:2609.00001", 1, "new", 1),
        ("arxiv:2608.00002", 1, "cross", 2),
        ("arxiv:2607.00003", 3, "replace", 3),
        ("arxiv:2606.00004", 2, "replace-cross", 4),
    ]
    assert batch.seen == KindCounts(1, 1, 1, 1)
    paper = batch.entries[0].paper
    assert paper
    assert (paper.title, paper.abstract) == ("Paper 2609.00001", "Words.")
    assert [author.name for author in paper.authors] == ["Ada Quill", "Bo Feather Jr.", "Ci Ink"]
    assert paper.categories == ("cs.LG", "stat.ML")
    assert paper.links.abs == "https://arxiv.org/abs/2609.00001"


def test_the_day_is_the_entries_own_not_that_of_the_build() -> None:
    """The feed was built on the 4th and still holds the batch of the 3rd."""
    page = feed.parse(rss(item("2609.00001", "new")), "cs.LG")
    assert page.built == datetime(2026, 9, 4, 4, 0, 5, tzinfo=UTC)
    assert [batch.day for batch in page.batches] == [date(2026, 9, 3)]


def test_two_batches_in_one_night_keep_their_days() -> None:
    later = item("2609.00009", "new", date="Fri, 04 Sep 2026 00:00:00 -0400")
    page = feed.parse(rss(later, item("2609.00001", "new")), "cs.LG")
    assert [(batch.day, batch.entries[0].id) for batch in page.batches] == [
        (date(2026, 9, 3), "arxiv:2609.00001"),
        (date(2026, 9, 4), "arxiv:2609.00009"),
    ]


def test_atom_in_winter_with_mathematics_and_an_accent() -> None:
    (batch,) = feed.parse(ATOM, "math.OC").batches
    (entry,) = batch.entries
    assert (batch.day, entry.id, entry.version, entry.kind) == (
        date(2026, 1, 15),
        "arxiv:2601.00011",
        2,
        "replace-cross",
    )
    assert entry.paper
    assert entry.paper.abstract == r"For $a<b$ and $c>d$, cost \$5."
    assert [author.name for author in entry.paper.authors] == ["Lévy", "P."]


def test_an_empty_feed_is_no_fault_and_names_the_days_it_skips() -> None:
    skip = "<skipDays><day>Saturday</day><day>Sunday</day></skipDays>"
    page = feed.parse(rss(skip=skip), "cs.LG")
    assert (page.batches, page.skip_days) == ((), ("Saturday", "Sunday"))


def test_repeated_entries_count_once_and_a_paper_may_stand_under_two_kinds() -> None:
    same = item("2609.00001", "new")
    (batch,) = feed.parse(rss(same, same, item("2609.00001", "replace", 2)), "cs.LG").batches
    assert [(e.kind, e.position) for e in batch.entries] == [("new", 1), ("replace", 2)]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("0", "0"), ("", "Words"), ("R&amp;D \x0b of &lt;T&gt;-cells", "R&D of <T>-cells")],
)
def test_odd_titles_are_kept(sent: str, kept: str) -> None:
    (batch,) = feed.parse(rss(item("2609.00001", "new", title=sent)), "cs.LG").batches
    assert batch.entries[0].paper
    assert batch.entries[0].paper.title == kept


def test_an_entry_without_id_or_kind_is_named_and_left_out() -> None:
    bad = item("2609.00002", "jref-only").replace("2609.00002", "nothing")
    (batch,) = feed.parse(rss(item("2609.00001", "new"), bad), "cs.LG").batches
    assert [entry.id for entry in batch.entries] == ["arxiv:2609.00001"]
    assert len(batch.notes) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>Rate exceeded.</body></html>",
        rss(item("2609.00001", "new"))[:-40],
        b"<rss/>",
        b'<!DOCTYPE x [<!ENTITY a "aaaa">]><rss><channel><title>&a;</title></channel></rss>',
    ],
)
def test_what_is_no_whole_feed_is_refused(body: bytes) -> None:
    with pytest.raises(BadAnswer):
        feed.parse(body, "cs.LG")


def test_fetching_passes_validators_in_and_out() -> None:
    fresh = httpx.Response(200, headers={"ETag": '"1"'}, content=rss(item("2609.00001", "new")))
    served = pages(fresh, httpx.Response(304))
    client = served.client()
    first = feed.fetch(client, "https://rss.arxiv.org", "cs.LG")
    assert first
    assert first.validators == Validators('"1"', None)
    assert feed.fetch(client, "https://rss.arxiv.org/", "cs.LG", first.validators) is None
    assert [str(url) for url in served.asked] == ["https://rss.arxiv.org/atom/cs.LG"] * 2


def test_a_feed_that_was_cut_is_asked_for_again() -> None:
    whole = rss(item("2609.00001", "new"), item("2609.00002", "new"))
    served = pages(whole[: len(whole) // 2], whole)
    page = feed.fetch(served.client(), "https://rss.arxiv.org", "cs.LG")
    assert page
    assert len(page.batches[0].entries) == 2


@pytest.mark.data
def test_the_sample_of_another_project(evaluation_data: Path) -> None:
    body = (evaluation_data / "payloads/arxiv_feed/daily_rss_handmade.xml").read_bytes()
    (batch,) = feed.parse(body, "cs.RO").batches
    assert batch.day == date(2026, 8, 4)
    assert [(e.id, e.version, e.kind) for e in batch.entries] == [
        ("arxiv:2608.04321", 1, "new"),
        ("arxiv:2501.00001", 3, "replace"),
    ]
    first, second = (entry.paper for entry in batch.entries)
    assert first
    assert second
    assert (
        first.abstract == "We present a robot policy that maps visual and language observations to actions."
    )
    assert second.abstract == "This is an updated paper."


def test_a_stale_category_is_asked_at_its_own_address() -> None:
    served = Served(lambda _: rss())
    feed.fetch(served.client(), "http://127.0.0.1:9", "cs.XA")
    assert served.asked[0].path == "/atom/cs.XA"
