"""Segments: immutable files of codes with the keys, text changes and days of their papers.

One file holds a header of 512 bytes (JSON after a magic word), then int8 codes, keys, text changes,
days, the rows in order of key, the sum of the codes, the keys in ascending order, and the fine codes:
what the codes leave over, in 254ths of their unit. Searching reads the codes; fine codes are read only
for the rows that are scored exactly or handed out. Rows stand in order of day. A segment is written
aside, synced and renamed; its checksum is taken over everything after the header. Files of format 1,
which end before the ascending keys, are read as if nothing had been left over.
"""

import hashlib
import mmap
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import IndexBroken
from broadsheet.search.files import HEADER_BYTES, digest_of, read_header, replaced, write_header

FORMAT = 2
_WITHOUT_FINE = 1
_MAGIC = b"BROADSHEET VECTORS\n"
_ALIGNMENT = 64
_BLOCK_ROWS = 65_536
_CODE_TOP = 127
_FINE_PARTS = 254
_REMAKE = "Run `broadsheet index`: the segment is dropped and its vectors are made again."


@dataclass(frozen=True, slots=True)
class Rows:
    """Papers' codes beside what they belong to: arrays of equal length, both codes of shape (n, d)."""

    codes: NDArray[np.int8]
    fine: NDArray[np.int8]
    keys: NDArray[np.int64]
    text_changes: NDArray[np.int64]
    days: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)

    def taken(self, rows: NDArray[np.int64]) -> "Rows":
        """Copies of these rows."""
        return Rows(
            self.codes[rows], self.fine[rows], self.keys[rows], self.text_changes[rows], self.days[rows]
        )


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment, mapped into memory. ``by_key`` are the rows in order of key, ``in_order`` the keys so."""

    path: Path
    checksum: str
    rows: Rows
    by_key: NDArray[np.int64]
    in_order: NDArray[np.int64]
    sum: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def locate(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each key, -1 where it is not here."""
        if not len(self):
            return np.full(len(keys), -1, np.int64)
        place = np.minimum(np.searchsorted(self.in_order, keys), len(self) - 1)
        return np.where(self.in_order[place] == keys, self.by_key[place], -1)


def encode(vectors: NDArray[np.float32], limit: float) -> NDArray[np.int8]:
    """Codes of vectors at a fixed scale: ``limit`` becomes 127, what lies beyond is cut."""
    return _whole(vectors * np.float32(_CODE_TOP / limit))


def encode_fine(vectors: NDArray[np.float32], limit: float) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Codes, and fine codes of what they leave over: together about 16 bits a coordinate."""
    scaled = vectors * np.float32(_CODE_TOP / limit)
    codes = _whole(scaled)
    return codes, _whole((scaled - codes) * np.float32(_FINE_PARTS))


def _whole(scaled: NDArray[np.float32]) -> NDArray[np.int8]:
    return np.asarray(np.clip(np.rint(scaled), -_CODE_TOP, _CODE_TOP), np.int8)


def decode(codes: NDArray[np.int8], fine: NDArray[np.int8], limit: float) -> NDArray[np.float32]:
    """Vectors of unit length from their codes; an all-zero code stays zero."""
    vectors = fine.astype(np.float32)
    vectors *= np.float32(1 / _FINE_PARTS)
    vectors += codes
    vectors *= np.float32(limit / _CODE_TOP)
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))[:, None]
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors


def write(path: Path, parts: list[Rows], dimension: int) -> Segment:
    """Write the rows of all parts as one segment, in order of day, then key; memory stays bounded."""
    days = np.concatenate([part.days for part in parts])
    keys = np.concatenate([part.keys for part in parts])
    order = np.lexsort((keys, days))
    with replaced(path) as file:
        digest = _write_body(file, parts, order, dimension)
        header = {"format": FORMAT, "rows": len(order), "dimension": dimension, "sha256": digest}
        write_header(file, _MAGIC, header)
    return read(path)


class _Body:
    """What follows the header, written array by array while its checksum is taken."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()
        file.write(b" " * HEADER_BYTES)

    def put(self, array: NDArray[np.generic]) -> None:
        data = np.ascontiguousarray(array).data
        self.digest.update(data)
        self._file.write(data)

    def pad(self) -> None:
        missing = bytes(-self._file.tell() % _ALIGNMENT)
        self.digest.update(missing)
        self._file.write(missing)


