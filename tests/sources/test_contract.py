"""Each source keeps the contract. The pages are those of each source's own tests, written by hand."""

from datetime import UTC, date, datetime

from broadsheet.papers import Arrival
from broadsheet.sources import huggingface, rxiv
from broadsheet.sources.arxiv import api, catchup, feed, listing, oai
from broadsheet.sources.arxiv.sections import ListingPage
from sources import test_arxiv_api as api_pages
from sources import test_arxiv_feed as feed_pages
from sources import test_arxiv_listing as listing_pages
from sources import test_arxiv_oai as oai_pages
from sources import test_huggingface as huggingface_pages
from sources import test_rxiv as rxiv_pages
from sources.contract import SourceContract, Told

NOW = datetime(2031, 6, 18, 3, 0, tzinfo=UTC)
DAY = date(2026, 9, 3)


def of_arrivals(arrivals: tuple[Arrival, ...]) -> Told:
    announcements = [(a.paper_id, a.day, a.kind) for arrival in arrivals for a in arrival.announcements]
    return Told([arrival.paper for arrival in arrivals], announcements)


def of_entries(page: ListingPage) -> Told:
    entries = [entry for section in page.sections for entry in section.entries]
    announcements = [(entry.id, DAY, entry.kind) for entry in entries]
    return Told([entry.paper for entry in entries if entry.paper], announcements)


class TestArxivFeed(SourceContract):
    pages = (
        feed_pages.rss(
            feed_pages.item("2609.00001", "new", abstract="With $a&lt;b$ &amp; two\n lines."),
            feed_pages.item("2607.00003", "replace", 3),
        ),
        feed_pages.rss(),
    )
    names = ("Ada Quill", "Bo Feather Jr.", "Ci Ink")

    def told(self, body: bytes) -> Told:
        batches = feed.parse(body, "cs.LG").batches
        entries = [(entry, batch.day) for batch in batches for entry in batch.entries]
        return Told(
            [entry.paper for entry, _ in entries if entry.paper],
            [(entry.id, day, entry.kind) for entry, day in entries],
        )


class TestArxivAtomFeed(TestArxivFeed):
    pages = (feed_pages.ATOM,)
    names = ("Lévy", "P.")


class TestArxivCatchUp(SourceContract):
    pages = (
        listing_pages.listing_page(
            listing_pages.section(
                "New submissions", 1, 1, listing_pages.entry("2609.00001", abstract="For $a&lt;b$.")
            ),
            listing_pages.REPLACED,
        ),
    )

    def told(self, body: bytes) -> Told:
        entries = [
            entry for section in catchup.parse(body, "cs.LG", DAY).sections for entry in section.entries
        ]
        return Told(
            [entry.paper for entry in entries if entry.paper],
            [(entry.id, DAY, entry.kind) for entry in entries],
        )


class TestArxivListing(SourceContract):
    pages = (listing_pages.listing_page(listing_pages.NEW, listing_pages.CROSS),)

    def told(self, body: bytes) -> Told:
        entries = [
            entry for section in listing.parse_new(body, "cs.LG").sections for entry in section.entries
        ]
        return Told([], [(entry.id, DAY, entry.kind) for entry in entries])


class TestArxivOai(SourceContract):
    pages = (
        oai_pages.listed(["3106.00001", "3106.00002"], oai_pages.token("t", 0, 9)).encode(),
        oai_pages.error("noRecordsMatch").encode(),
    )
    names = ("Ada Quill", "Bo Feather", "Ci Ink")

    def told(self, body: bytes) -> Told:
        return of_arrivals(oai.parse(body).arrivals)


class TestArxivApi(SourceContract):
    pages = (
        api_pages.feed(3, 0, "3101.00001", "3101.00002", entries=api_pages.ERROR).encode(),
        api_pages.feed(0, 0).encode(),
    )
    names = ("Ada Quill",)

    def told(self, body: bytes) -> Told:
        return of_arrivals(api.parse(body).arrivals)


class TestHuggingFace(SourceContract):
    pages = (
        huggingface_pages.body(
            huggingface_pages.entry("3106.00001", "2031-06-06"), huggingface_pages.entry("3106.00002")
        ).encode(),
    )
    names = ("Ada Quill",)

    def told(self, body: bytes) -> Told:
        return of_arrivals(huggingface.parse(body, date(2031, 6, 6), NOW).arrivals)


class TestBiorxiv(SourceContract):
    pages = (
        rxiv_pages.page(3, rxiv_pages.record(1), rxiv_pages.record(2, 2)).encode(),
        rxiv_pages.NOTHING.encode(),
    )
    names = ("A. Quill", "B. C. Feather")

    def told(self, body: bytes) -> Told:
        return of_arrivals(rxiv.parse(body, "biorxiv", NOW).arrivals)


class TestMedrxiv(TestBiorxiv):
    def told(self, body: bytes) -> Told:
        return of_arrivals(rxiv.parse(body, "medrxiv", NOW).arrivals)
