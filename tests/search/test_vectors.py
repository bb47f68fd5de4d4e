"""Vectors: what is written is read again, replaced, merged, found, and survives damage."""

import hashlib
import json
import shutil
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broadsheet.errors import Busy, IndexBroken
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.manifests import folder_of
from broadsheet.search.scanning import best, dots, dots_by_numpy
from broadsheet.search.segments import Rows, decode, encode, encode_fine, is_whole, read, write
from broadsheet.search.vectors import Among, Vectors

LIMIT = 1.0
MONDAY, TUESDAY = date(2031, 1, 13), date(2031, 1, 14)


def writer(directory, model="m", dimension=4) -> VectorsWriter:
    return VectorsWriter(directory, "tiny", model, dimension, LIMIT)


def add(open_writer, rows: dict[int, list[float]], change=1, day=MONDAY) -> None:
    open_writer.add(
        np.array(list(rows.values()), np.float32),
        np.array(list(rows), np.int64),
        np.full(len(rows), change, np.int64),
        np.full(len(rows), day.toordinal() if day else 0, np.int64),
    )


NONE = np.empty(0, np.int64)
EAST, NORTH, WEST = [1.0, 0, 0, 0], [0, 1.0, 0, 0], [-1.0, 0, 0, 0]


@pytest.fixture
def three(tmp_path):
    with writer(tmp_path) as w:
        add(w, {1: EAST, 2: NORTH}, day=MONDAY)
        add(w, {3: WEST}, day=TUESDAY)
    return Vectors.open(tmp_path, "tiny")


def test_the_nearest_come_first_with_their_cosines(three) -> None:
    keys, scores = three.top(np.array(EAST, np.float32), 3)
    assert keys.tolist() == [1, 2, 3]
    assert scores.tolist() == pytest.approx([1, 0, -1])


def test_rows_come_in_the_order_asked_and_missing_ones_are_marked(three) -> None:
    vectors, there = three.rows(np.array([3, 9, 1]))
    assert there.tolist() == [True, False, True]
    assert vectors.tolist() == [WEST, [0, 0, 0, 0], EAST]


def test_the_mean_is_taken_over_all(three) -> None:
    assert three.mean().tolist() == pytest.approx([0, 1 / 3, 0, 0])


def test_filters_hold_inside_the_search(three) -> None:
    query = np.array(EAST, np.float32)

    def near(keys=None, banned=None, **days) -> list[int]:
        rows = [None if given is None else three.rows_of(given) for given in (keys, banned)]
        among = dict(zip(("named", "banned"), rows, strict=True)) | days
        return three.nearest(query, Among(**among), 3).keys.tolist()

    assert near(keys=np.array([2, 3, 8])) == [2, 3]
    assert near(banned=np.array([1])) == [2, 3]
    assert near(since=TUESDAY) == [3]
    assert near(until=MONDAY) == [1, 2]
    assert near(keys=np.array([1, 3]), since=TUESDAY) == [3]
    assert near(keys=np.array([1, 3]), banned=np.array([1])) == [3]
    assert near(keys=np.empty(0, np.int64)) == []


def test_papers_without_a_day_fall_out_of_every_range(tmp_path) -> None:
    with writer(tmp_path) as w:
        add(w, {1: EAST}, day=None)
    found = Vectors.open(tmp_path, "tiny").nearest(np.array(EAST, np.float32), Among(until=TUESDAY), 3)
    assert found.keys.tolist() == []


def test_reaching_counts_all_above_a_threshold(three) -> None:
    def reaching(threshold: float, keys: list[int] | None = None) -> list[int]:
        among = Among(None if keys is None else three.rows_of(np.array(keys)))
        near = three.nearest(np.array(EAST, np.float32), among, 1, threshold)
        assert near.reaching == len(near.some)
        return near.some.tolist()

    assert reaching(0.5) == [1]
    assert reaching(-0.5) == [1, 2]
    assert reaching(-0.5, [1, 2]) == [1, 2]
    assert reaching(0.5, [2, 3]) == []


