"""Reading a batch that arXiv spreads over several pages of one listing."""

from collections.abc import Callable
from datetime import date

from broadsheet.errors import BadAnswer
from broadsheet.papers import AnnouncementKind
from broadsheet.sources.arxiv.announced import AnnouncedEntry, Batch, numbered
from broadsheet.sources.arxiv.sections import ListingPage, printed_counts

_MOST_PAGES = 25


def gather(category: str, day: date | None, ask: Callable[[int, int], ListingPage]) -> Batch:
    """One batch from as many pages as it takes.

    ``ask(number, held)`` gives page ``number`` (from 1), ``held`` entries having been read before it.
    ``day`` is the day that was asked for, None where the page's heading says it. Raises BadAnswer when a
    page is of another day or none is named.
    """
    entries: list[AnnouncedEntry] = []
    totals: dict[AnnouncementKind, int] = {}
    printed = 0
    for number in range(1, _MOST_PAGES + 1):
        listing = ask(number, len(entries))
        day = _same_day(category, day, listing.day)
        fresh = [entry for section in listing.sections for entry in section.entries]
        entries += fresh
        for section in listing.sections:
            if section.kind:
                totals[section.kind] = max(totals.get(section.kind, 0), section.announced or section.shown)
        printed = max(printed, listing.total or 0, sum(totals.values()))
        if len(entries) >= printed or not fresh:
            break
    if day is None:
        raise BadAnswer(f"The listing of {category} names no day")
    kept = numbered(entries)
    notes = short_note(category, day, len(kept), printed)
    return Batch(category, day, kept, printed_counts(totals), sum(totals.values()), notes)


def short_note(category: str, day: date, held: int, printed: int) -> tuple[str, ...]:
    """What to say when a page holds fewer entries than it prints."""
    return () if held >= printed else (f"{category} {day}: {held} of {printed} entries were served.",)


def _same_day(category: str, wanted: date | None, headed: date | None) -> date | None:
    if wanted and headed and wanted != headed:
        raise BadAnswer(f"The listing of {category} is that of {headed}, not of {wanted}")
    return wanted or headed
