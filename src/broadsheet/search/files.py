"""Derived files: replaced as a whole, with a header that names their form and a checksum of the rest.

A file with a header begins with 512 bytes (JSON after a magic word); its checksum is taken over all that
follows. Reading one through takes seconds at millions of papers, so each is read through once a process.
"""

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

HEADER_BYTES = 512
Stamp = tuple[int, int, int, int]

_sound: set[Stamp] = set()
_lock = threading.Lock()


@contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """A file written aside that takes the place of ``path``; it is on the disk when the block is left."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    with aside.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    os.replace(aside, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_header(file: IO[bytes], magic: bytes, content: Mapping[str, object]) -> None:
    """Write a header at the beginning of a file."""
    file.seek(0)
    file.write((magic + json.dumps(content).encode()).ljust(HEADER_BYTES))


def read_header(head: bytes, magic: bytes, formats: tuple[int, ...]) -> dict[str, object]:
    """What a header says; raises ValueError or KeyError for another magic word or format."""
    if not head.startswith(magic):
        raise ValueError(f"it does not begin with {magic.decode().strip()}")
    found: dict[str, object] = json.loads(head[len(magic) :])
    if found["format"] not in formats:
        raise ValueError(f"format {found['format']}, not {formats[-1]}")
    return found


def digest_of(path: Path) -> str:
    """The SHA-256 of all that follows a file's header, read block by block."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(HEADER_BYTES)
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def stamp_of(path: Path) -> Stamp:
    """What changes when a file is replaced by another; raises FileNotFoundError."""
    told = path.stat()
    return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns


def is_sound(path: Path, check: Callable[[Path], bool]) -> bool:
    """Whether a file passes a check, or passed it in this process while it was the same file."""
    stamp = stamp_of(path)
    with _lock:
        known = stamp in _sound
    if known:
        return True
    if sound := check(path):
        with _lock:
            _sound.add(stamp)
    return sound
