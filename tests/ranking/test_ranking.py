"""A day is ordered by taste from one paper on, else by date and signals, and never fails for want of data."""

from datetime import UTC, datetime

import numpy as np
import pytest
from made_papers import ME, MONDAY, NOW, TUESDAY, arrival, did, fill, fortnight, made

from broadsheet.library import papers as library_papers
from broadsheet.library import readers
from broadsheet.papers import Arrival, Signal
from broadsheet.ranking.ranking import Index, rank
from broadsheet.readers import Following
from broadsheet.search.growing import VectorsWriter


def slate(library, index, seed=1, day=TUESDAY):
    with library.read() as connection:
        return rank(connection, index, ME, day, seed)


def ids(slate):
    return [offer.ranked.paper.id for offer in slate.offered]


def are_sky(slate):
    return [offer.ranked.paper.categories[0] == "astro-ph.GA" for offer in slate.offered]


def add_vectors(library, directory, only=None):
    """Sky papers point one way, code papers another; written as the index does."""
    with library.read() as connection:
        papers = dict(library_papers.every(connection))
    chosen = [(key, paper) for key, paper in papers.items() if only is None or paper.id in only]
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(len(chosen), 16)) * 0.1
    for row, (_, paper) in zip(rows, chosen, strict=True):
        row[0 if paper.categories[0] == "astro-ph.GA" else 1] += 1
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    keys = np.array([key for key, _ in chosen], np.int64)
    days = np.full(len(keys), MONDAY.toordinal(), np.int64)
    with VectorsWriter(directory, "made", "m0del", 16, 1.0) as writer:
        writer.add(rows.astype(np.float32), keys, np.ones(len(keys), np.int64), days)
    return Index(directory, "made")


def test_without_any_interaction_the_order_goes_by_upvotes_and_then_by_date(library, index):
    voted, newer, older = made("sky", 1, TUESDAY), made("sky", 2, TUESDAY), made("sky", 3, MONDAY)
    signal = [
        Signal(voted.id, "upvotes", votes, datetime(2031, 1, day, tzinfo=UTC))
        for votes, day in ((9, 6), (3, 7))
    ]
    told = arrival(voted)
    fill(
        library,
        [arrival(older, TUESDAY, "cross"), arrival(newer), Arrival(voted, told.announcements, tuple(signal))],
    )
    found = slate(library, index)
    assert found.basis == "date_and_signals"
    assert found.trained_through is None
    assert ids(found) == [voted.id, newer.id, older.id]
    assert found.offered[0].ranked.score == pytest.approx(2 - 0.1)
    assert found.offered[0].ranked.reasons[0].text == "3 upvotes"
    assert "not saved, liked or dismissed" in found.notices[0]


def test_one_saved_paper_brings_its_kind_to_the_top(library, index):
    """B64: one like, no dislike."""
    fortnight(library)
    did(library, "saved", made("sky", 3))
    found = slate(library, index)
    assert found.basis == "taste"
    assert found.notices[0] == "learning: 1 vote"
    assert all(are_sky(found)[:8])
    assert found.trained_through == 1


def test_three_dismissed_papers_alone_push_their_kind_down(library, index):
    """B64: no like, three dislikes."""
    fortnight(library)
    did(library, "dismissed", made("sky", 3), made("sky", 4), made("sky", 5))
    found = slate(library, index)
    assert found.notices[0] == "learning: 3 votes"
    assert not any(are_sky(found)[:8])


def test_what_was_done_last_counts(library, index):
    fortnight(library)
    did(library, "dismissed", made("sky", 3), hour=7)
    did(library, "saved", made("sky", 3), hour=8)
    assert all(are_sky(slate(library, index))[:8])


def test_words_alone_are_said_to_be_words_alone(library, index):
    fortnight(library)
    did(library, "saved", made("sky", 3))
    found = slate(library, index)
    assert "ranked by words alone" in found.notices[1]
    assert found.index_version.endswith("no vectors")


