"""Words are counted as stated and weighed by TF-IDF, worked out by hand."""

from math import log, sqrt

import pytest

from broadsheet.ranking.words import DocumentCounts, words_of


def counted(*texts: str) -> DocumentCounts:
    counts = DocumentCounts()
    for text in texts:
        counts.add(text.split())
    return counts


def test_words_are_folded_and_numbers_are_none():
    assert words_of("Lévy ﬂights: 3D Models, 2031, x_i, 10kpc") == ["levy", "flights", "models", "kpc"]


def test_a_row_has_the_hand_worked_weights():
    """Two papers: "map" in both (idf 1), "star" in one (idf ln 1.5 + 1), counted three times."""
    vocabulary = counted("map star", "map").vocabulary()
    assert vocabulary.words == ("map", "star")
    row = vocabulary.rows([["star", "map", "star", "star"]]).toarray()[0]
    star = (1 + log(3)) * (log(1.5) + 1)
    assert row == pytest.approx([1 / sqrt(1 + star**2), star / sqrt(1 + star**2)])


def test_a_text_without_a_known_word_is_a_row_of_zeros_between_the_others():
    rows = counted("map star", "map").vocabulary().rows([["map"], ["unheard", "of"], [], ["star"]]).toarray()
    assert rows.tolist() == [[1, 0], [0, 0], [0, 0], [0, 1]]


def test_words_in_more_than_a_tenth_and_words_of_few_papers_are_left_out():
    """Of 1,000 papers: "often" in 101, "tenth" in 100, "five" in 5, "four" in 4."""
    texts = []
    for n in range(1000):
        stated = ["filler"] + ["often"] * (n < 101) + ["tenth"] * (n < 100)
        texts.append(" ".join(stated + ["five"] * (n < 5) + ["four"] * (n < 4)))
    assert counted(*texts).vocabulary().words == ("five", "tenth")


def test_a_library_of_one_paper_has_a_vocabulary():
    assert counted("one paper").vocabulary().words == ("one", "paper")