def test_the_latest_text_wins(tmp_path) -> None:
    with writer(tmp_path) as w:
        add(w, {1: EAST, 2: EAST, 3: EAST, 4: EAST, 5: EAST})
        add(w, {1: NORTH}, change=2)
        vectors = w.vectors()
    assert vectors.segments == 2
    assert len(vectors) == 5
    assert vectors.rows(np.array([1]))[0].tolist() == [NORTH]
    assert vectors.top(np.array(NORTH, np.float32), 1)[0].tolist() == [1]
    assert vectors.mean().tolist() == pytest.approx([0.8, 0.2, 0, 0])


def test_merging_keeps_every_paper_once_and_few_segments(tmp_path) -> None:
    rng = np.random.default_rng(5)
    with writer(tmp_path, dimension=8) as w:
        for chunk in range(20):
            keys = rng.choice(60, 10, replace=False)
            vectors = np.full((10, 8), (chunk + 1) / 40, np.float32)
            days = rng.integers(700_000, 700_030, 10)
            w.add(vectors, keys, np.full(10, chunk + 1), days)
        vectors = w.vectors()
    keys = vectors.held()
    assert len(keys) == len(set(keys.tolist())) == len(vectors)
    assert vectors.segments <= 5
    assert (np.diff(keys) > 0).all()
    assert vectors.dated(keys)[1].max() == 20
    for name in vectors.manifest.segments:
        segment = read(folder_of(tmp_path, "tiny") / name)
        assert (np.diff(segment.rows.days) >= 0).all()
        assert is_whole(segment)


def test_a_gone_paper_is_not_found_and_returns_when_it_is_back(tmp_path) -> None:
    with writer(tmp_path) as w:
        add(w, {1: EAST, 2: NORTH})
        w.settle(np.array([1]), NONE, 5, 0)
        assert w.vectors().top(np.array(EAST, np.float32), 5)[0].tolist() == [2]
        w.settle(NONE, NONE, 6, 0)
        assert len(w.vectors()) == 2


def test_a_broken_segment_is_named_dropped_and_the_others_stay(tmp_path, three) -> None:
    folder = folder_of(tmp_path, "tiny")
    name = three.manifest.segments[0]
    content = bytearray((folder / name).read_bytes())
    content[600] ^= 1
    (folder / name).write_bytes(content)
    with writer(tmp_path) as w:
        assert w.dropped == [name]
        assert w.vectors().held().tolist() == ([3] if three.segments == 2 else [])


def test_a_segment_cut_short_is_refused_by_readers_and_remade_by_the_writer(tmp_path, three) -> None:
    path = folder_of(tmp_path, "tiny") / three.manifest.segments[0]
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(IndexBroken, match=path.name):
        Vectors.open(tmp_path, "tiny")
    with writer(tmp_path) as w:
        assert w.dropped == [path.name]


