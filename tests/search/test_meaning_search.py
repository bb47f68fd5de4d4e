"""Words and meaning together, with vectors made from a library by a tiny encoder."""

from datetime import date

import numpy as np
import pytest
import tiny_bert
from few_papers import paper

from broadsheet.search.conversion.converting import convert
from broadsheet.search.finding import SearchRequest, find, similar
from broadsheet.search.fusion import WEIGHTS
from broadsheet.search.index import make_vectors, remove_vectors, report, update_words
from broadsheet.search.manifests import folder_of
from broadsheet.search.opening import vectors_at, words_at
from broadsheet.search.vectors import Among, Vectors

PAPERS = (
    paper("arxiv:3101.00001", "graph kernel", "graph kernel survey", announced=date(2031, 1, 13)),
    paper("arxiv:3101.00002", "levy walk", "walk walk levy", announced=date(2031, 1, 14)),
    paper("arxiv:3101.00003", "cell memory", "memory cell cell", announced=date(2031, 1, 15)),
    paper("arxiv:3101.00004", "tree walk", "walk tree", announced=date(2031, 1, 16)),
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    tiny_bert.write(folder)
    texts = [f"{p.title}. {p.abstract}" for p in PAPERS]
    return convert(folder, tmp_path_factory.mktemp("encoders") / "tiny", "tiny", texts)


@pytest.fixture
def index(library, take_in, tmp_path):
    take_in(*PAPERS)
    with library.read() as connection:
        update_words(connection, tmp_path / "index")
    return tmp_path / "index"


def make(library, index, encoder, limit=None):
    with library.read() as connection:
        return make_vectors(connection, index, encoder, limit)


def search(library, index, encoder, query: str, **options):
    with library.read() as connection:
        return find(connection, index, encoder, SearchRequest(query, **options))


def test_vectors_are_made_newest_day_first_and_only_once(library, index, encoder) -> None:
    first = make(library, index, encoder, 2)
    assert (first.made, first.pending) == (2, 2)
    with library.read() as connection:
        held = report(connection, index, "tiny")
        found = find(connection, index, encoder, SearchRequest("", limit=2))
    assert (held.papers, held.vectors, held.pending) == (4, 2, 2)
    newest = [result.paper.id for result in found.results]
    assert newest == ["arxiv:3101.00004", "arxiv:3101.00003"]
    assert Vectors.open(index, "tiny").rows(np.array([4, 3]))[1].all()
    assert make(library, index, encoder).made == 2
    assert make(library, index, encoder).made == 0


def test_a_search_tells_how_many_vectors_are_missing(library, index, encoder) -> None:
    make(library, index, encoder, 3)
    found = search(library, index, encoder, "walk")
    assert (found.vectors_done, found.vectors_pending) == (3, 1)
    assert any("no vector yet" in notice for notice in found.notices)


def test_both_parts_stand_in_the_reasons_and_add_up(library, index, encoder) -> None:
    make(library, index, encoder)
    found = search(library, index, encoder, "levy walk survey")
    words = {
        r.paper.id[-1]: reason.share
        for r in found.results
        for reason in r.reasons
        if reason.feature == "words"
    }
    first_list = WEIGHTS.words / (WEIGHTS.words + WEIGHTS.meaning)
    assert words["2"] == pytest.approx(first_list * (1 - WEIGHTS.neighbours))
    assert words.get("3", 0) == 0
    assert 0 < words["4"] < words["2"]
    for result in found.results:
        features = {reason.feature for reason in result.reasons}
        assert features - {"title"} == {"words", "meaning", "neighbours"}
        # Two of the three words stand in the title "levy walk": more than three fifths.
        assert ("title" in features) == (result.paper.id == "arxiv:3101.00002")
    for result in found.results:
        assert sum(reason.share for reason in result.reasons) == pytest.approx(result.score, abs=1e-6)
    assert found.total >= len(found.results)
    assert found.notices == []


def test_filters_hold_for_meaning_too(library, index, encoder) -> None:
    make(library, index, encoder)
    found = search(library, index, encoder, "walk since:2031-01-15 -tree")
    assert {result.paper.id for result in found.results} <= {"arxiv:3101.00003"}


def test_a_replaced_text_is_encoded_again(library, take_in, index, encoder) -> None:
    """Case B19."""
    make(library, index, encoder)
    before = Vectors.open(index, "tiny").rows(np.array([1]))[0][0]
    take_in(paper("arxiv:3101.00001", "cell memory", "cell", version=2))
    assert make(library, index, encoder).made == 1
    after = Vectors.open(index, "tiny")
    assert len(after) == 4
    assert not np.allclose(before, after.rows(np.array([1]))[0][0], atol=0.05)


def test_a_day_that_changed_later_moves_its_vector_without_encoding(library, take_in, index, encoder) -> None:
    """An earlier announcement turns up: the text stays, the day does not."""
    make(library, index, encoder)
    vector = Vectors.open(index, "tiny").rows(np.array([3]))[0]
    take_in(paper("arxiv:3101.00003", "cell memory", "memory cell cell", announced=date(2031, 1, 9)))
    assert make(library, index, encoder).made == 0
    with library.read() as connection:
        update_words(connection, index)
    moved = Vectors.open(index, "tiny")
    assert moved.rows(np.array([3]))[0].tolist() == vector.tolist()
    early = moved.nearest(vector[0], Among(until=date(2031, 1, 10)), 4)
    late = moved.nearest(vector[0], Among(since=date(2031, 1, 10)), 4)
    assert early.keys.tolist() == [3]
    assert sorted(late.keys.tolist()) == [1, 2, 4]
    found = search(library, index, encoder, "memory until:2031-01-10")
    assert [result.paper.id for result in found.results] == ["arxiv:3101.00003"]


def test_no_result_lies_outside_the_days_asked_for_even_before_its_vector_moved(
    library, take_in, index, encoder
) -> None:
    make(library, index, encoder)
    take_in(paper("arxiv:3101.00003", "cell memory", "memory cell cell", announced=date(2031, 1, 9)))
    found = search(library, index, encoder, "memory cell since:2031-01-15")
    assert "arxiv:3101.00003" not in [result.paper.id for result in found.results]


def test_the_missing_vectors_are_counted_from_what_changed_since(library, take_in, index, encoder) -> None:
    """Beside what a whole comparison says: nothing, new papers, another text, another day, a merger."""

    def pending() -> int:
        with library.read() as connection:
            return report(connection, index, "tiny").pending

    make(library, index, encoder, 3)
    assert pending() == 1
    take_in(paper("arxiv:3101.00005", "new walk"), paper("arxiv:3101.00006", "new tree"))
    assert pending() == 3
    take_in(paper("arxiv:3101.00004", "tree memory", "tree", version=2, announced=date(2031, 1, 16)))
    assert pending() == 4
    take_in(paper("arxiv:3101.00004", "tree memory graph", "tree", version=3, announced=date(2031, 1, 16)))
    assert pending() == 4
    take_in(paper("arxiv:3101.00003", "cell memory", "memory cell cell", announced=date(2031, 1, 9)))
    assert pending() == 4
    assert make(library, index, encoder, 1).pending == pending() == 3
    assert make(library, index, encoder).made == 3
    assert pending() == 0
    take_in(paper("arxiv:3101.00007", "kernel walk"))
    assert (pending(), make(library, index, encoder).made, pending()) == (1, 1, 0)


def test_an_index_that_changed_is_opened_anew_and_one_that_did_not_is_kept(
    library, take_in, index, encoder
) -> None:
    make(library, index, encoder, 2)
    words, vectors = words_at(index), vectors_at(index, "tiny")
    assert words_at(index) is words
    assert vectors_at(index, "tiny") is vectors
    make(library, index, encoder)
    assert len(vectors_at(index, "tiny")) == 4
    take_in(paper("arxiv:3101.00005", "new walk"))
    with library.read() as connection:
        update_words(connection, index)
    assert (len(words), len(words_at(index))) == (4, 5)
    with library.read() as connection:
        update_words(connection, index, rebuild=True)
    remove_vectors(index, "tiny")
    assert len(words_at(index)) == 5
    assert vectors_at(index, "tiny") is None


def test_similar_papers_leave_out_those_given(library, index, encoder) -> None:
    make(library, index, encoder)
    with library.read() as connection:
        found = similar(connection, index, "tiny", ["3101.00002"])
        pushed = similar(connection, index, "tiny", ["3101.00002"], ["3101.00001"])
    assert "arxiv:3101.00002" not in [result.paper.id for result in found.results]
    assert "arxiv:3101.00004" in [result.paper.id for result in found.results]
    assert {result.paper.id for result in pushed.results} <= {"arxiv:3101.00003", "arxiv:3101.00004"}
    for result in pushed.results:
        assert sum(reason.share for reason in result.reasons) == pytest.approx(result.score, abs=1e-6)


def test_similar_papers_are_found_by_words_without_an_encoder(library, index) -> None:
    with library.read() as connection:
        found = similar(connection, index, None, ["3101.00002"])
    assert [result.paper.id for result in found.results] == ["arxiv:3101.00004"]
    assert any("words alone" in notice for notice in found.notices)


def test_a_broken_segment_alone_is_made_again(library, index, encoder) -> None:
    for _ in range(2):
        make(library, index, encoder, 2)
    folder = folder_of(index, "tiny")
    names = Vectors.open(index, "tiny").manifest.segments
    content = bytearray((folder / names[-1]).read_bytes())
    content[520] ^= 1
    (folder / names[-1]).write_bytes(content)
    mended = make(library, index, encoder)
    assert mended.dropped == (names[-1],)
    assert mended.pending == 0
    assert len(Vectors.open(index, "tiny")) == 4


def test_a_rebuild_leaves_no_vectors_and_all_words(library, index, encoder) -> None:
    make(library, index, encoder)
    with library.read() as connection:
        remove_vectors(index, "tiny")
        assert update_words(connection, index, rebuild=True) == 4
        state = report(connection, index, "tiny")
    assert (state.papers, state.vectors, state.pending) == (4, 0, 4)
