"""Vectors: what is written is read again, replaced, merged, found, and survives damage."""

import shutil
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from broadsheet.errors import Busy, IndexBroken
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.scanning import best, dots, dots_by_numpy
from broadsheet.search.segments import Rows, decode, encode, is_whole, read, write
from broadsheet.search.vectors import Among, Vectors, folder_of

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

    def near(**among) -> list[int]:
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
        among = Among(keys=None if keys is None else np.array(keys))
        return three.nearest(np.array(EAST, np.float32), among, 1, threshold).reaching.tolist()

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
    keys, changes = vectors.held()
    assert len(keys) == len(set(keys.tolist())) == len(vectors)
    assert vectors.segments <= 5
    assert (np.diff(keys) > 0).all()
    assert changes.max() == 20
    for name in vectors.manifest.segments:
        segment = read(folder_of(tmp_path, "tiny") / name)
        assert (np.diff(segment.rows.days) >= 0).all()
        assert is_whole(segment)


def test_a_gone_paper_is_not_found_and_returns_when_it_is_back(tmp_path) -> None:
    with writer(tmp_path) as w:
        add(w, {1: EAST, 2: NORTH})
        w.settle(np.array([1]), 5, 0)
        assert w.vectors().top(np.array(EAST, np.float32), 5)[0].tolist() == [2]
        w.settle(np.empty(0, np.int64), 6, 0)
        assert len(w.vectors()) == 2


def test_a_broken_segment_is_named_dropped_and_the_others_stay(tmp_path, three) -> None:
    folder = folder_of(tmp_path, "tiny")
    name = three.manifest.segments[0]
    content = bytearray((folder / name).read_bytes())
    content[600] ^= 1
    (folder / name).write_bytes(content)
    with writer(tmp_path) as w:
        assert w.dropped == [name]
        assert w.vectors().held()[0].tolist() == ([3] if three.segments == 2 else [])


def test_a_segment_cut_short_is_refused_by_readers_and_remade_by_the_writer(tmp_path, three) -> None:
    path = folder_of(tmp_path, "tiny") / three.manifest.segments[0]
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(IndexBroken, match=path.name):
        Vectors.open(tmp_path, "tiny")
    with writer(tmp_path) as w:
        assert w.dropped == [path.name]


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
        keys,
        rng.integers(1, 99, count),
        rng.integers(0, 5, count),
    )
    segment = write(tmp_path_factory.mktemp("segment") / "00000001.segment", [rows], dimension)
    assert is_whole(segment)
    found = segment.locate(keys)
    for name in ("codes", "keys", "text_changes", "days"):
        assert getattr(segment.rows, name)[found].tolist() == getattr(rows, name).tolist()
    assert segment.locate(np.array([5000])).tolist() == [-1]


def test_codes_keep_direction_to_a_hundredth() -> None:
    vectors = np.random.default_rng(1).normal(size=(50, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    again = decode(encode(vectors, 0.2), 0.2)
    assert (again * vectors).sum(axis=1).min() > 0.999


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
