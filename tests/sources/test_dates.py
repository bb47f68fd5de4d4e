"""Dates in the forms that sources write them."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.sources.files.dates import day, instant


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2031-01-14T23:30:00-05:00", datetime(2031, 1, 15, 4, 30, tzinfo=UTC)),
        ("2031-01-14T18:15:35-0500", datetime(2031, 1, 14, 23, 15, 35, tzinfo=UTC)),
        ("Wed, 18 Jun 2031 04:00:00 GMT", datetime(2031, 6, 18, 4, tzinfo=UTC)),
        ("2031", datetime(2031, 1, 1, tzinfo=UTC)),
        ("2031-07", datetime(2031, 7, 1, tzinfo=UTC)),
        ("2031/07/04/", datetime(2031, 7, 4, tzinfo=UTC)),
        ("2031.07.04", datetime(2031, 7, 4, tzinfo=UTC)),
        ("07/24/2031", datetime(2031, 7, 24, tzinfo=UTC)),
        ("2031 Jul 4", datetime(2031, 7, 4, tzinfo=UTC)),
        ("4 July 2031", datetime(2031, 7, 4, tzinfo=UTC)),
        ("July 4, 2031", datetime(2031, 7, 4, tzinfo=UTC)),
        ("2031 Nov-Dec", datetime(2031, 11, 1, tzinfo=UTC)),
        ("2031-02-31", datetime(2031, 2, 1, tzinfo=UTC)),
        ("in press", None),
        ("", None),
    ],
)
def test_an_instant_is_read_in_every_usual_form(written: str, expected: datetime | None) -> None:
    assert instant(written) == expected


def test_a_day_is_that_of_its_own_zone() -> None:
    assert day("2031-01-14T23:30:00-05:00") == date(2031, 1, 14)


@given(st.text(max_size=40))
def test_no_text_raises(text: str) -> None:
    found = instant(text)
    assert found is None or found.tzinfo is UTC