def test_a_segment_that_names_rows_beyond_its_own_is_refused_by_readers(tmp_path, three) -> None:
    path = folder_of(tmp_path, "tiny") / three.manifest.segments[0]
    order = np.arange(len(read(path)), dtype="<i8").tobytes()
    path.write_bytes(path.read_bytes().replace(order, np.full(len(order) // 8, 99, "<i8").tobytes()))
    with pytest.raises(IndexBroken, match=path.name):
        Vectors.open(tmp_path, "tiny")


def test_what_a_killed_writer_left_is_swept_up(tmp_path, three) -> None:
    folder = folder_of(tmp_path, "tiny")
    shutil.copyfile(folder / three.manifest.segments[0], folder / "00000099.segment")
    (folder / "00000100.segment.new").write_bytes(b"half")
    assert len(Vectors.open(tmp_path, "tiny")) == 3
    with writer(tmp_path) as w:
        assert len(w.vectors()) == 3
    assert not (folder / "00000099.segment").exists()
    assert not (folder / "00000100.segment.new").exists()


def test_vectors_of_another_model_are_never_mixed_in(tmp_path, three) -> None:
    """Case B67."""
    with pytest.raises(IndexBroken, match="another model"):
        writer(tmp_path, model="n")
    with pytest.raises(IndexBroken, match="another model"):
        writer(tmp_path, dimension=8)


def test_a_second_writer_is_told_to_wait(tmp_path) -> None:
    with writer(tmp_path), pytest.raises(Busy):
        writer(tmp_path)


def test_a_foreign_file_is_refused_and_never_run(tmp_path, three) -> None:
    """Case B79."""
    path = folder_of(tmp_path, "tiny") / three.manifest.segments[0]
    path.write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(IndexBroken):
        Vectors.open(tmp_path, "tiny")
    (path.parent / "manifest.json").write_text("[]")
    with pytest.raises(IndexBroken):
        Vectors.open(tmp_path, "tiny")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 40), st.integers(1, 9), st.integers(0, 2**32 - 1))
def test_a_segment_reads_back_what_was_written(tmp_path_factory, count, dimension, seed) -> None:
    rng = np.random.default_rng(seed)
    keys = rng.permutation(1000)[:count].astype(np.int64)
    rows = Rows(
        rng.integers(-127, 128, (count, dimension), dtype=np.int8),
        rng.integers(-127, 128, (count, dimension), dtype=np.int8),
        keys,
        rng.integers(1, 99, count),
        rng.integers(0, 5, count),
    )
    segment = write(tmp_path_factory.mktemp("segment") / "00000001.segment", [rows], dimension)
    assert is_whole(segment)
    found = segment.locate(keys)
    for name in ("codes", "fine", "keys", "text_changes", "days"):
        assert getattr(segment.rows, name)[found].tolist() == getattr(rows, name).tolist()
    assert segment.locate(np.array([5000])).tolist() == [-1]


def unit_vectors(count: int, seed: int = 1) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, 384)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_codes_alone_keep_direction_to_a_hundredth_and_with_fine_codes_to_a_millionth() -> None:
    vectors = unit_vectors(50)
    codes, fine = encode_fine(vectors, 0.25)
    assert (codes == encode(vectors, 0.25)).all()
    alone, both = decode(codes, np.zeros_like(codes), 0.25), decode(codes, fine, 0.25)
    assert (alone * vectors).sum(axis=1).min() > 0.999
    assert (both * vectors).sum(axis=1).min() > 1 - 1e-6
    assert np.abs(both - vectors).max() < 1e-5


def test_the_nearest_are_those_of_exact_products(tmp_path) -> None:
    """Many more rows than are rescored, in several segments, against a float product with all."""
    vectors = unit_vectors(6000)
    with VectorsWriter(tmp_path, "tiny", "m", 384, 0.3) as w:
        for begin in range(0, 6000, 1500):
            keys = np.arange(begin, begin + 1500)
            w.add(vectors[keys], keys, np.ones(1500, np.int64), 700_000 + keys % 7)
    opened = Vectors.open(tmp_path, "tiny")
    for query in unit_vectors(20, seed=2):
        keys, scores = opened.top(query, 100)
        exact = np.argsort(-(vectors @ query))[:100]
        assert len(np.intersect1d(keys, exact)) >= 99
        assert scores.tolist() == pytest.approx((vectors[keys] @ query).tolist(), abs=1e-4)


def _file_of_format_1(rows: Rows) -> bytes:
    """A segment as it was written before there were fine codes."""
    by_key = np.argsort(rows.keys)
    total = rows.codes.sum(axis=0, dtype=np.int64)
    body = b""
    for array in (rows.codes, rows.keys, rows.text_changes, rows.days, by_key, total):
        body += array.tobytes()
        body += bytes(-len(body) % 64)
    told = {"format": 1, "rows": len(rows), "dimension": rows.codes.shape[1]}
    told["sha256"] = hashlib.sha256(body).hexdigest()
    return (b"BROADSHEET VECTORS\n" + json.dumps(told).encode()).ljust(512) + body


