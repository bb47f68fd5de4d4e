"""arXiv's announcement calendar: which batch a submission belongs to, and when a mailing is due.

Submissions until 14:00 US Eastern go into that evening's mailing. Mailings leave at 20:00 Eastern from
Sunday to Thursday and are dated the next day, Monday to Friday; Friday's are held until Sunday. On a
holiday no mailing leaves in the evening, so the batch of the next weekday is absent (after a Friday
holiday that of Monday) and its papers come with the one after.

https://info.arxiv.org/help/availability.html publishes the schedule and each year's holidays, which can
change late: a batch that comes all the same is taken in, and one that stays away is inferred.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

EASTERN = ZoneInfo("America/New_York")
Expectation = Literal["expected", "weekend", "holiday"]

_CUT_OFF = time(14)
_MAILING = time(20)
_DAY = timedelta(days=1)
_FRIDAY, _SATURDAY, _SUNDAY = 4, 5, 6

# As published by arXiv for 2023, 2024 and 2026 (January 1 had passed when these lists were read; July 3,
# 2026 by the rule below); 2025 as its batches fell out in archived listings.
_PUBLISHED: dict[int, tuple[tuple[int, int], ...]] = {
    2023: ((1, 2), (1, 16), (6, 14), (6, 19), (7, 4), (9, 4), (11, 23), (12, 25), (12, 27)),
    2024: ((1, 1), (1, 15), (5, 22), (6, 19), (7, 4), (9, 2), (11, 28), (12, 25), (12, 26), (12, 31)),
    2025: ((1, 1), (1, 20), (6, 19), (7, 4), (9, 1), (11, 27), (12, 25), (12, 30)),
    2026: ((1, 1), (1, 19), (6, 19), (7, 3), (9, 7), (11, 26), (12, 25), (12, 29), (12, 31)),
}


def holidays(year: int) -> frozenset[date]:
    """The days of a year on whose evening no mailing leaves: arXiv's list, or the rule where it has none.

    The rule can name December 31 of the year before, when January 1 is a Saturday.
    """
    if year in _PUBLISHED:
        return frozenset(date(year, month, day) for month, day in _PUBLISHED[year])
    fixed = (_observed(date(year, month, day)) for month, day in ((1, 1), (6, 19), (7, 4), (12, 25)))
    moving = (_nth_weekday(year, 1, 0, 3), _nth_weekday(year, 9, 0, 1), _nth_weekday(year, 11, 3, 4))
    return frozenset((*fixed, *moving))


def is_holiday(day: date) -> bool:
    """Whether arXiv keeps this very day free (its evening has no mailing)."""
    return day in holidays(day.year) or day in holidays(day.year + 1)


def expectation(day: date) -> Expectation:
    """Whether a batch dated ``day`` is to be expected, and if not why."""
    if day.weekday() >= _SATURDAY:
        return "weekend"
    evening = day - (3 * _DAY if day.weekday() == 0 else _DAY)
    return "holiday" if is_holiday(evening) else "expected"


def mailing_time(day: date) -> datetime:
    """The instant (UTC) at which the batch dated ``day`` goes out: 20:00 Eastern on the evening before."""
    return _eastern(day - _DAY, _MAILING)


def batch_day(submitted: datetime) -> date:
    """The day of the batch that a paper submitted at this instant belongs to, if it is not held back.

    The very second of the cut-off is still in.
    """
    local = submitted.astimezone(EASTERN)
    day = local.date()
    if local.replace(tzinfo=None) > datetime.combine(day, _CUT_OFF):
        day += _DAY
    while day.weekday() >= _SATURDAY:
        day += _DAY
    return _first_expected(day + (3 * _DAY if day.weekday() == _FRIDAY else _DAY))


def next_batch_day(now: datetime) -> date:
    """The day of the first expected batch whose mailing is still to come at ``now``."""
    day = now.astimezone(EASTERN).date()
    while mailing_time(day) <= now or expectation(day) != "expected":
        day += _DAY
    return day


def newest_batch_day(now: datetime) -> date:
    """The day of the last expected batch whose mailing is past at ``now``."""
    day = now.astimezone(EASTERN).date() + _DAY
    while mailing_time(day) > now or expectation(day) != "expected":
        day -= _DAY
    return day


def next_mailing(now: datetime) -> datetime:
    """The instant (UTC) of the first expected mailing after ``now``."""
    return mailing_time(next_batch_day(now))


def _first_expected(day: date) -> date:
    while expectation(day) != "expected":
        day += _DAY
    return day


def _eastern(day: date, at: time) -> datetime:
    return datetime.combine(day, at, EASTERN).astimezone(UTC)


def _observed(day: date) -> date:
    """A holiday on a Saturday is kept on Friday, one on a Sunday on Monday."""
    shift = {_SATURDAY: -_DAY, _SUNDAY: _DAY}.get(day.weekday(), timedelta())
    return day + shift


def _nth_weekday(year: int, month: int, weekday: int, nth: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
