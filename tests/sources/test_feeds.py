"""Feeds that readers add, written by hand in each published form, with the faults that feeds have."""

from datetime import UTC, date, datetime

import httpx
import pytest

from broadsheet.errors import BadAnswer
from broadsheet.sources import feeds
from broadsheet.sources.feeds import FeedAnswer
from broadsheet.sources.http import Client, Manners, Validators
from sources.clocks import SleepingClock
from sources.contract import SourceContract, Told
from sources.served import pages

NOW = datetime(2031, 6, 18, 3, 0, tzinfo=UTC)
URL = "https://journal.example/toc/feed.xml"

RSS2 = b"""<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Annals of Maps</title>
<link>https://journal.example/</link><description>New papers</description>
<item><title>R&D \x0b of &lt;T&gt;-cells&nbsp;at night</title><link>/paper/1?a=1&b=2</link>
<guid isPermaLink="false">doi:10.9/maps.1</guid><pubDate>Tue, 17 Jun 2031 08:00:00 GMT</pubDate>
<dc:creator>Quill, Ada</dc:creator><dc:creator>Feather, Bo</dc:creator>
<description>&lt;p&gt;We &lt;b&gt;map&lt;/b&gt; it, $a&amp;lt;b$.&lt;/p&gt;</description></item>
<item><title>Undated</title><link>https://journal.example/paper/2</link><description>Words.</description></item>
</channel></rss>"""

RSS1 = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/">
<channel rdf:about="https://journal.example/"><title>J. Ink</title><link>https://journal.example/</link></channel>
<item rdf:about="https://journal.example/3"><title>Caf\xe9 walls</title><link>https://journal.example/3</link>
<dc:creator>Ada Quill</dc:creator><dc:creator>Bo Feather</dc:creator><dc:date>2031-06-16</dc:date>
<prism:doi>10.9/INK.3</prism:doi><prism:publicationName>Journal of Ink</prism:publicationName>
<description>Words.</description></item></rdf:RDF>"""

ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">Nib &amp;amp; Co</title>
<id>urn:x</id><updated>2031-06-17T00:00:00Z</updated><link rel="alternate" href="https://nib.example/"/>
<entry><title>On nibs</title><id>tag:nib.example,2031:1</id><link rel="alternate" href="https://doi.org/10.9/nib.1"/>
<author><name>Ada Quill</name></author><author><name>Bo Feather</name></author>
<published>2031-06-17T01:02:03+02:00</published><updated>2031-06-17T01:02:03+02:00</updated>
<summary>Words.</summary></entry></feed>"""

JSON = b"""{"version": "https://jsonfeed.org/version/1.1", "title": "Lab notes", "items": [
{"id": "https://arxiv.org/abs/3106.00001v2", "url": "https://arxiv.org/abs/3106.00001v2", "title": "On it",
"content_html": "<p>Words.</p>", "date_published": "2031-06-15T10:00:00Z",
"authors": [{"name": "Ada Quill"}, {"name": "Bo Feather"}]}]}"""


class TestFeeds(SourceContract):
    pages = (RSS2, RSS1, ATOM, JSON)

    def told(self, body: bytes) -> Told:
        answer = feeds.parse(body, URL, NOW)
        announcements = [(a.paper_id, a.day, a.kind) for one in answer.arrivals for a in one.announcements]
        return Told([arrival.paper for arrival in answer.arrivals], announcements)

    def test_authors_keep_their_order(self) -> None:
        for page in self.pages:
            printed = [author.name for author in self.told(page).papers[0].authors]
            assert printed == ["Ada Quill", "Bo Feather"]


def announced(answer: FeedAnswer) -> list[tuple[str, str, date]]:
    return [(a.paper_id, a.category, a.day) for one in answer.arrivals for a in one.announcements]


def test_a_feed_that_is_not_well_formed_keeps_its_words() -> None:
    """A raw ampersand, a control character, HTML's entities, a relative link, a doubly escaped sign."""
    first, second = feeds.parse(RSS2, URL, NOW).arrivals
    assert first.paper.id == "doi:10.9/maps.1"
    assert first.paper.title == "R&D of <T>-cells at night"
    assert first.paper.abstract == "We map it, $a<b$."
    assert first.paper.links.abs == "https://journal.example/paper/1?a=1&b=2"
    assert second.paper.id.startswith("file:")


def test_entries_are_announced_on_their_own_day_in_the_feeds_name() -> None:
    """An entry without a date is of the day on which it was seen."""
    answer = feeds.parse(RSS2, URL, NOW)
    assert [(category, day) for _, category, day in announced(answer)] == [
        ("Annals of Maps", date(2031, 6, 17)),
        ("Annals of Maps", date(2031, 6, 18)),
    ]


def test_journals_bring_their_doi_and_encoding() -> None:
    (arrival,) = feeds.parse(RSS1, URL, NOW).arrivals
    assert (arrival.paper.id, arrival.paper.title) == ("doi:10.9/ink.3", "Café walls")
    assert arrival.paper.journal_ref
    assert arrival.paper.journal_ref.startswith("Journal of Ink")


def test_atom_and_json_feeds() -> None:
    assert announced(feeds.parse(ATOM, URL, NOW)) == [("doi:10.9/nib.1", "Nib & Co", date(2031, 6, 16))]
    assert announced(feeds.parse(JSON, URL, NOW)) == [("arxiv:3106.00001", "Lab notes", date(2031, 6, 15))]


def test_a_date_to_come_is_not_believed() -> None:
    later = RSS2.replace(b"17 Jun 2031", b"17 Jun 2041")
    assert announced(feeds.parse(later, URL, NOW))[0][2] == date(2031, 6, 18)


@pytest.mark.parametrize(
    ("sent", "spoilt"),
    [
        (b"https://journal.example/<", b"https://[journal/<"),
        (b"08:00:00 GMT", b"08:99999999999999999999:00 GMT"),
    ],
)
def test_an_address_or_date_that_cannot_be_costs_only_itself(sent: bytes, spoilt: bytes) -> None:
    assert len(feeds.parse(RSS2.replace(sent, spoilt), URL, NOW).arrivals) == 2


def test_ids_stay_the_same_from_day_to_day() -> None:
    again = feeds.parse(RSS2, URL, datetime(2031, 6, 30, tzinfo=UTC))
    assert [one.paper.id for one in again.arrivals] == [
        one.paper.id for one in feeds.parse(RSS2, URL, NOW).arrivals
    ]


def test_a_feed_that_was_cut_is_asked_for_again() -> None:
    answer = feeds.fetch(pages(RSS2[:-60], RSS2).client("feeds"), URL, NOW)
    assert answer
    assert len(answer.arrivals) == 2


def test_an_unchanged_feed_is_not_read_again() -> None:
    fresh = httpx.Response(200, headers={"Last-Modified": "Tue, 17 Jun 2031 08:00:00 GMT"}, content=ATOM)
    client = pages(fresh, httpx.Response(304)).client("feeds")
    first = feeds.fetch(client, URL, NOW)
    assert first
    assert first.validators == Validators(None, "Tue, 17 Jun 2031 08:00:00 GMT")
    assert feeds.fetch(client, URL, NOW, first.validators) is None


def test_a_feed_on_a_private_address_is_not_asked() -> None:
    manners = Manners(spacing=0.0, private_allowed=False)
    client = Client("feeds", "", manners, SleepingClock().clock())
    with pytest.raises(BadAnswer, match="private network"):
        feeds.fetch(client, "http://127.0.0.1:8080/feed", NOW)
