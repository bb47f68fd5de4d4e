"""Vectors, written: one chunk a segment, segments merged geometrically, broken ones dropped.

One process writes an encoder's vectors at a time. Whatever moment it is killed at, the manifest names
whole segments; what lies beside it is swept up by the next writer.
"""

import fcntl
import os
import re
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import Busy, IndexBroken
from broadsheet.search.files import is_sound
from broadsheet.search.manifests import MANIFEST, Manifest, folder_of, read_manifest, write_manifest
from broadsheet.search.segments import Rows, Segment, encode_fine, is_whole, read, write
from broadsheet.search.vectors import Vectors
from broadsheet.search.words import Keys

T = TypeVar("T", bound=np.generic)

_LOCK = "lock"
_NAME = re.compile(r"(\d{8})\.segment\Z")
# A segment takes in the one before it unless that is at least this many times as large.
_GROWTH = 2
_MOVED_AT_ONCE = 65_536


class VectorsWriter:
    """The one writer of an encoder's vectors under an index directory.

    Raises Busy while another process writes, and IndexBroken where the vectors there were made by
    another model, dimension or scale: such are never mixed. ``dropped`` names the segments that were
    found broken and left out; their papers count as missing again.
    """

    def __init__(self, directory: Path, encoder: str, model: str, dimension: int, limit: float) -> None:
        self._directory, self._encoder = directory, encoder
        self._folder = folder_of(directory, encoder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(self._folder / _LOCK)
        self.dropped: list[str] = []
        try:
            self._manifest = self._begin(Manifest(model, dimension, limit))
        except BaseException:
            self._lock_released()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock_released()

    def _lock_released(self) -> None:
        os.close(self._lock)

    def _begin(self, fresh: Manifest) -> Manifest:
        if not (self._folder / MANIFEST).exists():
            write_manifest(self._folder, fresh)
        manifest = read_manifest(self._folder)
        if (manifest.model, manifest.dimension, manifest.limit) != (
            fresh.model,
            fresh.dimension,
            fresh.limit,
        ):
            raise IndexBroken(
                f"The vectors in {self._folder} were made by another model than the encoder in use.",
                "Run `broadsheet index --rebuild`: old and new vectors are never mixed.",
            )
        whole = tuple(name for name in manifest.segments if self._is_whole(name))
        if whole != manifest.segments:
            manifest = replace(manifest, segments=whole, through=0)
            write_manifest(self._folder, manifest)
        self._sweep(manifest)
        return manifest

    def _is_whole(self, name: str) -> bool:
        try:
            if is_sound(self._folder / name, lambda path: is_whole(read(path))):
                return True
        except (IndexBroken, FileNotFoundError):
            # Either way the answer is to make its vectors again; ``dropped`` tells of it.
            pass
        self.dropped.append(name)
        return False

    def _sweep(self, manifest: Manifest) -> None:
        for path in self._folder.iterdir():
            if path.name not in (MANIFEST, _LOCK, *manifest.segments):
                path.unlink()

    def vectors(self) -> Vectors:
        """What is there now."""
        return Vectors.open(self._directory, self._encoder)

    def add(self, vectors: NDArray[np.float32], keys: Keys, text_changes: Keys, days: Keys) -> None:
        """Keep these vectors; they are on the disk and visible when this returns.

        ``days`` are ordinals of the proleptic calendar, 0 where unknown.
        """
        if not len(keys):
            return
        codes, fine = encode_fine(vectors, self._manifest.limit)
        fresh = set(keys.tolist())
        self._manifest = replace(
            self._manifest, stale=tuple(key for key in self._manifest.stale if key not in fresh)
        )
        self._append(Rows(codes, fine, keys, text_changes, days))

    def move(self, keys: Keys, days: Keys) -> None:
        """Put held papers under other days: their rows are written again, nothing is encoded."""
        for begin in range(0, len(keys), _MOVED_AT_ONCE):
            end = begin + _MOVED_AT_ONCE
            self._append(replace(self.vectors().stored(keys[begin:end]), days=days[begin:end]))

    def _append(self, rows: Rows) -> None:
        segment = write(self._next_path(), [rows], self._manifest.dimension)
        self._replace_segments((*self._manifest.segments, segment.path.name))
        self._merge()

    def settle(self, gone: Keys, stale: Keys, through: int, pending: int) -> None:
        """Note which held keys have no paper any more, which have another text, and how far the library
        was seen."""
        noted = replace(
            self._manifest,
            gone=tuple(gone.tolist()),
            stale=tuple(stale.tolist()),
            through=through,
            pending=pending,
        )
        if noted != self._manifest:
            write_manifest(self._folder, noted)
            self._manifest = noted

    def _replace_segments(self, names: tuple[str, ...]) -> None:
        old = set(self._manifest.segments) - set(names)
        self._manifest = replace(self._manifest, segments=names)
        write_manifest(self._folder, self._manifest)
        for name in old:
            (self._folder / name).unlink()

    def _next_path(self) -> Path:
        taken = [int(found[1]) for path in self._folder.iterdir() if (found := _NAME.match(path.name))]
        return self._folder / f"{max(taken, default=0) + 1:08d}.segment"

    def _merge(self) -> None:
        """Merge the newest segments until each is at least twice as large as the one after it."""
        segments = [read(self._folder / name) for name in self._manifest.segments]
        first, size = len(segments) - 1, len(segments[-1])
        while first > 0 and len(segments[first - 1]) < _GROWTH * size:
            first -= 1
            size += len(segments[first])
        if first == len(segments) - 1:
            return
        merging = segments[first:]
        parts = _living(merging, np.array(self._manifest.gone, np.int64))
        merged = write(self._next_path(), parts, self._manifest.dimension)
        self._replace_segments((*self._manifest.segments[:first], merged.path.name))


def _locked(path: Path) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        raise Busy(
            f"Another process is making vectors in {path.parent}.", "Try again when it is done."
        ) from error
    return handle


def _living(segments: list[Segment], gone: Keys) -> list[Rows]:
    """The rows of some neighbouring segments that count among them."""
    together = Vectors(Manifest("", 0, 1.0, gone=tuple(gone.tolist())), segments)
    return [
        Rows(
            _kept(segment.rows.codes, dead),
            _kept(segment.rows.fine, dead),
            _kept(segment.rows.keys, dead),
            _kept(segment.rows.text_changes, dead),
            _kept(segment.rows.days, dead),
        )
        for segment, dead in zip(segments, together.dead, strict=True)
    ]


def _kept(array: NDArray[T], dead: NDArray[np.int64]) -> NDArray[T]:
    return np.delete(array, dead, axis=0) if len(dead) else array
