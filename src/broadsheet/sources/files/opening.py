"""Opening files: gzip by content, limits on size."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import cast

from broadsheet.papers import Skipped

LARGEST_LINE = 16 * 2**20
LARGEST_WHOLE = 64 * 2**20
_CHUNK = 2**18
_GZIP = b"\x1f\x8b"
_BROKEN_GZIP = "the gzip file is cut or damaged; what stood before this place was read"


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """The file's bytes, unpacked if they are gzip's, whatever the name says."""
    with path.open("rb") as stream:
        if stream.peek(2)[:2] != _GZIP:
            yield stream
            return
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield BufferedReader(cast(RawIOBase, unpacked), _CHUNK)


def lines(stream: BufferedReader, path: str) -> Iterator[tuple[int, bytes] | Skipped]:
    """Each line with its number from 1; a line that is too long or cannot be unpacked is Skipped.

    Memory is bounded by one line of at most 16 MB.
    """
    number = 0
    try:
        while line := stream.readline(LARGEST_LINE):
            number += 1
            if len(line) < LARGEST_LINE or line.endswith(b"\n"):
                yield number, line
            else:
                _pass_over(stream)
                yield Skipped(path, number, f"the line is longer than {LARGEST_LINE // 2**20} MB")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        yield Skipped(path, number + 1, _BROKEN_GZIP)


def whole(stream: BufferedReader, path: str) -> bytes | Skipped:
    """All bytes of a file that can only be understood whole, at most 64 MB unpacked."""
    parts: list[bytes] = []
    size = 0
    try:
        while part := stream.read1(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > LARGEST_WHOLE:
                why = f"larger than {LARGEST_WHOLE // 2**20} MB, the most that this format is read at once"
                return Skipped(path, None, why)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        content = b"".join(parts)
        return Skipped(path, content.count(b"\n") + 1, "the gzip file is cut or damaged")
    return b"".join(parts)


def head(stream: BufferedReader, size: int) -> bytes:
    """The first bytes of a file, as far as they can be unpacked, for recognising its format."""
    parts: list[bytes] = []
    try:
        while size > 0 and (part := stream.read1(min(size, 4096))):
            parts.append(part)
            size -= len(part)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        pass
    return b"".join(parts)


def _pass_over(stream: BufferedReader) -> None:
    while part := stream.readline(_CHUNK):
        if part.endswith(b"\n"):
            return
