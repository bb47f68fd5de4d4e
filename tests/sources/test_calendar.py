"""arXiv's calendar: the cut-off with its daylight saving, weekends, holidays. Values worked out by hand."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.sources import calendar


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("submitted", "day"),
    [
        ("2031-07-09 18:00:00", "2031-07-10"),  # Wednesday 14:00:00 EDT: still in
        ("2031-07-09 18:00:01", "2031-07-11"),
        ("2031-01-15 18:00:00", "2031-01-16"),  # Wednesday 13:00 EST: an hour before the cut-off
        ("2031-01-15 18:00:01", "2031-01-16"),
        ("2031-01-15 19:00:00", "2031-01-16"),  # 14:00:00 EST
        ("2031-01-15 19:00:01", "2031-01-17"),
    ],
)
def test_the_cut_off_is_14_00_eastern_in_winter_and_summer(submitted: str, day: str) -> None:
    assert calendar.batch_day(utc(submitted)) == date.fromisoformat(day)


def test_one_paper_has_three_dates_and_ours_is_the_batchs() -> None:
    """Submitted late on Wednesday, January 14, 2032 in New York: in the batch of Friday the 16th."""
    submitted = datetime(2032, 1, 14, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert submitted.astimezone(UTC) == utc("2032-01-15 04:30:00")
    assert calendar.batch_day(submitted) == date(2032, 1, 16)


@pytest.mark.parametrize(
    ("submitted", "day"),
    [
        ("2026-10-01 18:00:01", "2026-10-05"),  # Thursday after the cut-off: Sunday's mailing, dated Monday
        ("2026-10-02 18:00:00", "2026-10-05"),  # Friday until the cut-off: the same
        ("2026-10-02 18:00:01", "2026-10-06"),  # later on Friday: Monday's mailing, dated Tuesday
        ("2026-10-04 12:00:00", "2026-10-06"),
        ("2026-10-05 18:00:00", "2026-10-06"),
        ("2026-11-25 19:00:01", "2026-11-30"),  # Thanksgiving's batch (Friday 27) is absent: Monday's
        ("2025-07-03 18:00:01", "2025-07-08"),  # after the Friday holiday Monday is absent: Tuesday's
    ],
)
def test_weekends_and_holidays_pass_papers_on_to_the_next_batch(submitted: str, day: str) -> None:
    assert calendar.batch_day(utc(submitted)) == date.fromisoformat(day)


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2026-10-03", "weekend"),
        ("2026-10-04", "weekend"),
        ("2026-10-05", "expected"),
        ("2026-12-25", "expected"),  # the batch of Christmas Day left on the evening of the 24th
        ("2026-12-28", "holiday"),  # Christmas 2026 is a Friday
        ("2026-12-30", "holiday"),
        ("2027-01-01", "holiday"),
        ("2026-05-26", "expected"),  # arXiv doesn't keep Memorial Day
        ("2025-06-20", "holiday"),
        ("2025-07-07", "holiday"),
        ("2025-09-02", "holiday"),
        ("2025-11-28", "holiday"),
        ("2025-12-26", "holiday"),
        ("2025-12-31", "holiday"),
        ("2026-01-02", "holiday"),
        ("2026-01-20", "holiday"),
        ("2026-06-22", "holiday"),
        ("2031-06-20", "holiday"),  # by the rule: Juneteenth 2031 is a Thursday
        ("2028-01-03", "holiday"),  # by the rule: January 1, 2028 is a Saturday, kept on Friday
        ("2032-07-06", "holiday"),  # by the rule: July 4, 2032 is a Sunday, kept on Monday
    ],
)
def test_each_day_is_expected_or_says_why_not(day: str, expected: str) -> None:
    assert calendar.expectation(date.fromisoformat(day)) == expected


def test_a_mailing_leaves_at_20_00_eastern_on_the_evening_before() -> None:
    assert calendar.mailing_time(date(2031, 7, 10)) == utc("2031-07-10 00:00:00")
    assert calendar.mailing_time(date(2031, 1, 16)) == utc("2031-01-16 01:00:00")
    assert calendar.mailing_time(date(2026, 10, 5)) == utc("2026-10-05 00:00:00")


def test_the_next_and_the_newest_mailing() -> None:
    """01:05 UTC on a winter Tuesday is five past the mailing of Tuesday's batch."""
    assert calendar.newest_batch_day(utc("2031-01-14 01:05:00")) == date(2031, 1, 14)
    assert calendar.newest_batch_day(utc("2031-01-14 00:59:59")) == date(2031, 1, 13)
    assert calendar.next_batch_day(utc("2031-01-14 01:00:00")) == date(2031, 1, 15)
    assert calendar.next_mailing(utc("2026-12-26 15:00:00")) == utc("2026-12-29 01:00:00")


@given(st.datetimes(datetime(2022, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)))
def test_no_submission_is_announced_before_it_came_or_on_a_day_without_a_mailing(submitted: datetime) -> None:
    day = calendar.batch_day(submitted)
    assert calendar.mailing_time(day) >= submitted + timedelta(hours=6)
    assert day - submitted.date() <= timedelta(days=8)
    assert calendar.expectation(day) == "expected"


@given(st.datetimes(datetime(2022, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)))
def test_the_newest_and_next_mailing_enclose_now(now: datetime) -> None:
    newest, following = calendar.newest_batch_day(now), calendar.next_batch_day(now)
    assert calendar.mailing_time(newest) <= now < calendar.mailing_time(following)
    between = [newest + timedelta(days=n) for n in range(1, (following - newest).days)]
    assert all(calendar.expectation(day) != "expected" for day in between)