def test_vectors_are_used_and_the_nearest_kept_paper_is_named(library, tmp_path):
    fortnight(library)
    did(library, "saved", made("code", 3))
    index = add_vectors(library, tmp_path / "index")
    found = slate(library, index)
    assert not any(are_sky(found)[:8])
    meaning = [reason for reason in found.offered[0].ranked.reasons if reason.feature == "meaning"][0]
    assert meaning.share > 0
    assert f"“{made('code', 3).title}”" in meaning.text
    assert found.notices == ("learning: 1 vote",)


def test_papers_without_their_vector_stand_beside_the_others_and_are_counted(library, tmp_path):
    """B65: a voted paper that the features do not know does not stop the page."""
    fortnight(library)
    did(library, "saved", made("code", 3), made("code", 4))
    with library.read() as connection:
        known = {paper.id for _, paper in library_papers.every(connection)}
    index = add_vectors(library, tmp_path / "index", known - {made("code", 3).id, made("code", 501).id})
    found = slate(library, index)
    assert "1 of 20 papers of this day have no vector yet" in found.notices[1]
    assert len(found.offered) == 20


def test_a_vote_on_a_paper_that_came_after_the_word_state_is_no_fault(library, index):
    """B65: features made before the paper that was voted on."""
    fortnight(library)
    did(library, "saved", made("sky", 1))
    slate(library, index)
    fill(library, [arrival(made("code", 900, MONDAY))])
    did(library, "liked", made("code", 900))
    assert len(slate(library, index).offered) == 20


def test_broken_vectors_are_said_to_be_broken(library, tmp_path):
    fortnight(library)
    did(library, "saved", made("code", 3))
    index = add_vectors(library, tmp_path / "index")
    (tmp_path / "index" / "vectors" / "made" / "manifest.json").write_text("{")
    found = slate(library, index)
    assert found.notices[1].startswith("Ranked by words alone: ")
    assert len(found.offered) == 20


@pytest.mark.parametrize("kept", ["saved", "dismissed"])
def test_scores_are_the_sums_of_their_shares_and_chances_are_above_zero(library, tmp_path, kept):
    fortnight(library)
    did(library, kept, made("sky", 3), made("sky", 4))
    for offer in slate(library, add_vectors(library, tmp_path / "index")).offered:
        assert sum(r.share for r in offer.ranked.reasons) == pytest.approx(offer.ranked.score, abs=1e-6)
        assert 0 < offer.chance <= 1
        assert offer.exploring == any(r.feature == "draw" for r in offer.ranked.reasons)


def test_the_same_state_and_seed_give_the_same_slate(library, index):
    fortnight(library)
    did(library, "saved", made("sky", 3))
    assert slate(library, index, seed=5) == slate(library, index, seed=5)
    drawn = {tuple(ids(slate(library, index, seed=seed))[8:10]) for seed in range(6)}
    assert len(drawn) > 1


def test_a_followed_author_stands_first(library, index):
    fortnight(library)
    did(library, "saved", made("sky", 3))
    other = made("code", 510, TUESDAY)
    fill(library, [arrival(other)])
    with library.write() as connection:
        readers.follow(connection, ME.id, [Following(ME.id, "word", other.title, True)])
    reasons = [o.ranked.reasons for o in slate(library, index).offered if o.ranked.paper.id == other.id][0]
    assert reasons[-1].feature in ("followed_word", "draw")


def test_a_day_without_candidates_is_an_empty_slate(library, index):
    fortnight(library)
    assert slate(library, index, day=NOW.date().replace(year=2032)).offered == ()
    did(library, "saved", made("sky", 3))
    assert slate(library, index, day=NOW.date().replace(year=2032)).offered == ()


def test_a_library_of_one_saved_paper_and_one_candidate_is_enough(library, index):
    fill(library, [arrival(made("sky", 1, MONDAY)), arrival(made("sky", 2, TUESDAY))])
    did(library, "saved", made("sky", 1))
    assert ids(slate(library, index)) == [made("sky", 2).id]
