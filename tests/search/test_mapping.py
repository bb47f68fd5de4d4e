"""Old vectors beside new ones: learned, measured, refused where they would not do, kept in a plain file."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from broadsheet.errors import IndexBroken
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.mapping import Ends, Titles, kept_aside, learn, place_of, read, save
from broadsheet.search.mixed import Mixed
from broadsheet.search.narrowing import Search
from broadsheet.search.vectors import Among, Nearest, Vectors

OLD, NEW = 24, 16
ENDS = Ends("old", "m-old", "new", "m-new")


def _unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture
def papers():
    """Old and new vectors of 400 papers, one a linear image of the other, and titles near to each."""
    rng = np.random.default_rng(5)
    old = _unit(rng.normal(size=(400, OLD)))
    image = rng.normal(size=(OLD, NEW))
    new = _unit(old @ image + 0.05 * rng.normal(size=(400, NEW)))
    return old, new, image


def _learned(old, new, noise: float = 0.05):
    rng = np.random.default_rng(6)
    aside, _ = kept_aside(len(old))
    titles = [_unit(v[aside] + noise * rng.normal(size=v[aside].shape)) for v in (new, old)]
    return learn(ENDS, old, new, Titles(*titles))


def test_a_map_is_measured_on_papers_that_it_has_not_seen(papers) -> None:
    old, new, _ = papers
    learned = _learned(old, new)
    assert (learned.measured.pairs, learned.measured.kept_aside) == (400, 80)
    assert learned.measured.cosine > 0.98
    assert learned.measured.neighbours > 0.8
    assert learned.measured.found_by_new >= learned.measured.found_by_map > 0.95
    assert learned.measured.will_do
    assert (learned.forward(old) * new).sum(axis=1).mean() > 0.98


def test_vectors_that_have_nothing_in_common_would_not_do(papers) -> None:
    old, new, _ = papers
    learned = _learned(np.random.default_rng(7).permutation(old), new)
    assert learned.measured.cosine < 0.5
    assert not learned.measured.will_do


def test_cosines_of_another_scale_are_brought_to_that_of_the_new_ones() -> None:
    """Old vectors that all point one way: their cosines lie between 0.9 and 1."""
    rng = np.random.default_rng(8)
    new = _unit(rng.normal(size=(400, NEW)))
    old = _unit(np.concatenate([new, np.full((400, OLD - NEW), 1.2)], axis=1))
    learned = _learned(old, new, noise=0.02)
    by_old, by_new = old[:50] @ old[50:].T, new[:50] @ new[50:].T
    assert by_old.mean() > 0.9
    assert learned.shift + learned.factor * by_old == pytest.approx(by_new, abs=0.12)
    assert learned.measured.found_by_old > 0.95


def test_a_map_is_kept_in_a_plain_file(papers, tmp_path) -> None:
    learned = _learned(*papers[:2])
    path = place_of(tmp_path, "new")
    save(path, learned)
    again = read(path)
    assert again.matrix.tobytes() == learned.matrix.tobytes()
    assert replace(again, matrix=learned.matrix) == learned
    with np.load(path, allow_pickle=False) as held:
        assert json.loads(str(held["header"]))["ends"]["old"] == "old"


@pytest.mark.parametrize("spoilt", ["cut", "text", "version", "pickle", "empty"])
def test_a_spoilt_map_is_named_and_the_way_out_told(papers, tmp_path, spoilt) -> None:
    path = place_of(tmp_path, "new")
    save(path, _learned(*papers[:2]))
    content = path.read_bytes()
    if spoilt == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif spoilt == "text":
        path.write_text("no archive")
    elif spoilt == "empty":
        with zipfile.ZipFile(path, "w"):
            pass
    else:
        header = json.dumps({"format": 2}) if spoilt == "version" else np.array([{}], object)
        with path.open("wb") as file:
            np.savez(file, header=np.array(header), matrix=np.zeros((2, 2)))
    with pytest.raises(IndexBroken, match=r"new\.npz") as caught:
        read(path)
    assert "encoder use new" in caught.value.next_step


@pytest.fixture
def mixed(papers, tmp_path):
    """Papers 0 to 399 with old vectors, of which 0 to 149 have new ones already."""
    old, new, _ = papers
    for name, vectors, count in (("old", old, 400), ("new", new, 150)):
        with VectorsWriter(tmp_path, name, f"m-{name}", vectors.shape[1], 0.8) as writer:
            keys = np.arange(count)
            writer.add(vectors[:count], keys, np.ones_like(keys), keys + 1)
    made = Vectors.open(tmp_path, "new")
    # The last five came after the old vectors were last set apart.
    rest = Vectors.open(tmp_path, "old").without(made.held()[:-5])
    return Mixed(made, rest, _learned(old, new))


def test_new_vectors_stand_where_they_are_and_mapped_ones_elsewhere(mixed, papers) -> None:
    old, new, _ = papers
    assert (len(mixed), mixed.mapped) == (405, 255)
    vectors, there = mixed.rows(np.array([3, 300, 999]))
    assert there.tolist() == [True, True, False]
    assert vectors[0] @ new[3] == pytest.approx(1, abs=1e-3)
    assert 0.9 < vectors[1] @ new[300] < 0.99999
    assert vectors[2].tolist() == [0] * NEW
    assert np.linalg.norm(vectors[1]) == pytest.approx(1, abs=1e-5)
    whole = mixed.rows(np.arange(400))[0].mean(axis=0)
    assert mixed.mean() == pytest.approx(whole, abs=0.02)


@pytest.mark.parametrize("asked", [False, True])
@pytest.mark.parametrize("named", [np.arange(400), np.arange(100, 300)])
def test_the_nearest_are_those_of_both_by_one_scale(mixed, papers, asked, named) -> None:
    old, new, _ = papers
    query = new[200]
    if asked:
        mixed = mixed.asking(old[200])
    scores = mixed.scores(query, np.arange(400))
    wanted = named[np.lexsort((named, -scores[named]))]
    near = mixed.nearest(Search(query, 20, 0.4), _among(named))
    assert near.keys.tolist() == wanted[:20].tolist()
    assert near.scores == pytest.approx(scores[near.keys], abs=1e-6)
    assert near.keys[0] == 200
    assert near.reaching == pytest.approx((scores[named] >= 0.4).sum(), rel=0.35)
    assert np.isin(near.some, named).all()
    assert len(np.unique(near.keys)) == 20


def _among(keys: np.ndarray):
    def ask(part: Vectors, search: Search) -> Nearest:
        return part.nearest(search.vector, Among(part.rows_of(keys)), search.count, search.threshold)

    return ask


def test_a_map_between_other_vectors_is_refused(mixed, papers, tmp_path) -> None:
    learned = _learned(*papers[:2])
    for ends in (replace(ENDS, old_model="other"), replace(ENDS, new_model="other")):
        with pytest.raises(IndexBroken, match="learned on other vectors"):
            Mixed(Vectors.open(tmp_path, "new"), Vectors.open(tmp_path, "old"), replace(learned, ends=ends))
