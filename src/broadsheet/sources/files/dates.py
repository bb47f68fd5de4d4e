"""Dates as people and programs write them, as instants in UTC.

A year alone stands for its first of January, a month for its first day: enough to put papers in order.
"""

import re
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime
from functools import lru_cache

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january winter", "feb february", "mar march", "apr april spring", "may", "jun june",
            "jul july summer", "aug august", "sep sept september", "oct october fall autumn", "nov november",
            "dec december",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)\Z", re.ASCII)
_NUMBERS = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?![\d-])", re.ASCII)
_US_DAY = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})\b", re.ASCII)
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|2[0-2]\d\d)(?!\d)", re.ASCII)
_WORD = re.compile(r"[A-Za-z]{3,9}")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?![\d:])", re.ASCII)


@lru_cache(maxsize=4096)
def instant(text: str) -> datetime | None:
    """The instant that a date or time names in any usual form, in UTC; None where there is none.

    >>> instant("2031-01-14T23:30:00-05:00")
    datetime.datetime(2031, 1, 15, 4, 30, tzinfo=datetime.timezone.utc)
    """
    text = text.strip()[:80]
    if matched := _ISO_DAY.match(text):
        return of_parts(int(matched[1]), int(matched[2]), int(matched[3]))
    if ":" in text and (found := _with_time(text)):
        return found
    if (matched := _NUMBERS.match(text)) and not _WORD.search(text):
        return of_parts(int(matched[1]), int(matched[2] or 1), int(matched[3] or 1))
    if matched := _US_DAY.match(text):
        first, second = int(matched[1]), int(matched[2])
        month, day = (second, first) if first > 12 else (first, second)
        return of_parts(int(matched[3]), month, day)
    return _in_words(text)


@lru_cache(maxsize=4096)
def day(text: str) -> date | None:
    """The day that a date or time names, in its own zone where it is written with one."""
    if len(text) >= 10 and _ISO_DAY.match(text[:10]):
        text = text[:10]
    found = instant(text)
    return found.date() if found else None


def of_parts(year: int, month: int = 1, day_of_month: int = 1) -> datetime | None:
    """Midnight UTC of a day, leaving out parts that cannot be; None where the year cannot be."""
    if not 1000 <= year <= 2999:
        return None
    if not 1 <= month <= 12:
        return datetime(year, 1, 1, tzinfo=UTC)
    try:
        return datetime(year, month, day_of_month, tzinfo=UTC)
    except ValueError:
        return datetime(year, month, 1, tzinfo=UTC)


def month_number(text: str) -> int:
    """1 to 12 for a month's number or name in any usual form, else 0."""
    text = text.strip().lower()
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 2 and 1 <= int(text) <= 12 else 0
    words = _WORD.findall(text)
    return next((_MONTHS[word] for word in words if word in _MONTHS), 0)


def noon(on: date) -> datetime:
    """The middle of a day, for a count of which only the day is known."""
    return datetime.combine(on, time(12), UTC)


def _with_time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        try:
            found = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
    try:
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except OverflowError:
        return None


def _in_words(text: str) -> datetime | None:
    year = _YEAR.search(text)
    if year is None:
        return None
    rest = text[: year.start()] + " " + text[year.end() :]
    month = month_number(rest) if _WORD.search(rest) else 0
    found = _DAY.search(rest) if month else None
    return of_parts(int(year[1]), month, int(found[1]) if found else 1)