def test_a_segment_of_the_format_before_is_read_and_renewed_when_merged(tmp_path) -> None:
    with writer(tmp_path) as w:
        add(w, {1: EAST, 2: NORTH}, day=MONDAY)
        name = w.vectors().manifest.segments[0]
    path = folder_of(tmp_path, "tiny") / name
    now = read(path).rows
    path.write_bytes(_file_of_format_1(now))
    assert is_whole(read(path))
    assert Vectors.open(tmp_path, "tiny").rows(np.array([2, 1]))[0].tolist() == [NORTH, EAST]
    with writer(tmp_path) as w:
        assert w.dropped == []
        add(w, {3: WEST, 4: WEST}, day=TUESDAY)
        vectors = w.vectors()
    assert vectors.segments == 1
    assert b'"format": 2' in (folder_of(tmp_path, "tiny") / vectors.manifest.segments[0]).read_bytes()[:100]
    assert vectors.top(np.array(EAST, np.float32), 1)[0].tolist() == [1]


def test_moved_papers_stand_under_their_new_day_with_the_same_vector(tmp_path, three) -> None:
    before = three.rows(np.array([1, 3]))[0]
    with writer(tmp_path) as w:
        w.move(np.array([1, 3]), np.array([TUESDAY.toordinal(), MONDAY.toordinal()]))
        moved = w.vectors()
    assert len(moved) == 3
    assert moved.rows(np.array([1, 3]))[0].tolist() == before.tolist()
    east = np.array(EAST, np.float32)
    assert sorted(moved.nearest(east, Among(since=TUESDAY), 3).keys.tolist()) == [1]
    assert sorted(moved.nearest(east, Among(until=MONDAY), 3).keys.tolist()) == [2, 3]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_any_filter_leaves_what_asking_each_paper_leaves(tmp_path_factory, seed) -> None:
    """Keys, banned keys and days in any mixture over segments with replaced rows, counted by hand."""
    rng = np.random.default_rng(seed)
    directory = tmp_path_factory.mktemp("filters")
    days, points = {}, {}
    with writer(directory) as w:
        for chunk in range(rng.integers(1, 5)):
            keys = rng.choice(300, rng.integers(1, 150), replace=False).astype(np.int64)
            vectors = rng.normal(size=(len(keys), 4)).astype(np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            ordinals = rng.integers(0, 6, len(keys)) * (MONDAY.toordinal() // 3)
            w.add(vectors, keys, np.full(len(keys), chunk + 1), ordinals)
            days |= dict(zip(keys.tolist(), ordinals.tolist(), strict=True))
            points |= dict(zip(keys.tolist(), vectors, strict=True))
        vectors = w.vectors()
    named = rng.choice(300, rng.integers(0, 300), replace=False) if rng.random() < 0.6 else None
    banned = rng.choice(300, rng.integers(0, 50), replace=False) if rng.random() < 0.5 else None
    since = MONDAY if rng.random() < 0.4 else None
    rows = [None if keys is None else vectors.rows_of(keys) for keys in (named, banned)]
    among = Among(*rows, since)
    found = vectors.nearest(np.array(EAST, np.float32), among, 40, threshold=-2.0)
    wanted = {
        key
        for key in points
        if (named is None or key in named)
        and (banned is None or key not in banned)
        and (since is None or days[key] >= since.toordinal())
    }
    best = sorted(wanted, key=lambda key: -points[key][0])[:40]
    assert found.reaching == len(wanted)
    assert set(found.some.tolist()) <= wanted
    assert len(found.keys) == len(best)
    assert found.scores.tolist() == pytest.approx([points[key][0] for key in best], abs=1e-4)


def test_both_ways_of_scanning_agree() -> None:
    rng = np.random.default_rng(2)
    codes = rng.integers(-127, 128, (300, 384), dtype=np.int8)
    one, other = np.empty(300, np.float32), np.empty(300, np.float32)
    dots(codes[7], codes, one)
    dots_by_numpy(codes[7], codes, other)
    assert one.tolist() == other.tolist() == (codes.astype(int) @ codes[7].astype(int)).tolist()


def test_the_best_of_many_scores_are_the_best() -> None:
    scores = np.random.default_rng(3).normal(size=300_000).astype(np.float32)
    scores[:1000] = -np.inf
    assert sorted(best(scores, 100)) == sorted(np.argsort(-scores)[:100])
    assert len(best(np.full(300_000, -np.inf, np.float32), 100)) == 0
