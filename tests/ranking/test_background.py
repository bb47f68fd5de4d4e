"""The word state can be deleted, is never executed, and follows the library as it grows."""

import numpy as np
import pytest
from made_papers import MONDAY, arrival, fill, made
from scipy.sparse import csr_array

from broadsheet.errors import IndexBroken
from broadsheet.ranking.background import (
    WordState,
    background_for,
    load_word_state,
    make_word_state,
    refresh_word_state,
    sample,
    word_state,
)
from broadsheet.ranking.words import Vocabulary


def test_a_sample_is_drawn_by_its_seed_and_hardly_changes_as_the_library_grows():
    keys = np.arange(1000)
    drawn = sample(keys, 100, 1)
    assert len(set(drawn.tolist())) == 100
    assert sample(keys, 100, 1).tolist() == drawn.tolist()
    assert len(set(sample(keys, 100, 2).tolist()) & set(drawn.tolist())) < 30
    assert sample(keys, 50, 1).tolist() == drawn[:50].tolist()
    assert len(set(sample(np.arange(1100), 100, 1).tolist()) & set(drawn.tolist())) >= 80
    assert abs(drawn.mean() - 499.5) < 100


def test_what_is_written_is_what_is_read(library, index):
    fill(library, [arrival(made(kind, n)) for n in range(15) for kind in ("sky", "code")])
    with library.read() as connection:
        state = make_word_state(connection, index.directory)
    read = load_word_state(index.directory)
    assert read.vocabulary.words == state.vocabulary.words
    assert read.keys.tolist() == state.keys.tolist()
    assert set(read.categories) == {("astro-ph.GA",), ("cs.CL",)}
    assert read.papers == 30
    assert (read.rows.toarray() == state.rows.toarray()).all()
    assert np.linalg.norm(read.rows.toarray(), axis=1) == pytest.approx(np.ones(30))


def test_the_state_follows_the_library_once_it_has_grown_by_a_quarter(library, index):
    fill(library, [arrival(made("sky", n)) for n in range(40)])
    with library.read() as connection:
        assert refresh_word_state(connection, index.directory)
        assert not refresh_word_state(connection, index.directory)
    fill(library, [arrival(made("code", n)) for n in range(9)])
    with library.read() as connection:
        assert not refresh_word_state(connection, index.directory)
    fill(library, [arrival(made("code", 9, MONDAY))])
    with library.read() as connection:
        assert refresh_word_state(connection, index.directory)
        assert load_word_state(index.directory).papers == 50


@pytest.mark.parametrize("damage", ["cut", "empty", "pickle", "array", "foreign", "folderless"])
def test_a_damaged_or_crafted_file_is_refused_and_made_again(library, index, damage):
    """B79: nothing in the file is executed."""
    fill(library, [arrival(made("sky", n)) for n in range(20)])
    with library.read() as connection:
        make_word_state(connection, index.directory)
        place = index.directory / "taste" / "words.npz"
        whole = place.read_bytes()
        if damage == "cut":
            place.write_bytes(whole[: len(whole) // 2])
        elif damage == "empty":
            place.write_bytes(b"")
        elif damage == "pickle":
            np.savez(place, header=np.array([{"format": 1}], dtype=object))
        elif damage == "array":
            place.unlink()
            np.save(place.with_suffix(""), np.arange(3))
            place.with_suffix(".npy").rename(place)
        elif damage == "foreign":
            np.savez(place, header=np.frombuffer(b'{"format": 99}', np.uint8))
        else:
            place.unlink()
        with pytest.raises(IndexBroken):
            load_word_state(index.directory)
        assert word_state(connection, index.directory).papers == 20
    assert load_word_state(index.directory).papers == 20


def test_an_empty_library_has_a_state(library, index):
    with library.read() as connection:
        assert make_word_state(connection, index.directory).rows.shape == (0, 0)
    assert load_word_state(index.directory).vocabulary.words == ()


def drawn(count_sky, count_code):
    categories = (("astro-ph.GA",),) * count_sky + (("cs.CL", "cs.LG"),) * count_code
    keys = np.arange(len(categories)) + 1
    return WordState(Vocabulary((), np.zeros(0)), keys, categories, csr_array((len(keys), 0)), len(keys), 1)


def test_the_background_is_of_the_followed_field_without_known_papers_and_those_of_the_day():
    chosen = background_for(drawn(150, 300), known=[1, 2], day=[3, 400], wanted=["astro-ph"])
    assert chosen.tolist() == list(range(3, 150))
    assert len(background_for(drawn(150, 300), [1, 2], [3, 400], [])) == 446
    assert background_for(drawn(0, 6000), [], [], ["cs.LG"]).tolist() == list(range(5000))


def test_where_too_few_are_left_the_day_counts_too_and_then_all_fields():
    assert len(background_for(drawn(150, 300), [1], list(range(1, 151)), ["astro-ph"])) == 149
    assert len(background_for(drawn(50, 300), [1], [2, 351], ["astro-ph"])) == 348
    assert len(background_for(drawn(5, 5), [1], list(range(1, 11)), ["astro-ph"])) == 9
