"""Saved answers of Hugging Face's Daily Papers."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.values import record_of, text
from broadsheet.sources.huggingface import read_entry

_LONGEST_PRINTED = 1_000_000


def parse(
    listed: list[object], path: str, now: datetime, day: date | None = None
) -> Iterator[Arrival | Skipped]:
    """Each listed paper, featured on its day, with its counts at noon of that day.

    Files are saved while the day fills, but do not say when. Some archives keep each object as Python
    prints it; those are read as plain data. ``day`` is the day of featuring where the file states it
    for all.
    """
    for place, one in enumerate(listed, start=1):
        entry = _printed(one) if isinstance(one, str) else one
        if not isinstance(entry, dict) or not isinstance(entry.get("paper"), dict):
            yield Skipped(path, None, f"number {place} of the list is no daily paper")
            continue
        found = read_entry(entry, day or _older(entry), now)
        yield Skipped(path, None, found.why) if isinstance(found, Skipped) else _at_noon(found)


def _at_noon(found: Arrival) -> Arrival:
    if not found.announcements:
        return found
    moment = dates.noon(found.announcements[0].day)
    return replace(found, signals=tuple(replace(one, observed_at=moment) for one in found.signals))


def _printed(text_of_object: str) -> object:
    if len(text_of_object) > _LONGEST_PRINTED:
        return None
    try:
        return ast.literal_eval(text_of_object)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None


def _older(entry: Mapping[str, object]) -> date | None:
    """Before 2025 the outer date was that of featuring; now it repeats the paper's."""
    featured = dates.instant(text(entry, "publishedAt"))
    submitted = dates.instant(text(record_of(entry, "paper"), "publishedAt"))
    return featured.date() if featured and submitted and featured.date() > submitted.date() else None
