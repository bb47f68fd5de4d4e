"""Terms for suggestions: sorted, immutable lists of what titles and authors are called, with counts.

One file holds a header of 512 bytes (JSON after a magic word), then lines (see :func:`line_of`), the end of
each, counts and kinds. Lines stand in order of their bytes, so whatever begins alike is one slice. A list is
written aside, synced and renamed; its checksum is taken over everything after the header.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import IndexBroken
from broadsheet.search.files import HEADER_BYTES, digest_of, read_header, replaced, write_header

Kind = Literal["word", "phrase", "author"]

_LETTERS: dict[Kind, str] = {"word": "a", "phrase": "b", "author": "c"}

FORMAT = 1
MANIFEST = "terms.json"
_MAGIC = b"BROADSHEET TERMS\n"
_BLOCK = 8_192
_LOOKED_THROUGH = 1_000
_REMAKE = "Run `broadsheet index`: the terms are counted again."


# A line and how many papers have its term.
Entry = tuple[bytes, int]


def line_of(term: str, kind: Kind, shown: str) -> bytes:
    """A folded term, its kind and the form that is shown (nothing where that is the term itself)."""
    end = "" if shown == term else " ".join(shown.split())
    return f"{term}\0{_LETTERS[kind]}{end}".encode(errors="replace")


def term_of(line: bytes) -> bytes:
    """The folded term of a line."""
    return line.partition(b"\0")[0]


def same_term(line: bytes, other: bytes) -> bool:
    """Whether two lines are of one term and kind, however they are shown."""
    end = line.find(b"\0") + 2
    return line[:end] == other[:end]


class Completion(NamedTuple):
    """A term that begins as was asked: as it is shown, and about how many papers have it."""

    shown: str
    kind: Kind
    papers: int


@dataclass(frozen=True, slots=True)
class TermsManifest:
    """The lists that there are, and the library's change number up to which they count."""

    lists: tuple[str, ...] = ()
    covered: int = 0


@dataclass(frozen=True, slots=True)
class TermList:
    """One list, mapped into memory."""

    path: Path
    checksum: str
    ends: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    text: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.ends)

    def line(self, row: int) -> bytes:
        begin = int(self.ends[row - 1]) if row else 0
        return self.text[begin : int(self.ends[row])].tobytes()

    def entries(self) -> Iterator[Entry]:
        """All of them in order, read block by block."""
        start = 0
        for begin in range(0, len(self), _BLOCK):
            ends = self.ends[begin : begin + _BLOCK].tolist()
            counts = self.counts[begin : begin + _BLOCK].tolist()
            data = self.text[start : ends[-1]].tobytes()
            place = start
            for end, count in zip(ends, counts, strict=True):
                yield data[place - start : end - start], count
                place = end
            start = ends[-1]

    def first(self, prefix: bytes) -> int:
        """The first row whose line is not before these bytes."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.line(middle) < prefix:
                low = middle + 1
            else:
                high = middle
        return low

    def best(self, prefix: bytes, kind: Kind, limit: int) -> list[Entry]:
        """The entries of one kind with the highest counts among those that begin so."""
        begin, end = self.first(prefix), self.first(prefix + b"\xff")
        rows = np.flatnonzero(self.kinds[begin:end] == ord(_LETTERS[kind])) + begin
        if len(rows) > limit:
            rows = rows[np.argpartition(self.counts[rows], len(rows) - limit)[-limit:]]
        return [(self.line(row), int(self.counts[row])) for row in rows.tolist()]


class Terms:
    """All lists of an index, open for reading."""

    def __init__(self, manifest: TermsManifest, lists: list[TermList]) -> None:
        self.covered = manifest.covered
        self._lists = lists

    @classmethod
    def open(cls, place: Path) -> Self:
        """Raises IndexBroken where a list is missing, damaged or of another version."""
        manifest = read_manifest(place)
        return cls(manifest, [read(place / name) for name in manifest.lists])

    def completions(self, prefix: str, kind: Kind, limit: int, holding: str = "") -> list[Completion]:
        """The terms of a kind that begin with folded text, the most frequent first.

        ``holding`` is the beginning of another word of the term, looked for among the first thousand.
        """
        counted: dict[bytes, Entry] = {}
        for terms in self._lists:
            for line, papers in terms.best(prefix.encode(), kind, _LOOKED_THROUGH if holding else 2 * limit):
                term = term_of(line)
                if not holding or b" " + holding.encode() in term:
                    counted[term] = together((line, papers), counted.get(term))
        best = sorted(counted.values(), key=lambda entry: (-entry[1], entry[0]))
        return [Completion(_shown(line), kind, papers) for line, papers in best[:limit]]


def together(one: Entry, other: Entry | None) -> Entry:
    """Two lists' entries of one term as one; it is shown as the more frequent has it."""
    if other is None:
        return one
    return (one if one[1] >= other[1] else other)[0], one[1] + other[1]


