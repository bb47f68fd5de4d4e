"""A score is a sum of named shares: worked out by hand."""

import json
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.search import fusion
from broadsheet.search.fusion import (
    WEIGHTS,
    Weights,
    fuse,
    supported,
    with_exact,
    with_phrase,
    with_title,
    without,
)

HALVES = Weights(0.25, 0.25, 0.5)
KEYS = np.array([1, 2, 3])


def test_each_part_is_brought_to_one_and_weighed() -> None:
    """Words 0, 2, 4 are 0, .5, 1; cosines .2, .6, .4 are 0, 1, .5; each counts half in the first list."""
    first = fuse(KEYS, np.array([0.0, 2.0, 4.0]), np.array([0.2, 0.6, 0.4]), HALVES)
    assert first.keys.tolist() == [2, 3, 1]
    assert first.of("words").tolist() == pytest.approx([0.25, 0.5, 0])
    assert first.of("meaning").tolist() == pytest.approx([0.5, 0.25, 0])


def test_words_stand_for_all_where_there_is_no_vector() -> None:
    first = fuse(KEYS, np.array([0.0, 2.0, 4.0]), np.array([0.2, 0.6, np.nan]), HALVES)
    list_of = supported(first, np.eye(2, dtype=np.float32), HALVES)
    row = list_of.keys.tolist().index(3)
    assert (list_of.of("words")[row], list_of.scores[row]) == (1, 1)
    assert fuse(KEYS, np.array([0.0, 2.0, 4.0]), None, HALVES).of("words").tolist() == [1, 0.5, 0]


def test_support_is_the_mean_of_the_others_by_nearness() -> None:
    """Two equal vectors and one at right angles to both: the far one hears both equally, and each of the
    near two hears the other e^20 times as loudly as the far one."""
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    near = fusion.neighbours(vectors, np.array([0.8, 0.4, 0.0]))
    assert near == pytest.approx([0.4, 0.8, 0.6], abs=1e-6)


def test_a_paper_among_good_ones_rises_over_a_lonely_one() -> None:
    """First scores 1, .5, .45: the third has the first for its neighbour, the second has nobody near."""
    first = fuse(KEYS, np.array([1.0, 0.5, 0.45]), np.array([1.0, 0.5, 0.45]), HALVES)
    vectors = np.array([[1, 0, 0], [0, 1, 0], [0.9, 0, np.sqrt(0.19)]], np.float32)
    assert supported(first, vectors, HALVES).keys.tolist()[:2] == [1, 3]


def test_the_phrase_comes_before_all_else_but_an_exact_match() -> None:
    made = fuse(KEYS, np.array([4.0, 2.0, 0.0]), None)
    assert with_phrase(made, np.array([3])).keys.tolist() == [3, 1, 2]
    both = with_exact(with_phrase(made, np.array([3])), np.array([2, 9]))
    assert both.keys.tolist()[:3] == [2, 9, 3]
    assert both.scores[1] == fusion.EXACT_SHARE


def test_a_title_counts_from_three_fifths_of_the_words_on() -> None:
    made = with_title(fuse(KEYS, np.array([4.0, 2.0, 0.0]), None), {1: 0.5, 2: 0.6, 3: 1.0})
    assert made.keys.tolist() == [1, 2, 3]
    assert made.of("title").tolist() == pytest.approx([0, 0, 0.5])


def test_what_is_unlike_is_pushed_down() -> None:
    made = without(fuse(KEYS, np.array([4.0, 3.0, 0.0]), None), np.array([0.9, 0.1, np.nan]), 0.5)
    assert made.keys.tolist() == [2, 1, 3]
    assert made.of("unlike").tolist() == [0, -0.5, 0]


@given(st.lists(st.tuples(st.floats(0, 50), st.one_of(st.none(), st.floats(-1, 1))), min_size=1, max_size=40))
def test_shares_add_up_and_scores_fall(papers: list[tuple[float, float | None]]) -> None:
    words = np.array([each[0] for each in papers])
    meaning = np.array([np.nan if each[1] is None else each[1] for each in papers])
    first = fuse(np.arange(len(papers)), words, meaning)
    vectors = np.random.default_rng(0).normal(size=(len(fusion.leaders(first)), 3)).astype(np.float32)
    made = supported(first, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    assert sorted(made.keys.tolist()) == list(range(len(papers)))
    assert (np.diff(made.scores) <= 0).all()
    assert made.scores == pytest.approx(made.values.sum(axis=1))
    assert (made.scores >= -1e-9).all()
    assert (made.scores <= 1 + 1e-9).all()


def test_the_shipped_weights_sum_to_one_and_say_where_they_come_from() -> None:
    content = json.loads(resources.files("broadsheet.search").joinpath("weights.json").read_text("utf-8"))
    assert WEIGHTS.words + WEIGHTS.meaning + WEIGHTS.neighbours == pytest.approx(1, abs=2e-3)
    mean = content["ndcg@10, each collection's own judgements unseen"]["mean"]
    for part in ("words", "meaning"):
        assert mean[f"fused less {part}"][1] > 0
