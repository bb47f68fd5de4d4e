"""Filters inside retrieval: whichever way they are applied, the nearest of all that pass are found."""

from datetime import date, timedelta

import numpy as np
import pytest
from few_papers import paper
from hypothesis import given, settings
from hypothesis import strategies as st

from broadsheet.search import matching, narrowing, retrieval
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.narrowing import Restriction, Search
from broadsheet.search.query import Clause
from broadsheet.search.vectors import Vectors
from broadsheet.search.words import Words, WordsWriter

COUNT = 600
FIRST = date(2031, 1, 1)
CATEGORIES = ("cs.AA", "cs.BB", "math.CC")


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """600 papers over 60 days and 3 categories; every seventh is a survey, one in 200 has a rare word."""
    rng = np.random.default_rng(9)
    vectors = rng.normal(size=(COUNT, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    place = tmp_path_factory.mktemp("index")
    days = [FIRST + timedelta(days=int(day)) for day in rng.integers(0, 60, COUNT)]
    with WordsWriter(place / "words") as writer:
        for key in range(COUNT):
            title = "survey" if key % 7 == 0 else "rare" if key % 200 == 1 else "note"
            made = paper(f"file:{key:016x}", title, categories=(CATEGORIES[key % 3],))
            writer.put(key, made, days[key])
        writer.commit(COUNT)
    with VectorsWriter(place, "tiny", "m", 8, 1.0) as writer:
        ordinals = np.array([day.toordinal() for day in days])
        writer.add(vectors, np.arange(COUNT), np.ones(COUNT, np.int64), ordinals)
    return Words.open(place / "words"), Vectors.open(place, "tiny"), vectors, days


def passes(key: int, day: date, restriction: dict) -> bool:
    title = "survey" if key % 7 == 0 else "rare" if key % 200 == 1 else "note"
    return (
        all(CATEGORIES[key % 3].lower() == wanted for wanted in restriction["categories"])
        and all(title == wanted for wanted in restriction["required"])
        and all(title != unwanted for unwanted in restriction["excluded"])
        and (restriction["within"] is None or key in restriction["within"])
        and (restriction["since"] is None or day >= restriction["since"])
    )


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {
            "categories": st.lists(st.sampled_from(["cs.aa", "math.cc"]), max_size=1),
            "required": st.lists(st.sampled_from(["survey", "rare", "nothing"]), max_size=1),
            "excluded": st.lists(st.sampled_from(["survey", "note"]), max_size=2),
            "within": st.none() | st.frozensets(st.integers(0, COUNT - 1), max_size=200),
            "since": st.none() | st.integers(0, 59).map(lambda days: FIRST + timedelta(days=days)),
        }
    ),
    st.sampled_from([0, 100, 1000]),
    st.integers(0, COUNT - 1),
)
def test_the_nearest_that_pass_are_found_whether_listed_or_asked(index, wanted, most_listed, about) -> None:
    words, vectors, exact, days = index
    required = [matching.in_categories(words.schema, [name]) for name in wanted["categories"]]
    required += [matching.condition(words.schema, Clause("title", name)) for name in wanted["required"]]
    excluded = [matching.condition(words.schema, Clause("title", name)) for name in wanted["excluded"]]
    within = None if wanted["within"] is None else np.array(sorted(wanted["within"]), np.int64)
    restriction = Restriction(tuple(required), tuple(excluded), wanted["since"], None, within)
    search = Search(exact[about], 20, -2.0)
    found = narrowing.nearest(words, vectors, search, restriction, most_listed)
    left = [key for key in range(COUNT) if passes(key, days[key], wanted)]
    best = sorted((float(exact[key] @ exact[about]) for key in left), reverse=True)[:20]
    assert set(found.keys.tolist()) <= set(left)
    assert found.scores.tolist() == pytest.approx(best, abs=1e-4)
    if most_listed == 1000:
        assert found.reaching == len(left)


def test_the_few_that_a_filter_leaves_are_found_however_far_away_they_are(index) -> None:
    words, vectors, exact, _ = index
    rare = matching.condition(words.schema, Clause("title", "rare"))
    for most_listed in (0, 1000):
        search = Search(-exact[1], 5, 0.9)
        found = narrowing.nearest(words, vectors, search, Restriction((rare,)), most_listed)
        assert sorted(found.keys.tolist()) == [1, 201, 401]


@pytest.mark.parametrize("count", [10, 1000])
@pytest.mark.parametrize("text", ["rare note", "survey", "nothing"])
def test_all_scores_of_the_candidates_are_those_that_asking_for_each_gives(index, text, count) -> None:
    """Whether the words index told of all that match at once (1,000) or must be asked again (10)."""
    words, vectors, exact, _ = index
    wanted = retrieval.wanted(words, text, exact[5])
    categories = matching.in_categories(words.schema, ["cs.AA"])
    for restriction in (Restriction(), Restriction((categories,))):
        found = retrieval.candidates(words, vectors, wanted, restriction, count)
        same = retrieval.of_pool(words, vectors, wanted, found.keys)
        assert found.words.tolist() == pytest.approx(same.words.tolist())
        assert found.meaning.tolist() == pytest.approx(same.meaning.tolist())
        assert found.total >= len(found.keys[(found.words > 0) | (found.meaning >= 0.35)])


@pytest.mark.parametrize("length", [0, 1, 20, 59, 400])
def test_days_looked_up_one_by_one_and_as_a_range_hold_the_same_papers(index, length) -> None:
    words, _, _, days = index
    since = FIRST + timedelta(days=59 - min(length, 59))
    asked = matching.in_days(words.schema, since, since + timedelta(days=length))
    assert words.count(asked) == sum(since <= day <= since + timedelta(days=length) for day in days)
    open_ended = Restriction(since=since).matches(words)
    assert words.count(open_ended[0]) == sum(day >= since for day in days)
    assert words.last_day == max(days)
