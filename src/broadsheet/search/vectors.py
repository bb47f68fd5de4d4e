"""Vectors of papers, read: segments named by a manifest, scanned exactly.

Where several segments hold a paper, the row of its latest text counts. Scores are cosines, taken
between the float query and the int8 codes for all that is returned.
"""

import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import IndexBroken
from broadsheet.search.scanning import best, dots
from broadsheet.search.segments import Segment, decode, encode, read
from broadsheet.search.words import Keys

FORMAT = 1
MANIFEST = "manifest.json"
_REBUILD = "Run `broadsheet index --rebuild`: the vectors are made again."
_TRIES = 5
# Gathering scattered rows costs as much as reading all of them from about a tenth on.
_GATHER_SHARE = 0.1
_RESCORED = 3

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What makes up an encoder's vectors: replaced as a whole by a rename.

    ``model`` is the hash of the encoder's file, ``limit`` the scale of its codes; ``gone`` are keys
    whose papers are no longer in the library. ``pending`` papers were without their vector when the
    library stood at change ``through``.
    """

    model: str
    dimension: int
    limit: float
    segments: tuple[str, ...] = ()
    gone: tuple[int, ...] = ()
    through: int = 0
    pending: int = 0


def read_manifest(directory: Path) -> Manifest:
    """Raises IndexBroken where there is none, a damaged one, or one of another version."""
    path = directory / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found.pop("format") != FORMAT:
            raise ValueError("another version")
        found["segments"], found["gone"] = tuple(found["segments"]), tuple(found["gone"])
        return Manifest(**found)
    except FileNotFoundError as error:
        raise IndexBroken(f"There are no vectors in {directory}.", "Run `broadsheet index`.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexBroken(f"{path} cannot be read: {error}.", _REBUILD) from error


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Replace the manifest; it is on the disk when this returns."""
    content = {"format": FORMAT} | {name: getattr(manifest, name) for name in Manifest.__slots__}
    aside = directory / (MANIFEST + ".new")
    with aside.open("w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, directory / MANIFEST)
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Vectors:
    """All vectors of one encoder as they stood when this was opened."""

    def __init__(self, manifest: Manifest, segments: Sequence[Segment]) -> None:
        self.manifest = manifest
        self._segments = segments
        self._starts = np.cumsum([0, *(len(segment) for segment in segments)])
        self.dead = _dead_rows(segments, np.array(manifest.gone, np.int64))
        self._buffers = threading.local()

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
        raise IndexBroken(f"Segments are missing in {folder}: {', '.join(missing)}.", _REBUILD)

    def __len__(self) -> int:
        return int(self._starts[-1]) - sum(len(dead) for dead in self.dead)

    @property
    def segments(self) -> int:
        return len(self._segments)

    def held(self) -> tuple[Keys, Keys]:
        """The keys that have a vector and the text changes that these were made at, by key."""
        keys, changes = [], []
        for segment, dead in zip(self._segments, self.dead, strict=True):
            keys.append(np.delete(segment.rows.keys, dead))
            changes.append(np.delete(segment.rows.text_changes, dead))
        all_keys = np.concatenate([np.empty(0, np.int64), *keys])
        order = np.argsort(all_keys)
        return all_keys[order], np.concatenate([np.empty(0, np.int64), *changes])[order]

    def rows(self, keys: Keys) -> tuple[Vector, NDArray[np.bool_]]:
        """Unit vectors (n, d) for these keys and which of them are there; a missing one is zero."""
        segment_of, row_of = self._locate(keys)
        codes = np.zeros((len(keys), self.manifest.dimension), np.int8)
        for number, segment in enumerate(self._segments):
            here = segment_of == number
            codes[here] = segment.rows.codes[row_of[here]]
        return decode(codes, self.manifest.limit), segment_of >= 0

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
        return np.where(there, (vectors @ query).astype(np.float64), np.nan)

    def top(self, query: Vector, count: int, keys: Keys | None = None) -> tuple[Keys, NDArray[np.float64]]:
        """The ``count`` papers nearest to a unit query, best first, ties by key; only among ``keys``."""
        near = self.nearest(query, Among(keys=keys), count)
        return near.keys, near.scores

    def nearest(self, query: Vector, among: "Among", count: int, threshold: float = np.inf) -> "Nearest":
        """The ``count`` papers nearest to a unit query among those asked about, and all that reach a
        cosine of ``threshold``, from one pass over the codes."""
        if _is_few(among, len(self)):
            keys = among.few()
            found = keys[self._locate(keys)[0] >= 0]
            scores = self.scores(query, found)
            reaching = found[scores >= threshold]
        else:
            products = self._scan(query, among)
            found = self._keys_at(best(products, _RESCORED * count))
            scores = self.scores(query, found)
            reaching = self._keys_at(np.flatnonzero(products >= threshold / self._unit))
        order = np.lexsort((found, -scores))[:count]
        return Nearest(found[order], scores[order], reaching)

    @property
    def _unit(self) -> float:
        """What one unit of a product of codes is as a cosine."""
        return (self.manifest.limit / 127) ** 2

    def _scan(self, query: Vector, among: "Among") -> NDArray[np.float32]:
        """The products of the query's code with all codes; minus infinity for what is left out."""
        code = encode(query, self.manifest.limit)
        scores = self._buffer()
        lookup = among.lookup()
        for segment, dead, start in zip(self._segments, self.dead, self._starts[:-1], strict=True):
            part = scores[start : start + len(segment)]
            first, last = among.day_rows(segment.rows.days)
            part[:first], part[last:] = -np.inf, -np.inf
            dots(code, segment.rows.codes[first:last], part[first:last])
            part[dead] = -np.inf
            if lookup is not None:
                part[~lookup[np.minimum(segment.rows.keys, len(lookup) - 1)]] = -np.inf
        return scores

    def _buffer(self) -> NDArray[np.float32]:
        if not hasattr(self._buffers, "scores"):
            self._buffers.scores = np.empty(self._starts[-1], np.float32)
        buffer: NDArray[np.float32] = self._buffers.scores
        return buffer

    def _keys_at(self, rows: NDArray[np.int64]) -> Keys:
        number = np.searchsorted(self._starts, rows, side="right") - 1
        keys = np.empty(len(rows), np.int64)
        for i, segment in enumerate(self._segments):
            here = number == i
            keys[here] = segment.rows.keys[rows[here] - self._starts[i]]
        return keys

    def _locate(self, keys: Keys) -> tuple[Keys, Keys]:
        segment_of, row_of = np.full(len(keys), -1, np.int64), np.zeros(len(keys), np.int64)
        for number, (segment, dead) in enumerate(zip(self._segments, self.dead, strict=True)):
            rows = segment.locate(keys)
            here = (rows >= 0) & ~np.isin(rows, dead)
            segment_of[here], row_of[here] = number, rows[here]
        return segment_of, row_of


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest papers, best first, ties by key, with their cosines; and all that reach a threshold."""

    keys: Keys
    scores: NDArray[np.float64]
    reaching: Keys


@dataclass(frozen=True, slots=True)
class Among:
    """Which papers are asked about: only ``keys``, none of ``banned``, days from ``since`` to ``until``."""

    keys: Keys | None = None
    banned: Keys | None = None
    since: date | None = None
    until: date | None = None

    def few(self) -> Keys:
        """The keys that are left, where they were named and no days matter."""
        keys = self.keys if self.keys is not None else np.empty(0, np.int64)
        return keys if self.banned is None else np.setdiff1d(keys, self.banned)

    def day_rows(self, days: NDArray[np.int64]) -> tuple[int, int]:
        """The rows from first to last (exclusive) whose day is asked about; days ascend, 0 is unknown."""
        if self.since is None and self.until is None:
            return 0, len(days)
        first = np.searchsorted(days, self.since.toordinal() if self.since else 1)
        last = np.searchsorted(days, self.until.toordinal(), side="right") if self.until else len(days)
        return int(first), max(int(first), int(last))

    def lookup(self) -> NDArray[np.bool_] | None:
        """For each key whether it is asked about, the last entry for all larger keys; None for all."""
        if self.keys is None and (self.banned is None or not len(self.banned)):
            return None
        named = self.banned if self.keys is None else self.few()
        assert named is not None
        table = np.full(int(named.max(initial=-1)) + 2, self.keys is None, np.bool_)
        table[named] = self.keys is not None
        return table


def _is_few(among: Among, held: int) -> bool:
    bounded_by_days = among.since is not None or among.until is not None
    return among.keys is not None and not bounded_by_days and len(among.keys) < max(64, _GATHER_SHARE * held)


def _dead_rows(segments: Sequence[Segment], gone: Keys) -> list[NDArray[np.int64]]:
    """For each segment the rows that do not count: replaced in another segment, or gone."""
    dead: list[list[NDArray[np.int64]]] = [[] for _ in segments]
    for later, segment in enumerate(segments):
        for earlier in range(later):
            older = segments[earlier]
            rows = older.locate(segment.rows.keys)
            here = np.flatnonzero(rows >= 0)
            newer = segment.rows.text_changes[here] >= older.rows.text_changes[rows[here]]
            dead[earlier].append(rows[here[newer]])
            dead[later].append(here[~newer])
        rows = segment.locate(gone)
        dead[later].append(rows[rows >= 0])
    return [np.unique(np.concatenate(rows)) for rows in dead]


def folder_of(directory: Path, encoder: str) -> Path:
    """Where an encoder's vectors lie under an index directory."""
    return directory / "vectors" / encoder
