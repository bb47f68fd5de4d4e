"""Searching on words alone: what is found, in which order, and that no text is an error."""

from datetime import date

import pytest
from few_papers import paper
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from broadsheet.errors import BadQuery, IndexBroken, UsageError
from broadsheet.search.index import update_words, words_folder
from broadsheet.search.words import Words, WordsWriter

PAPERS = (
    paper(
        "arxiv:3101.00001",
        "Diffusion models: a survey of half-steps",
        "We survey samplers.",
        ("Ada Q. Quillfeather",),
    ),
    paper("arxiv:3101.00002", "扩散模型综述", "一个综述。", ("Wei Zhang",), ("cs.LG",)),
    paper(
        "arxiv:3101.00003",
        "Lévy flights in foraging",
        "Random walks.",
        ("A. Quillfeather",),
        ("math.PR", "cs.LG"),
    ),
    paper(
        "arxiv:3101.00004",
        "Ｇraph kernels",
        "Kernels for graphs, graphs, graphs.",
        ("Alan Quillfeather",),
        ("cs.DS",),
    ),
    paper(
        "arxiv:3101.00005",
        "Survey of samplers",
        "A diffusion model survey.",
        (),
        ("cs.CL",),
        announced=date(2031, 1, 14),
    ),
    paper(
        "doi:10.1101/2031.01.01.573901", "Cells that remember", "Memory in cells.", ("Bo Ek",), ("biology",)
    ),
)


@pytest.fixture
def search(search_among):
    return search_among(*PAPERS)


def ids(found) -> list[str]:
    return [result.paper.id.rsplit(":")[-1] for result in found.results]


def test_a_whole_title_brings_its_paper_first(search) -> None:
    """Case B74: a colon and a hyphen in the title are no operators."""
    found = search("Diffusion models: a survey of half-steps")
    assert ids(found)[0] == "3101.00001"
    assert found.results[0].reasons[0].feature == "exact"


@pytest.mark.parametrize(
    "text", ["arXiv:3101.00003v2", "3101.00003", "https://arxiv.org/pdf/3101.00003v1.pdf"]
)
def test_an_identifier_in_any_form_brings_its_paper_first(search, text) -> None:
    assert ids(search(text)) == ["3101.00003"]


def test_an_identifier_among_words_comes_first(search) -> None:
    assert ids(search("survey 3101.00003"))[0] == "3101.00003"


def test_an_identifier_that_is_not_held_finds_nothing_and_says_so(search) -> None:
    found = search("arxiv:3012.99999")
    assert (found.results, found.total) == ([], 0)
    assert any("arxiv:3012.99999" in notice for notice in found.notices)


def test_han_text_is_found_by_any_part_of_it(search) -> None:
    """Case B73."""
    assert ids(search("模型")) == ["3101.00002"]
    assert ids(search("综")) == ["3101.00002"]


@pytest.mark.parametrize("text", ["levy flights", "LÉVY", "ｌｅｖｙ", "Le\u0301vy"])
def test_accents_and_widths_fold_both_ways(search, text) -> None:
    """Case B73."""
    assert ids(search(text)) == ["3101.00003"]


def test_full_width_text_is_found_by_plain_letters(search) -> None:
    assert ids(search("graph")) == ["3101.00004"]


@pytest.mark.parametrize("name", ["quillfeather_a", "Quillfeather A", "A. Quillfeather", "quillfeather"])
def test_an_author_is_found_by_initials_and_underscores(search, name) -> None:
    """Case B76: with the field, by option and as plain text."""
    wanted = {"3101.00001", "3101.00003", "3101.00004"}
    assert set(ids(search(f'author:"{name}"'))) == wanted
    assert set(ids(search("", author=name))) == wanted
    assert wanted <= set(ids(search(name)))


def test_a_full_name_finds_the_printed_initial_but_no_other_first_name(search) -> None:
    assert set(ids(search('author:"Ada Quillfeather"'))) == {"3101.00001", "3101.00003"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"survey of samplers"', {"3101.00005"}),
        ("survey -diffusion", set()),
        ("samplers -half", {"3101.00005"}),
        ("title:survey", {"3101.00001", "3101.00005"}),
        ("cat:cs.LG", {"3101.00002", "3101.00003"}),
        (
            "cat:cs cat:biology",
            {"3101.00002", "3101.00003", "3101.00004", "3101.00005", "2031.01.01.573901"[-10:]},
        ),
        ("survey since:2031-01-14", {"3101.00005"}),
        ("survey until:2031-01-13", {"3101.00001"}),
        ("id:3101.00004v3", {"3101.00004"}),
        ("kernels -id:3101.00004", set()),
        ("cat:cs -cat:cs.LG -cat:cs.CL", {"3101.00004"}),
        ("id:3101.00004 id:https://arxiv.org/abs/3101.00001", {"3101.00004", "3101.00001"}),
        ('-"random walks" cat:math', set()),
    ],
)
def test_operators_choose_papers(search, query, expected) -> None:
    shown = {result.paper.id.rsplit(":")[-1][-10:] for result in search(query).results}
    assert shown == expected


