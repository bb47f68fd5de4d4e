"""Shares add up to the score, in plain words; papers without text never win by being short (B68)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_papers import text

from broadsheet.ranking.evidence import Evidence, Lesson, judge
from broadsheet.ranking.reasons import Told, WordShares, taste_reasons
from broadsheet.ranking.words import DocumentCounts, words_of
from broadsheet.readers import Following

TEXTS = [" ".join(text(kind, n)) for n in range(30) for kind in ("sky", "code")]
AUTHOR = Following(1, "author", "Ada Nord", True)
WORD = Following(1, "word", "dark matter", True)


def vocabulary():
    counts = DocumentCounts()
    for told in TEXTS:
        counts.add(words_of(told))
    return counts.vocabulary()


VOCABULARY = vocabulary()


def rows(texts):
    return VOCABULARY.rows([words_of(t) for t in texts])


def seen(texts, held=True):
    rng = np.random.default_rng([len(t) for t in texts])
    vectors = rng.normal(size=(len(texts), 8)).astype(np.float32)
    return Evidence(rows(texts), vectors, np.full(len(texts), held))


def judged(known, answers, day, held=True):
    lesson = Lesson(seen(known, held), np.array(answers, np.int8), seen(TEXTS))
    return judge(lesson, seen(day), np.array([len(words_of(t)) for t in day]), np.zeros(8, np.float32))


def reasons(of, day, told, followed=()):
    by_words = rows(day)
    words = WordShares(
        VOCABULARY.words,
        by_words.indptr,
        by_words.indices,
        by_words.data * of.word_taste.weights[by_words.indices],
    )
    return [taste_reasons(of, i, told, words, followed) for i in range(len(day))]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=6),
    st.lists(st.sampled_from([*TEXTS, "", "x", "galaxy"]), min_size=1, max_size=12),
    st.booleans(),
)
def test_shares_add_up_to_the_score(answers, day, held):
    known = TEXTS[: len(answers)]
    of = judged(known, answers, day, held)
    told = [Told("T", answer > 0) for answer in answers]
    for score, why in zip(of.scores, reasons(of, day, told), strict=True):
        assert sum(reason.share for reason in why) == pytest.approx(score, abs=1e-9)
        assert all(reason.text for reason in why)


def test_reasons_name_the_words_and_the_nearest_paper():
    day = [TEXTS[20], TEXTS[21]]
    of = judged(TEXTS[0:8:2], [1, 1, 1, 1], day)
    words, meaning = reasons(of, day, [Told(f"Paper {n}", True) for n in range(4)])[0]
    assert words.feature == "words"
    assert words.text.startswith("words you keep: ")
    assert set(words.text.removeprefix("words you keep: ").split(", ")) <= set(TEXTS[20].lower().split())
    assert meaning.feature == "meaning"
    assert "“Paper " in meaning.text


def test_a_reader_who_only_dismissed_is_told_so():
    day = [TEXTS[20], TEXTS[21]]
    of = judged([TEXTS[0]], [-1], day)
    sky, code = reasons(of, day, [Told("Paper", False)])
    assert [sky[0].text, code[0].text] == ["words like those you dismiss", "words unlike those you dismiss"]
    assert sky[0].share < code[0].share
    assert sky[1].text == "nearest to “Paper”, which you dismissed"


def test_papers_without_text_stand_below_a_relevant_one_and_say_why():
    """B68: "", "x" and a relevant abstract among others."""
    day = ["", "x", TEXTS[20], TEXTS[21], TEXTS[23]]
    of = judged(TEXTS[0:8:2], [1, 1, 1, 1], day)
    assert of.short.tolist() == [-1, -1, 0, 0, 0]
    assert of.words[:2].tolist() == [0, 0]
    empty = reasons(of, day, [Told("T", True)] * 4)[0]
    assert ("short_text", -1.0) in [(reason.feature, reason.share) for reason in empty]
    assert of.words[2] > 0 > of.words[3]


def test_a_paper_without_a_vector_is_ranked_by_words_and_says_so():
    day = seen([TEXTS[20], TEXTS[21]])
    day = Evidence(day.rows, day.vectors, np.array([True, False]))
    lesson = Lesson(seen(TEXTS[0:4:2]), np.ones(2, np.int8), seen(TEXTS))
    of = judge(lesson, day, np.array([30, 30]), np.zeros(8, np.float32))
    assert of.meaning.tolist() == [0, 0]
    why = reasons(of, [TEXTS[20], TEXTS[21]], [Told("T", True)] * 2)[1]
    assert why[1].text == "not compared by meaning yet: its vector is still to be made"


def test_a_followed_author_and_a_followed_word_each_count_once():
    of = judged([TEXTS[0]], [1], [TEXTS[20]])
    why = reasons(of, [TEXTS[20]], [Told("T", True)], (AUTHOR, AUTHOR, WORD))[0]
    named = [(reason.feature, reason.text, reason.share) for reason in why if "followed" in reason.feature]
    assert named == [
        ("followed_author", "by Ada Nord, whom you follow", 2.0),
        ("followed_word", "“dark matter”, which you follow", 1.0),
    ]
