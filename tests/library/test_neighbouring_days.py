"""From one announcement day to the next."""

from datetime import date

from making import on, paper, store

from broadsheet.library.announcements import neighbouring_days
from broadsheet.library.database import Library


def test_the_days_before_and_after_are_the_nearest_on_which_something_new_was_announced(
    library: Library,
) -> None:
    monday, wednesday, friday = date(2026, 4, 20), date(2026, 4, 22), date(2026, 4, 24)
    store(
        library,
        on(paper("arxiv:3101.00001", "Map of A"), monday),
        on(paper("arxiv:3101.00002", "Tides of B"), date(2026, 4, 21), kind="replace"),
        on(paper("arxiv:3101.00003", "Winds of C"), wednesday, kind="cross"),
        on(paper("arxiv:3101.00004", "Sands of D"), friday, kind="featured"),
    )
    with library.read() as connection:
        assert neighbouring_days(connection, wednesday) == (monday, friday)
        assert neighbouring_days(connection, date(2026, 4, 23)) == (wednesday, friday)
        assert neighbouring_days(connection, monday) == (None, wednesday)
        assert neighbouring_days(connection, friday) == (wednesday, None)