def test_days_and_categories_given_beside_the_query_count_as_well(search) -> None:
    assert ids(search("survey", since=date(2031, 1, 14))) == ["3101.00005"]
    assert ids(search("flights", categories=("cs.CL", "cs.LG"))) == ["3101.00003"]
    assert ids(search("flights", categories=("cs.CL",))) == []


def test_only_named_papers_are_found_when_the_search_is_within_them(search) -> None:
    assert search("survey", within=frozenset()).results == []


def test_filters_alone_list_the_newest_first(search) -> None:
    found = search("since:2031")
    assert ids(found)[0] == "3101.00005"
    assert found.total == 6
    assert [reason.feature for reason in found.results[0].reasons] == ["date"]


def test_shares_add_up_and_scores_fall_with_rank(search) -> None:
    found = search("a survey of diffusion samplers")
    scores = [result.score for result in found.results]
    assert scores == sorted(scores, reverse=True)
    assert [result.rank for result in found.results] == list(range(1, len(scores) + 1))
    for result in found.results:
        assert sum(reason.share for reason in result.reasons) == pytest.approx(result.score, abs=1e-6)


def test_nothing_found_is_an_empty_list(search) -> None:
    found = search("zzyzx")
    assert (found.results, found.total) == ([], 0)


def test_words_alone_are_told_in_a_notice(search) -> None:
    assert any("words alone" in notice for notice in search("survey").notices)


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_limit_that_makes_no_sense_is_refused(search, limit) -> None:
    with pytest.raises(UsageError):
        search("survey", limit=limit)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet="\"-:()[]{}^~*?\\/+&|! aAsince'until:id 2031扩ํ\u0301\x00", max_size=40),
    )
)
def test_any_text_is_a_query(search, text) -> None:
    try:
        found = search(text)
    except BadQuery:
        assert "since:" in text.lower() or "until:" in text.lower() or "has:" in text.lower()
    else:
        assert found.total >= len(found.results)


def test_a_changed_paper_is_found_by_its_new_words_only(library, take_in, search, tmp_path) -> None:
    """Case B19: a second version replaces the first."""
    take_in(paper("arxiv:3101.00004", "Tree kernels", "Kernels for trees.", version=2))
    with library.read() as connection:
        assert update_words(connection, tmp_path / "index") == 1
    assert ids(search("graph")) == []
    assert ids(search("trees")) == ["3101.00004"]


def test_the_index_tells_when_it_is_behind(library, take_in, search) -> None:
    take_in(paper("arxiv:3101.00009", "Late words"))
    assert any("not in the index" in notice for notice in search("survey").notices)


def test_a_second_update_has_nothing_to_do(library, search, tmp_path) -> None:
    with library.read() as connection:
        assert update_words(connection, tmp_path / "index") == 0


def test_work_that_was_not_committed_leaves_the_earlier_state(search, tmp_path) -> None:
    place = words_folder(tmp_path / "index")
    before = Words.open(place).covered
    with WordsWriter(place) as writer:
        writer.put(99, PAPERS[0], None)
    assert (Words.open(place).covered, len(Words.open(place))) == (before, 6)


def test_an_index_of_another_version_is_refused_and_can_be_made_again(library, search, tmp_path) -> None:
    """Case B79."""
    (words_folder(tmp_path / "index") / "broadsheet.json").write_text('{"format": 0}')
    with pytest.raises(IndexBroken):
        search("survey")
    with library.read() as connection:
        assert update_words(connection, tmp_path / "index", rebuild=True) == 6
    assert ids(search("levy")) == ["3101.00003"]


def test_a_damaged_index_is_refused(search, tmp_path) -> None:
    (words_folder(tmp_path / "index") / "meta.json").write_text("{")
    with pytest.raises(IndexBroken):
        search("survey")
