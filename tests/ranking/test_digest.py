"""A page is made once for a reader and a day, and shown as it was offered."""

import multiprocessing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from made_papers import ME, MONDAY, NOW, TUESDAY, arrival, did, fill, fortnight, made

from broadsheet.daily.digest import digest_for, last_mailed, newest_day, record_shown
from broadsheet.library import digests, interactions, readers
from broadsheet.library.database import Library
from broadsheet.ranking.ranking import Index
from broadsheet.readers import Following


def page(library, index, limit=10, day=TUESDAY, now=NOW):
    return digest_for(library, index, ME, day, now, limit)


def ids(page):
    return [offer.ranked.paper.id for offer in page.papers]


def test_the_first_call_makes_the_list_and_later_ones_print_it(library, index):
    fortnight(library)
    first = page(library, index)
    did(library, "dismissed", *(offer.ranked.paper for offer in first.papers[:3]))
    later = page(library, index, now=NOW + timedelta(days=2, hours=3))
    assert ids(later) == ids(first)
    assert later.digest.id == first.digest.id > 0
    assert later.basis == "date_and_signals"
    assert later.model_age_days is None
    assert len(ids(first)) == 10
    assert later.notices == first.notices


def test_a_page_by_taste_says_how_old_it_is_and_what_it_knew(library, index):
    fortnight(library)
    did(library, "saved", made("sky", 3))
    first = page(library, index)
    later = page(library, index, now=NOW + timedelta(days=2, hours=3))
    assert (first.model_age_days, later.model_age_days) == (0, 2)
    assert first.digest.trained_through == 1
    assert later.notices == first.notices
    assert later.index_version == first.index_version


def test_a_longer_limit_gives_the_list_and_then_its_tail(library, index):
    fortnight(library)
    did(library, "saved", made("sky", 3))
    whole = page(library, index, limit=1000)
    assert len(whole.digest.papers) == 10
    assert [offer.ranked.rank for offer in whole.papers] == list(range(1, 21))
    assert len(set(ids(whole))) == 20
    again = page(library, index, limit=15)
    assert ids(again) == ids(whole)[:15]
    assert ids(page(library, index, limit=3)) == ids(whole)[:3]
    assert [offer.exploring for offer in again.tail] == [False] * 5


def test_a_short_first_call_still_makes_the_whole_list(library, index):
    fortnight(library)
    assert len(ids(page(library, index, limit=2))) == 2
    with library.read() as connection:
        assert len(digests.find(connection, ME.id, TUESDAY).papers) == 10


def test_papers_that_come_later_stand_in_the_tail(library, index):
    few = [arrival(made("sky", n, TUESDAY)) for n in range(3)]
    fill(library, few)
    assert len(ids(page(library, index))) == 3
    late = made("sky", 77, TUESDAY)
    fill(library, [arrival(late)])
    later = page(library, index)
    assert ids(later)[3:] == [late.id]
    assert later.tail[0].ranked.rank == 4


def test_a_paper_withdrawn_later_stays_marked(library, index):
    fortnight(library)
    first = page(library, index)
    gone = first.papers[2].ranked.paper
    fill(library, [arrival(replace(gone, version=2, withdrawn=True), TUESDAY, "replace")])
    later = page(library, index)
    assert ids(later) == ids(first)
    assert [offer.ranked.paper.withdrawn for offer in later.papers[:4]] == [False, False, True, False]


def test_a_day_with_nothing_to_offer_is_not_kept(library, index):
    empty = page(library, index)
    assert (empty.papers, empty.digest.id) == ((), 0)
    assert "Nothing" in empty.notices[0]
    fortnight(library)
    assert len(page(library, index).digest.papers) == 10


