"""Vectors of papers, read: segments named by a manifest, scanned exactly.

Where several segments hold a paper, the row written last of its latest text counts. Codes choose which
rows are scored; scores are cosines between the float query and vectors of about 16 bits a coordinate.
"""

import itertools
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import IndexBroken
from broadsheet.search.manifests import REBUILD, Manifest, folder_of, read_manifest
from broadsheet.search.scanning import best, dots
from broadsheet.search.segments import Rows, Segment, decode, encode, read
from broadsheet.search.words import Keys

_TRIES = 5
# Gathering scattered rows costs as much as reading all of them from about a tenth on.
_GATHER_SHARE = 0.1
_GATHERED_AT_ONCE = 16_384
_SAMPLED = 256
_opened = itertools.count()

T = TypeVar("T", bound=np.generic)
Vector = NDArray[np.float32]
Codes = NDArray[np.int8]
Held = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Among:
    """Which rows are asked about: only ``named``, none of ``banned`` (both as :meth:`Vectors.rows_of`
    gives them), days from ``since`` to ``until``."""

    named: NDArray[np.int64] | None = None
    banned: NDArray[np.int64] | None = None
    since: date | None = None
    until: date | None = None

    def left(self) -> NDArray[np.int64] | None:
        """The rows that are left where some were named, else None."""
        if self.named is None or self.banned is None:
            return self.named
        return np.setdiff1d(self.named, self.banned)

    def day_rows(self, days: NDArray[np.int64]) -> tuple[int, int]:
        """The rows from first to last (exclusive) whose day is asked about; days ascend, 0 is unknown."""
        if self.since is None and self.until is None:
            return 0, len(days)
        first = np.searchsorted(days, self.since.toordinal() if self.since else 1)
        last = np.searchsorted(days, self.until.toordinal(), side="right") if self.until else len(days)
        return int(first), max(int(first), int(last))


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest papers, best first, ties by key, with their cosines.

    ``reaching`` counts those asked about that reach a threshold by their codes; ``some`` are keys of
    these, all of them or a few hundred spread evenly over the days. ``sample`` are as many of the
    ``asked`` papers that were asked about, reaching it or not.
    """

    keys: Keys
    scores: NDArray[np.float64]
    reaching: int
    some: Keys
    asked: int = 0
    sample: Keys = field(default_factory=lambda: np.empty(0, np.int64))


class Vectors:
    """All vectors of one encoder as they stood when this was opened. Safe to use from several threads.

    A row's number counts through all segments. ``number`` tells this opening from others in the process.
    """

    def __init__(self, manifest: Manifest, segments: Sequence[Segment], left_out: Keys | None = None) -> None:
        self.manifest = manifest
        self.number = next(_opened)
        self._segments = segments
        self._starts = np.cumsum([0, *(len(segment) for segment in segments)])
        gone = np.array(manifest.gone, np.int64)
        self.dead = _dead_rows(segments, gone if left_out is None else np.union1d(gone, left_out))
        self._dead = np.concatenate(
            [np.empty(0, np.int64), *(d + s for d, s in zip(self.dead, self._starts[:-1], strict=True))]
        )
        self._columns = _Columns.of(segments, manifest.dimension)
        self._buffers: deque[NDArray[np.float32]] = deque()

    @classmethod
    def open(cls, directory: Path, encoder: str) -> Self:
        """Open the vectors that ``encoder`` made under an index directory; raises IndexBroken."""
        folder = folder_of(directory, encoder)
        for _ in range(_TRIES - 1):
            manifest = read_manifest(folder)
            try:
                return cls(manifest, [read(folder / name) for name in manifest.segments])
            except FileNotFoundError:
                # A merge replaced the manifest and took old segments away in between.
                continue
        manifest = read_manifest(folder)
        missing = [name for name in manifest.segments if not (folder / name).is_file()]
        raise IndexBroken(f"Segments are missing in {folder}: {', '.join(missing)}.", REBUILD)

    def without(self, keys: Keys) -> Self:
        """These vectors but for those of some papers."""
        return type(self)(self.manifest, self._segments, keys)

    def __len__(self) -> int:
        return int(self._starts[-1]) - len(self._dead)

    @property
    def segments(self) -> int:
        return len(self._segments)

    def held(self) -> Keys:
        """The keys that have a vector, in order."""
        rows = np.delete(np.arange(self._starts[-1]), self._dead)
        return np.sort(self._taken(rows, self._columns.keys))

    def dated(self, keys: Keys) -> tuple[NDArray[np.bool_], Held, Held]:
        """Which of these keys have a vector, and the text changes and days that it was made at, else 0."""
        rows = self._rows_of(keys)
        there = rows >= 0
        changes, days = np.zeros((2, len(keys)), np.int64)
        changes[there] = self._taken(rows[there], self._columns.text_changes)
        days[there] = self._taken(rows[there], self._columns.days)
        return there, changes, days

    def rows(self, keys: Keys) -> tuple[Vector, NDArray[np.bool_]]:
        """Unit vectors (n, d) for these keys and which of them are there; a missing one is zero."""
        rows = self._rows_of(keys)
        there = rows >= 0
        vectors = np.zeros((len(keys), self.manifest.dimension), np.float32)
        vectors[there] = self._decoded(rows[there])
        return vectors, there

    def rows_of(self, keys: Keys) -> Held:
        """The numbers of the rows of those keys that are there, in order."""
        rows = self._rows_of(keys)
        return np.sort(rows[rows >= 0])

    def stored(self, keys: Keys) -> Rows:
        """What the segments hold of these keys, which must be there."""
        rows = self._rows_of(keys)
        c = self._columns
        return Rows(
            self._taken(rows, c.codes),
            self._taken(rows, c.fine),
            self._taken(rows, c.keys),
            self._taken(rows, c.text_changes),
            self._taken(rows, c.days),
        )

    def mean(self) -> Vector:
        """The mean (d,) of all vectors; zero where there are none."""
        total = np.zeros(self.manifest.dimension, np.int64)
        for segment, dead in zip(self._segments, self.dead, strict=True):
            total += segment.sum - segment.rows.codes[dead].sum(axis=0, dtype=np.int64)
        scale = self.manifest.limit / 127 / max(1, len(self))
        return np.asarray(total * scale, np.float32)

    def scores(self, query: Vector, keys: Keys) -> NDArray[np.float64]:
        """The cosine of a unit query with each key's vector; NaN where there is none."""
        vectors, there = self.rows(keys)
        return np.where(there, cosines(vectors, query), np.nan)

    def top(self, query: Vector, count: int, keys: Keys | None = None) -> tuple[Keys, NDArray[np.float64]]:
        """The ``count`` papers nearest to a unit query, best first, ties by key; only among ``keys``."""
        among = Among(None if keys is None else self.rows_of(keys))
        near = self.nearest(query, among, count)
        return near.keys, near.scores

    def nearest(self, query: Vector, among: Among, count: int, threshold: float = np.inf) -> Nearest:
        """The ``count`` papers nearest to a unit query among those asked about, and how many of these
        reach a cosine of ``threshold``, from one pass over the codes."""
        spans = self._spans(among)
        enough = threshold / (self.manifest.limit / 127) ** 2
        with self._lent(spans) as buffer:
            rows, products = self._products(encode(query, self.manifest.limit), among, spans, buffer)
            # Where products of codes are off, it is by less than what lies between these ranks.
            places = best(products, count + max(100, count // 4))
            reaching = int(np.count_nonzero(products >= enough))
            step = max(1, reaching // _SAMPLED)
            some = np.flatnonzero(products[::step] >= enough) * step
            every = np.arange(0, len(products), max(1, len(products) // _SAMPLED))
            living = every[products[every] > -np.inf]
            asked = round(len(products) * len(living) / max(1, len(every)))
        chosen = spans.rows(places) if rows is None else rows[places]
        keys = self._taken(chosen, self._columns.keys)
        scores = cosines(self._decoded(chosen), query)
        order = np.lexsort((keys, -scores))[:count]
        some_keys, sample = (
            self._taken(spans.rows(places) if rows is None else rows[places], self._columns.keys)
            for places in (some, living)
        )
        return Nearest(keys[order], scores[order], reaching, some_keys, asked, sample)

    def _products(
        self, code: Codes, among: Among, spans: "_Spans", buffer: NDArray[np.float32]
    ) -> tuple[Held | None, NDArray[np.float32]]:
        """The products of a code with the codes of the rows asked about, and these rows; None for the
        rows of ``spans`` in order, where minus infinity is the product of what does not count."""
        left = among.left()
        rows = None if left is None else spans.within(left)
        if rows is not None and len(rows) < max(64, _GATHER_SHARE * len(spans)):
            return rows, self._gathered_products(code, rows)
        for start, first, last in spans.each():
            number = int(np.searchsorted(self._starts, start, side="right")) - 1
            begin = start - int(self._starts[number])
            codes = self._segments[number].rows.codes[begin : begin + last - first]
            dots(code, codes, buffer[first:last])
        if rows is not None:
            return rows, buffer[spans.places(rows)]
        out = self._dead if among.banned is None else np.append(self._dead, among.banned)
        buffer[spans.places(spans.within(out))] = -np.inf
        return None, buffer

    def _gathered_products(self, code: Codes, rows: Held) -> NDArray[np.float32]:
        products = np.empty(len(rows), np.float32)
        for begin in range(0, len(rows), _GATHERED_AT_ONCE):
            end = min(begin + _GATHERED_AT_ONCE, len(rows))
            dots(code, self._taken(rows[begin:end], self._columns.codes), products[begin:end])
        return products

    def _spans(self, among: Among) -> "_Spans":
        found = [among.day_rows(segment.rows.days) for segment in self._segments]
        firsts, lasts = np.array(found, np.int64).reshape(-1, 2).T
        return _Spans(self._starts[:-1] + firsts, lasts - firsts)

    @contextmanager
    def _lent(self, spans: "_Spans") -> Iterator[NDArray[np.float32]]:
        """Room for the products of all rows: pages that are new at each search cost more than the scan."""
        try:
            whole = self._buffers.pop()
        except IndexError:
            whole = np.empty(self._starts[-1], np.float32)
        try:
            yield whole[: len(spans)]
        finally:
            self._buffers.append(whole)

    def _decoded(self, rows: Held) -> Vector:
        codes, fine = self._taken(rows, self._columns.codes), self._taken(rows, self._columns.fine)
        return decode(codes, fine, self.manifest.limit)

    def _taken(self, rows: Held, columns: Sequence[NDArray[T]]) -> NDArray[T]:
        """What a column, given by segment, holds in these rows."""
        if len(columns) == 1:
            return np.asarray(columns[0][rows])
        number = np.searchsorted(self._starts, rows, side="right") - 1
        found = np.empty((len(rows), *columns[0].shape[1:]), columns[0].dtype)
        for i, values in enumerate(columns):
            here = np.flatnonzero(number == i)
            found[here] = values[rows[here] - self._starts[i]]
        return found

    def _rows_of(self, keys: Keys) -> Held:
        """The row of each key, -1 where there is none."""
        found = np.full(len(keys), -1, np.int64)
        for segment, dead, start in zip(self._segments, self.dead, self._starts[:-1], strict=True):
            rows = segment.locate(keys)
            here = rows >= 0
            if len(dead):
                here &= dead[np.minimum(np.searchsorted(dead, rows), len(dead) - 1)] != rows
            found[here] = rows[here] + start
        return found


def cosines(vectors: Vector, query: Vector) -> NDArray[np.float64]:
    """The products of unit vectors (n, d) with a unit query (d,)."""
    # So small a product is not worth waking BLAS's threads, which takes longer than the product.
    return np.asarray(np.einsum("nd,d->n", vectors, query), np.float64)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of all segments, one array a segment; of one without rows where there is none."""

    codes: list[Codes]
    fine: list[Codes]
    keys: list[Keys]
    text_changes: list[Held]
    days: list[Held]

    @classmethod
    def of(cls, segments: Sequence[Segment], dimension: int) -> Self:
        none, nothing = np.empty((0, dimension), np.int8), np.empty(0, np.int64)
        held = [segment.rows for segment in segments] or [Rows(none, none, nothing, nothing, nothing)]
        return cls(
            [rows.codes for rows in held],
            [rows.fine for rows in held],
            [rows.keys for rows in held],
            [rows.text_changes for rows in held],
            [rows.days for rows in held],
        )


class _Spans:
    """Runs of rows, one a segment, that lie behind each other in a buffer: place 0 is the first row."""

    def __init__(self, firsts: Held, lengths: Held) -> None:
        self._firsts = firsts
        self._lengths = lengths
        self._ends = np.cumsum(lengths)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def each(self) -> Iterator[tuple[int, int, int]]:
        """The first row of each run, and its places from first to last (exclusive)."""
        for first, length, end in zip(self._firsts, self._lengths, self._ends, strict=True):
            if length:
                yield int(first), int(end - length), int(end)

    def rows(self, places: Held) -> Held:
        run = np.searchsorted(self._ends, places, side="right")
        return places - (self._ends - self._lengths)[run] + self._firsts[run]

    def within(self, rows: Held) -> Held:
        """Those of the rows that lie in a run."""
        run = np.searchsorted(self._firsts, rows, side="right") - 1
        return rows[(run >= 0) & (rows < (self._firsts + self._lengths)[run])] if len(rows) else rows

    def places(self, rows: Held) -> Held:
        """The place of each of these rows, which must lie in runs."""
        # Runs without rows stand at the same place as the one after them: the last of such counts.
        run = np.searchsorted(self._firsts, rows, side="right") - 1
        return rows - self._firsts[run] + (self._ends - self._lengths)[run]


def _dead_rows(segments: Sequence[Segment], gone: Keys) -> list[Held]:
    """For each segment the rows that do not count: replaced in another segment, or gone."""
    dead: list[list[Held]] = [[] for _ in segments]
    for later, segment in enumerate(segments):
        for earlier in range(later):
            older = segments[earlier]
            old_rows, rows = _shared(older, segment)
            newer = segment.rows.text_changes[rows] >= older.rows.text_changes[old_rows]
            dead[earlier].append(old_rows[newer])
            dead[later].append(rows[~newer])
        rows = segment.locate(gone)
        dead[later].append(rows[rows >= 0])
    return [np.unique(np.concatenate(rows)) for rows in dead]


def _shared(one: Segment, other: Segment) -> tuple[Held, Held]:
    """The rows in both segments of the keys that both hold."""
    if len(one) < len(other):
        rows, other_rows = _shared(other, one)
        return other_rows, rows
    if not len(other) or one.in_order[0] > other.in_order[-1] or one.in_order[-1] < other.in_order[0]:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    # Both in order of key: the look-ups go forward through memory.
    place = np.minimum(np.searchsorted(one.in_order, other.in_order), len(one) - 1)
    here = np.flatnonzero(one.in_order[place] == other.in_order)
    return one.by_key[place[here]], other.by_key[here]