def _shown(line: bytes) -> str:
    term, _, rest = line.partition(b"\0")
    return (rest[1:] or term).decode(errors="replace")


def read_manifest(place: Path) -> TermsManifest:
    """Raises IndexBroken where there is none, a damaged one, or one of another version."""
    path = place / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']}, not {FORMAT}")
        return TermsManifest(tuple(map(_plain_name, found["lists"])), int(found["covered"]))
    except FileNotFoundError as error:
        raise IndexBroken(f"There are no terms in {place}.", "Run `broadsheet index`.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise IndexBroken(f"{path} cannot be read: {error}.", _REMAKE) from error


def _plain_name(name: object) -> str:
    if not isinstance(name, str) or Path(name).name != name or "\x00" in name:
        raise ValueError(f"{name!r} is no list")
    return name


def write_manifest(place: Path, manifest: TermsManifest) -> None:
    """Replace the manifest; it is on the disk when this returns."""
    content = {"format": FORMAT, "lists": manifest.lists, "covered": manifest.covered}
    with replaced(place / MANIFEST) as file:
        file.write(json.dumps(content).encode())


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write entries that come in order as one list; memory holds their counts, not their texts."""
    ends, counts, kinds = bytearray(), bytearray(), bytearray()
    digest = hashlib.sha256()
    with replaced(path) as file:
        file.write(b" " * HEADER_BYTES)
        place = rows = 0
        for block in _blocks(entries):
            lines = [line for line, _ in block]
            lengths = np.fromiter(map(len, lines), np.uint32, len(lines))
            ends += (np.cumsum(lengths, dtype=np.uint32) + np.uint32(place)).astype("<u4").tobytes()
            counts += np.array([papers for _, papers in block], "<u4").tobytes()
            kinds += bytes([line[line.index(0) + 1] for line in lines])
            data = b"".join(lines)
            digest.update(data)
            file.write(data)
            place += len(data)
            rows += len(block)
        for part in (ends, counts, kinds):
            digest.update(part)
            file.write(part)
        header = {"format": FORMAT, "entries": rows, "bytes": place, "sha256": digest.hexdigest()}
        write_header(file, _MAGIC, header)


def _blocks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    remaining = iter(entries)
    while block := list(islice(remaining, _BLOCK)):
        yield block


def read(path: Path) -> TermList:
    """Map a list. Raises IndexBroken, naming it, where header, length and ends do not agree.

    The checksum is not looked at here; :func:`is_whole` does.
    """
    try:
        with path.open("rb") as file:
            rows, length, digest = _header(path, file.read(HEADER_BYTES))
        data = np.memmap(path, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise IndexBroken(f"The list {path} cannot be read: {error}.", _REMAKE) from error
    if len(data) != HEADER_BYTES + length + 9 * rows:
        raise IndexBroken(f"The list {path} is cut short or too long.", _REMAKE)
    plain = np.asarray(data)[HEADER_BYTES:]
    # The texts come first and have any length: the numbers behind them are not aligned.
    ends = np.frombuffer(plain[length : length + 4 * rows], "<u4")
    if rows and int(ends[-1]) != length:
        raise IndexBroken(f"The list {path} is damaged.", _REMAKE)
    counts = np.frombuffer(plain[length + 4 * rows : length + 8 * rows], "<u4")
    return TermList(path, digest, ends, counts, plain[length + 8 * rows :], plain[:length])


def _header(path: Path, head: bytes) -> tuple[int, int, str]:
    try:
        found = read_header(head, _MAGIC, (FORMAT,))
        rows, length = int(str(found["entries"])), int(str(found["bytes"]))
        if rows < 0 or length < 0:
            raise ValueError("a length below zero")
        return rows, length, str(found["sha256"])
    except (ValueError, KeyError, TypeError) as error:
        raise IndexBroken(f"The list {path} cannot be read: {error}.", _REMAKE) from error


def is_whole(terms: TermList) -> bool:
    """Whether the file's content still has its checksum; reads all of it, block by block."""
    return digest_of(terms.path) == terms.checksum
