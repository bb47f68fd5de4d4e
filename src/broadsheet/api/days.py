"""Taking in what was announced and making the day: harvest, daily."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypedDict

from broadsheet.api import adding, documents, harvesting
from broadsheet.api.adding import IndexDocument
from broadsheet.api.documents import CountDocument
from broadsheet.api.home import Home
from broadsheet.daily import digest
from broadsheet.daily.harvest import harvest as harvest_sources
from broadsheet.daily.plans import SourceReport, Span
from broadsheet.errors import UsageError
from broadsheet.library import readers
from broadsheet.ranking.ranking import Index
from broadsheet.readers import Reader

Progress = Callable[[int, int | None], None]


class SourceDocument(TypedDict):
    source: str
    days: list[CountDocument]


class HarvestDocument(TypedDict):
    sources: list[SourceDocument]
    notices: list[str]
    reached: bool


class MadeDigestDocument(TypedDict):
    reader: str
    papers: int
    sent: bool


class DailyDocument(TypedDict):
    day: str | None
    sources: list[SourceDocument]
    index: IndexDocument
    digests: list[MadeDigestDocument]
    notices: list[str]
    reached: bool


def follows_nothing(home: Home) -> bool:
    """Whether neither the settings nor any reader name an arXiv category, though arXiv is switched on."""
    return home.settings.flag("sources.arxiv.enabled") and not harvesting.followed_categories(home)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a harvest is asked for; empty values mean what is switched on, followed and owed.

    ``patience_seconds`` lowers the sources' own patience.
    """

    sources: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    categories: tuple[str, ...] = ()
    patience_seconds: float | None = None


def harvest(home: Home, asked: Asked, progress: Progress) -> HarvestDocument:
    """Take in what was announced, then make it findable."""
    sources, notices = _askable(home, asked)
    with harvesting.plans(home, sources, asked.categories, asked.patience_seconds) as planned:
        span = Span(asked.since, asked.until)
        reports = harvest_sources(home.library, planned, span, home.now, lambda line: None)
    notices += [
        text if text.startswith(report.source) else f"{report.source}: {text}"
        for report in reports
        for text in report.notices
    ]
    notices += adding.make_findable(home, progress)
    return _harvested(reports, notices)


def _askable(home: Home, asked: Asked) -> tuple[tuple[str, ...], list[str]]:
    """The sources to ask; arXiv only where some category is followed, which is said."""
    sources = harvesting.wanted_sources(home, asked.sources)
    if "arxiv" not in sources or asked.categories or harvesting.followed_categories(home):
        return sources, []
    if asked.sources or sources == ("arxiv",):
        raise UsageError(
            "No arXiv category is followed, so there is nothing to harvest.",
            "Run 'broadsheet follow --category cs.LG' or give --category.",
        )
    left = "arXiv was left out: follow a category with 'broadsheet follow --category cs.LG'."
    return tuple(source for source in sources if source != "arxiv"), [left]


def _harvested(reports: Sequence[SourceReport], notices: list[str]) -> HarvestDocument:
    return {
        "sources": [
            {"source": report.source, "days": [documents.count(day) for day in report.days]}
            for report in reports
        ],
        "notices": notices,
        "reached": any(report.reached for report in reports),
    }


def harvest_exit_code(document: HarvestDocument | DailyDocument) -> int:
    """0 when every day is complete or none was expected, 3 when some is owed, 1 when nothing answered."""
    states = {day["state"] for source in document["sources"] for day in source["days"]}
    if states <= {"complete", "none_expected"}:
        return 0
    return 3 if document["reached"] else 1


def daily(home: Home, day: date | None, progress: Progress) -> DailyDocument:
    """Harvest, index and make every reader's digest of the day; a second run finds them made."""
    harvested = harvest(home, Asked(), progress)
    indexed = adding.index(home, None, False, progress)
    with home.library.read() as conn:
        everyone = readers.all_readers(conn)
        days = [day or digest.newest_day(conn, home.now, reader) for reader in everyone]
    pairs = zip(everyone, days, strict=True)
    made = [_digest(home, reader, its_day) for reader, its_day in pairs if its_day]
    return {
        "day": documents.day_text(max(filter(None, days), default=None)),
        "sources": harvested["sources"],
        "index": indexed,
        "digests": made,
        "notices": [*harvested["notices"], *indexed["notices"]],
        "reached": harvested["reached"],
    }


def _digest(home: Home, reader: Reader, day: date) -> MadeDigestDocument:
    derived = Index(home.index_folder, home.encoder_name)
    page = digest.digest_for(home.library, derived, reader, day, home.now, reader.list_length)
    return {"reader": reader.name, "papers": len(page.digest.papers), "sent": False}
