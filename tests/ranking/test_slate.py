"""The list is the best by score with at most two of ten drawn, whose chances are told truly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broadsheet.ranking.slate import choose


@settings(deadline=None)
@given(st.lists(st.floats(-5, 5), max_size=60), st.integers(1, 30), st.integers(0, 2**32 - 1), st.booleans())
def test_every_candidate_is_offered_once_with_a_chance_above_zero(scores, length, seed, explore):
    chosen = choose(np.array(scores), length, seed, explore)
    assert sorted(chosen.order.tolist()) == list(range(len(scores)))
    assert ((chosen.chance > 0) & (chosen.chance <= 1 + 1e-12)).all()
    assert chosen.exploring.sum() <= 2
    assert not chosen.exploring[chosen.length :].any()


def test_scores_fall_with_rank_inside_the_list_and_ties_keep_their_order():
    chosen = choose(np.array([1.0, 3.0, 2.0, 3.0]), 3, 0, False)
    assert chosen.order.tolist() == [1, 3, 2, 0]
    scores = np.random.default_rng(0).normal(size=40)
    assert (np.diff(scores[choose(scores, 10, 7, True).order[:10]]) <= 0).all()


def test_eight_of_ten_are_the_best_and_two_are_marked_as_drawn():
    chosen = choose(-np.arange(100.0), 10, 5, True)
    assert chosen.order[:8].tolist() == list(range(8))
    assert chosen.exploring[:10].tolist() == [False] * 8 + [True] * 2
    assert chosen.chance[:8].tolist() == [1] * 8


@pytest.mark.parametrize("length", [5, 10])
def test_chances_are_how_often_papers_stand_in_lists_of_other_seeds(length):
    scores = -np.arange(30.0)
    told = choose(scores, length, 0, True)
    chance = dict(zip(told.order.tolist(), told.chance.tolist(), strict=True))
    stood = np.zeros(30)
    for seed in range(1000):
        stood[choose(scores, length, seed, True).order[:length]] += 1
    assert [chance[i] for i in range(30)] == pytest.approx((stood / 1000).tolist(), abs=0.06)
    assert sum(chance.values()) == pytest.approx(length)


def test_the_same_seed_draws_the_same():
    scores = np.random.default_rng(1).normal(size=50)
    assert choose(scores, 10, 3, True).order.tolist() == choose(scores, 10, 3, True).order.tolist()


def test_nothing_is_drawn_where_all_fit_or_nobody_explores():
    assert not choose(np.arange(10.0), 10, 0, True).exploring.any()
    assert not choose(np.arange(90.0), 10, 0, False).exploring.any()