def _write_body(file: IO[bytes], parts: list[Rows], order: NDArray[np.int64], dimension: int) -> str:
    body = _Body(file)
    total = np.zeros(dimension, np.int64)
    for block in _blocks([part.codes for part in parts], order, dimension):
        total += block.sum(axis=0, dtype=np.int64)
        body.put(block)
    body.pad()
    keys = np.concatenate([part.keys for part in parts])[order]
    text_changes = np.concatenate([part.text_changes for part in parts])[order]
    days = np.concatenate([part.days for part in parts])[order]
    by_key = np.argsort(keys)
    for array in (keys, text_changes, days, by_key, total, keys[by_key]):
        body.put(array.astype("<i8"))
        body.pad()
    for block in _blocks([part.fine for part in parts], order, dimension):
        body.put(block)
    body.pad()
    return body.digest.hexdigest()


def _blocks(
    planes: list[NDArray[np.int8]], order: NDArray[np.int64], dimension: int
) -> Iterator[NDArray[np.int8]]:
    starts = np.cumsum([0, *(len(plane) for plane in planes)])
    for begin in range(0, len(order), _BLOCK_ROWS):
        wanted = order[begin : begin + _BLOCK_ROWS]
        block = np.empty((len(wanted), dimension), np.int8)
        for plane, start in zip(planes, starts[:-1], strict=True):
            inside = (wanted >= start) & (wanted < start + len(plane))
            block[inside] = plane[wanted[inside] - start]
        yield block


def read(path: Path) -> Segment:
    """Map a segment. Raises IndexBroken, naming it, where header and length do not agree.

    The checksum is not looked at here; :func:`is_whole` does.
    """
    with path.open("rb") as file:
        form, rows, dimension, digest = _header(path, file.read(HEADER_BYTES))
        if os.fstat(file.fileno()).st_size != _length(form, rows, dimension):
            raise IndexBroken(f"The segment {path} is cut short or too long.", _REMAKE)
        data = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    take = _taker(data)
    codes = take(rows * dimension).view(np.int8).reshape(rows, dimension)
    keys, text_changes, days, by_key = (take(rows * 8).view("<i8") for _ in range(4))
    total = take(dimension * 8).view("<i8")
    if rows and not 0 <= int(by_key.min()) <= int(by_key.max()) < rows:
        raise IndexBroken(f"The segment {path} names rows that it does not have.", _REMAKE)
    if form == _WITHOUT_FINE:
        in_order, fine = keys[by_key], np.broadcast_to(np.int8(0), codes.shape)
    else:
        in_order = take(rows * 8).view("<i8")
        fine = take(rows * dimension).view(np.int8).reshape(rows, dimension)
    return Segment(path, digest, Rows(codes, fine, keys, text_changes, days), by_key, in_order, total)


def _header(path: Path, head: bytes) -> tuple[int, int, int, str]:
    try:
        found = read_header(head, _MAGIC, (_WITHOUT_FINE, FORMAT))
        form, rows, dimension = (int(str(found[name])) for name in ("format", "rows", "dimension"))
        return form, rows, dimension, str(found["sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise IndexBroken(f"The segment {path} cannot be read: {error}.", _REMAKE) from error


def _padded(length: int) -> int:
    return length + -length % _ALIGNMENT


def _length(form: int, rows: int, dimension: int) -> int:
    first = HEADER_BYTES + _padded(rows * dimension) + 4 * _padded(rows * 8) + _padded(dimension * 8)
    return first if form == _WITHOUT_FINE else first + _padded(rows * 8) + _padded(rows * dimension)


def _taker(data: NDArray[np.uint8]) -> Callable[[int], NDArray[np.uint8]]:
    place = HEADER_BYTES

    def take(length: int) -> NDArray[np.uint8]:
        nonlocal place
        piece = data[place : place + length]
        place += _padded(length)
        return piece

    return take


def is_whole(segment: Segment) -> bool:
    """Whether the file's content still has its checksum; reads all of it, block by block."""
    return digest_of(segment.path) == segment.checksum