def test_nothing_of_the_list_is_offered_on_a_later_day(library, index):
    """B50: the same papers cross-listed a day later."""
    fortnight(library)
    first = page(library, index)
    wednesday = TUESDAY + timedelta(days=1)
    fill(
        library,
        [arrival(offer.ranked.paper, wednesday, "cross") for offer in page(library, index, 12).papers],
    )
    assert set(ids(page(library, index, 100, wednesday))) == set(ids(page(library, index, 12))) - set(
        ids(first)
    )


def test_a_tail_that_was_shown_counts_as_offered(library, index):
    fortnight(library)
    shown = page(library, index, limit=12)
    recorded = record_shown(library, shown, ME, NOW, "terminal")
    assert [(i.paper_id, i.rank) for i in recorded] == [(id_, n) for n, id_ in enumerate(ids(shown), 1)]
    assert {i.digest_id for i in recorded} == {shown.digest.id}
    wednesday = TUESDAY + timedelta(days=1)
    fill(library, [arrival(offer.ranked.paper, wednesday, "cross") for offer in shown.papers])
    assert ids(page(library, index, 100, wednesday)) == []
    assert ids(page(library, index, limit=12)) == ids(shown)
    with library.read() as connection:
        assert interactions.newest_number(connection, ME.id) == 0


def _make(place: str, index: str) -> tuple[int, list[str]]:
    library = Library.open(Path(place), NOW)
    made_page = page(library, Index(Path(index), None))
    library.close()
    return made_page.digest.id, ids(made_page)


def test_two_processes_at_once_make_one_digest(library, index, tmp_path):
    fortnight(library)
    did(library, "saved", made("sky", 3))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        place = (str(tmp_path / "library.sqlite3"), str(index.directory))
        first, second = pool.starmap(_make, [place, place])
    assert first == second
    with library.read() as connection:
        assert len(digests.all_of(connection, ME.id)) == 1


@pytest.mark.parametrize(
    ("now", "day"),
    [
        (datetime(2031, 1, 7, 0, 59, tzinfo=UTC), MONDAY),
        (datetime(2031, 1, 7, 1, 0, tzinfo=UTC), TUESDAY),
        (datetime(2031, 7, 7, 23, 59, tzinfo=UTC), date(2031, 7, 7)),
        (datetime(2031, 7, 8, 0, 0, tzinfo=UTC), date(2031, 7, 8)),
    ],
)
def test_a_mailing_is_past_from_eight_in_the_evening_eastern(now, day):
    """20:00 in New York is 01:00 UTC in winter and 00:00 UTC in summer."""
    assert last_mailed(now) == day


def test_the_newest_day_is_one_whose_mailing_is_past(library):
    fill(library, [arrival(made("sky", 1, MONDAY)), arrival(made("sky", 2, TUESDAY))])
    fill(library, [arrival(made("sky", 3, TUESDAY + timedelta(days=3)))])
    with library.read() as connection:
        assert newest_day(connection, datetime(2031, 1, 7, 0, 30, tzinfo=UTC)) == MONDAY
        assert newest_day(connection, datetime(2031, 1, 7, 1, 30, tzinfo=UTC)) == TUESDAY
        assert newest_day(connection, datetime(2030, 1, 1, tzinfo=UTC)) is None


def test_the_newest_day_is_one_of_what_the_reader_follows(library):
    fill(library, [arrival(made("sky", 1, MONDAY)), arrival(made("sea", 2, TUESDAY))])
    with library.write() as connection:
        readers.follow(connection, ME.id, [Following(ME.id, "category", "astro-ph", True)])
        now = datetime(2031, 1, 7, 1, 30, tzinfo=UTC)
        assert newest_day(connection, now, ME) == MONDAY
        assert newest_day(connection, now) == TUESDAY


def test_a_featured_day_begins_with_its_date(library):
    fill(library, [arrival(made("sky", 1, MONDAY)), arrival(made("sky", 1, MONDAY), TUESDAY, "featured")])
    with library.read() as connection:
        assert newest_day(connection, datetime(2031, 1, 7, 0, 30, tzinfo=UTC)) == TUESDAY
