"""Segments: immutable files of int8 codes with the keys, text changes and days of their papers.

One file holds a header of 512 bytes (JSON after a magic word), then codes, keys, text changes, days,
the rows in order of key, and the sum of the codes. Rows stand in order of day. A segment is written
aside, synced and renamed; its checksum is taken over everything after the header.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import IndexBroken

FORMAT = 1
_MAGIC = b"BROADSHEET VECTORS\n"
_HEADER_BYTES = 512
_ALIGNMENT = 64
_BLOCK_ROWS = 65_536
_CODE_TOP = 127
_REMAKE = "Run `broadsheet index`: the segment is dropped and its vectors are made again."


@dataclass(frozen=True, slots=True)
class Rows:
    """Papers' codes beside what they belong to: arrays of equal length, ``codes`` of shape (n, d)."""

    codes: NDArray[np.int8]
    keys: NDArray[np.int64]
    text_changes: NDArray[np.int64]
    days: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.keys)


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment, mapped into memory. ``by_key`` are the rows in order of key."""

    path: Path
    checksum: str
    rows: Rows
    by_key: NDArray[np.int64]
    sum: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def locate(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each key, -1 where it is not here."""
        if not len(self):
            return np.full(len(keys), -1, np.int64)
        in_order = self.rows.keys[self.by_key]
        place = np.minimum(np.searchsorted(in_order, keys), len(in_order) - 1)
        return np.where(in_order[place] == keys, self.by_key[place], -1)


def encode(vectors: NDArray[np.float32], limit: float) -> NDArray[np.int8]:
    """Codes of vectors at a fixed scale: ``limit`` becomes 127, what lies beyond is cut."""
    scaled = np.rint(vectors * np.float32(_CODE_TOP / limit))
    return np.asarray(np.clip(scaled, -_CODE_TOP, _CODE_TOP), np.int8)


def decode(codes: NDArray[np.int8], limit: float) -> NDArray[np.float32]:
    """Vectors of unit length from their codes; an all-zero code stays zero."""
    vectors = codes.astype(np.float32) * np.float32(limit / _CODE_TOP)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def write(path: Path, parts: list[Rows], dimension: int) -> Segment:
    """Write the rows of all parts as one segment, in order of day, then key; memory stays bounded."""
    days = np.concatenate([part.days for part in parts])
    keys = np.concatenate([part.keys for part in parts])
    order = np.lexsort((keys, days))
    aside = path.with_name(path.name + ".new")
    with aside.open("w+b") as file:
        digest = _write_body(file, parts, order, dimension)
        header = {"format": FORMAT, "rows": len(order), "dimension": dimension, "sha256": digest}
        file.seek(0)
        file.write((_MAGIC + json.dumps(header).encode()).ljust(_HEADER_BYTES))
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    return read(path)


def _write_body(file: IO[bytes], parts: list[Rows], order: NDArray[np.int64], dimension: int) -> str:
    digest = hashlib.sha256()
    total = np.zeros(dimension, np.int64)
    file.write(b" " * _HEADER_BYTES)

    def put(array: NDArray[np.generic]) -> None:
        data = array.tobytes()
        digest.update(data)
        file.write(data)

    def pad() -> None:
        missing = -file.tell() % _ALIGNMENT
        digest.update(bytes(missing))
        file.write(bytes(missing))

    for block in _code_blocks(parts, order, dimension):
        total += block.sum(axis=0, dtype=np.int64)
        put(block)
    pad()
    keys = np.concatenate([part.keys for part in parts])[order]
    text_changes = np.concatenate([part.text_changes for part in parts])[order]
    days = np.concatenate([part.days for part in parts])[order]
    for array in (keys, text_changes, days, np.argsort(keys), total):
        put(array.astype("<i8"))
        pad()
    return digest.hexdigest()


def _code_blocks(parts: list[Rows], order: NDArray[np.int64], dimension: int) -> Iterator[NDArray[np.int8]]:
    starts = np.cumsum([0, *(len(part) for part in parts)])
    for begin in range(0, len(order), _BLOCK_ROWS):
        wanted = order[begin : begin + _BLOCK_ROWS]
        block = np.empty((len(wanted), dimension), np.int8)
        for part, start in zip(parts, starts[:-1], strict=True):
            inside = (wanted >= start) & (wanted < start + len(part))
            block[inside] = part.codes[wanted[inside] - start]
        yield block


def read(path: Path) -> Segment:
    """Map a segment. Raises IndexBroken, naming it, where header and length do not agree.

    The checksum is not looked at here; :func:`is_whole` does.
    """
    with path.open("rb") as file:
        head = file.read(_HEADER_BYTES)
    rows, dimension, digest = _header(path, head)
    data = np.memmap(path, np.uint8, "r")
    if len(data) != _length(rows, dimension):
        raise IndexBroken(f"The segment {path} is cut short or too long.", _REMAKE)
    take = _taker(data)
    codes = take(rows * dimension).view(np.int8).reshape(rows, dimension)
    keys, text_changes, days, by_key = (take(rows * 8).view("<i8") for _ in range(4))
    return Segment(
        path, digest, Rows(codes, keys, text_changes, days), by_key, take(dimension * 8).view("<i8")
    )


def _header(path: Path, head: bytes) -> tuple[int, int, str]:
    try:
        if not head.startswith(_MAGIC):
            raise ValueError("no segment of Broadsheet")
        found = json.loads(head[len(_MAGIC) :])
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']}, not {FORMAT}")
        return int(found["rows"]), int(found["dimension"]), str(found["sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise IndexBroken(f"The segment {path} cannot be read: {error}.", _REMAKE) from error


def _padded(length: int) -> int:
    return length + -length % _ALIGNMENT


def _length(rows: int, dimension: int) -> int:
    return _HEADER_BYTES + _padded(rows * dimension) + 4 * _padded(rows * 8) + _padded(dimension * 8)


def _taker(data: NDArray[np.uint8]) -> Callable[[int], NDArray[np.uint8]]:
    place = _HEADER_BYTES

    def take(length: int) -> NDArray[np.uint8]:
        nonlocal place
        # A plain array over the map: slicing np.memmap objects costs more than the reading itself.
        piece = np.asarray(data[place : place + length])
        place += _padded(length)
        return piece

    return take


def is_whole(segment: Segment) -> bool:
    """Whether the file's content still has its checksum; reads all of it, block by block."""
    digest = hashlib.sha256()
    with segment.path.open("rb") as file:
        file.seek(_HEADER_BYTES)
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest() == segment.checksum
