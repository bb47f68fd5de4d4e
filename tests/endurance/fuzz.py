"""Random queries, and index files spoilt at random: ``python -m tests.endurance.fuzz --seconds 600``.

Whatever is typed is answered or refused by name, and whatever lies in the index folder is read, or named
as broken and made again. Any other error is printed, and the exit code is 1.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from broadsheet.errors import BadQuery, IndexBroken
from broadsheet.library.arrivals import store
from broadsheet.library.database import Library
from broadsheet.papers import Announcement, Arrival, Author, Links, Paper
from broadsheet.search import index
from broadsheet.search.finding import Found, SearchRequest, find, similar
from broadsheet.search.index import make_vectors, report, update_words
from broadsheet.search.query import parse
from broadsheet.search.suggesting import suggest

NOW = datetime(2031, 1, 20, 12, tzinfo=UTC)
PAPERS = 60
DIMENSION = 16
_WORDS = (
    "kelp forest self-supervised diffusion $\\alpha$-divergence Λ CDM H$_2$O models of a survey Kähler"
    " 扩散模型 データ graph kernels state-of-the-art 2-3 β"
).split()
_NAMES = ("Ada Q. Quillfeather", "A. Quillfeather", "Ek, Bo", "Seán O'Neill", "Wei Zhang", "Łukasz van Ost")
_FRAGMENTS = (
    "since:", "until:", "has:", "author:", "au:", "title:", "cat:", "id:", "-", '"', "“", "$", "\\", "{", "^",
    "2031-01-13", "2031-02-30", "2031", "code", "arXiv: ", "3101.00001", "10.1/x", "https://arxiv.org/abs/",
    "\n", "_", " ", " ", " ", "\u0301", "\x00", "ﾃ", "ο", "\ud7ff", "\U0001f41f", "(", ")", "*", "~", "?",
    ":", "'", "AND",
)  # fmt: skip


class MadeUpEncoder:
    """Vectors that hang on the letters of a text alone: enough to go through every step of meaning."""

    name, model, dimension, limit = "tiny", "made-up", DIMENSION, 1.0

    def encode(self, texts: Sequence[str], batch: int = 64) -> NDArray[np.float32]:
        rows = np.ones((len(texts), DIMENSION), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text:
                row[ord(letter) % DIMENSION] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    encode_queries = encode


@dataclass
class Fuzzed:
    """What a run came to: how often each thing happened, and what went wrong."""

    happened: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


@dataclass
class Ground:
    """A library with an index that is whole, and one to spoil."""

    library: Library
    whole: Path
    spoilt: Path
    rng: random.Random
    fuzzed: Fuzzed


def fuzz(seed: int, seconds: float, home: Path) -> Fuzzed:
    """Ask and spoil in turn until the time is over."""
    library = Library.open(home / "library.sqlite3", NOW)
    ground = Ground(library, home / "index", home / "spoilt", random.Random(seed), Fuzzed())
    with library.write() as connection:
        store(connection, [_arrival(ground.rng, number) for number in range(PAPERS)], NOW)
    with library.read() as connection:
        _make(connection, ground.whole)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(20):
            _ask(ground)
        _spoil(ground)
    library.close()
    return ground.fuzzed


def _arrival(rng: random.Random, number: int) -> Arrival:
    paper = Paper(
        f"arxiv:3101.{number:05}",
        " ".join(rng.choices(_WORDS, k=rng.randint(1, 8))),
        " ".join(rng.choices(_WORDS, k=40)),
        tuple(Author(name) for name in rng.sample(_NAMES, 2)),
        announced=date(2031, 1, 1 + number % 19),
        categories=("cs.LG",),
        links=Links(code="https://code.invalid" if number % 3 else None),
    )
    said = Announcement(paper.id, "arxiv", "cs.LG", paper.announced or date.min, "new", 1, NOW)
    return Arrival(paper, (said,))


def _make(connection: Connection, folder: Path) -> None:
    update_words(connection, folder)
    make_vectors(connection, folder, MadeUpEncoder())


def query(rng: random.Random) -> str:
    """Fragments of the language, words, and letters from anywhere."""
    pieces: list[str] = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.45:
            pieces.append(rng.choice(_FRAGMENTS))
        elif kind < 0.8:
            pieces.append(rng.choice((*_WORDS, *_NAMES)))
        else:
            letters = (chr(rng.choice((rng.randint(1, 127), rng.randint(1, 0xD7FF)))) for _ in range(6))
            pieces.append("".join(letters))
    return rng.choice(("", " ")).join(pieces)


def _ask(ground: Ground) -> None:
    rng = ground.rng
    text = query(rng)
    encoder = MadeUpEncoder() if rng.random() < 0.5 else None

    def asked(connection: Connection) -> None:
        try:
            parse(text)
            request = SearchRequest(text, rng.choice((1, 20, 200)))
            _check(find(connection, ground.whole, encoder, request), text)
        except BadQuery:
            ground.fuzzed.happened["refused"] += 1
        suggest(connection, ground.whole, text)
        ground.fuzzed.happened["asked"] += 1

    _watched(ground, f"asked {text!r}", asked)


def _check(found: Found, text: str) -> None:
    scores = [result.score for result in found.results]
    assert found.total >= len(scores), f"{text!r}: a total of {found.total}"
    assert scores == sorted(scores, reverse=True), f"{text!r}: scores rise"
    for result in found.results:
        told = sum(reason.share for reason in result.reasons)
        assert abs(told - result.score) < 1e-6, f"{text!r}: shares add up to {told}, not {result.score}"


def _spoil(ground: Ground) -> None:
    """Spoil a copy of the index, read it in every way, and bring it up to date."""
    shutil.rmtree(ground.spoilt, ignore_errors=True)
    shutil.copytree(ground.whole, ground.spoilt)
    done = [_damage(ground.rng, ground.spoilt) for _ in range(ground.rng.randint(1, 3))]
    told = ", ".join(done)
    text = query(ground.rng)

    def search(connection: Connection) -> None:
        request = SearchRequest(ground.rng.choice(("kelp", "", "forest")))
        find(connection, ground.spoilt, MadeUpEncoder(), request)

    def more(connection: Connection) -> None:
        similar(connection, ground.spoilt, "tiny", ["3101.00001"])

    def typed(connection: Connection) -> None:
        suggest(connection, ground.spoilt, ground.rng.choice(("ke", text, "author:q")))

    def mended(connection: Connection) -> None:
        update_words(connection, ground.spoilt)
        make_vectors(connection, ground.spoilt, MadeUpEncoder())
        report(connection, ground.spoilt, "tiny")

    for name, work in (("search", search), ("similar", more), ("suggest", typed), ("index", mended)):
        _watched(ground, f"{name} after {told}", lambda c, work=work: _allowing_broken(ground, c, work))
    _watched(ground, f"made anew after {told}", lambda c: _made_anew(ground, c))


def _allowing_broken(ground: Ground, connection: Connection, work: Callable[[Connection], None]) -> None:
    try:
        work(connection)
        ground.fuzzed.happened["read although spoilt"] += 1
    except BadQuery:
        ground.fuzzed.happened["refused"] += 1
    except IndexBroken as error:
        if str(ground.spoilt) not in error.message or not error.next_step:
            raise ValueError(f"nothing is named, or nothing to do: {error.message}") from error
        ground.fuzzed.happened["named as broken"] += 1


def _made_anew(ground: Ground, connection: Connection) -> None:
    """Whatever was there, a rebuilt index answers."""
    update_words(connection, ground.spoilt, rebuild=True)
    index.remove_vectors(ground.spoilt, "tiny")
    make_vectors(connection, ground.spoilt, MadeUpEncoder())
    found = find(connection, ground.spoilt, MadeUpEncoder(), SearchRequest("kelp forest", 5))
    assert len(found.results) == 5
    ground.fuzzed.happened["made anew"] += 1


def _damage(rng: random.Random, folder: Path) -> str:
    """Flip, cut, lengthen, empty, overwrite, take away or swap files; what was done."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    path = rng.choice(files)
    data = bytearray(path.read_bytes())
    way = rng.choice(("flip", "flip", "flip", "cut", "lengthen", "empty", "overwrite", "remove", "swap"))
    if way == "flip":
        for _ in range(rng.choice((1, 1, 8, 100))):
            if data:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif way == "cut":
        del data[rng.randrange(len(data) + 1) :]
    elif way == "lengthen":
        data += rng.randbytes(rng.randint(1, 64))
    elif way == "empty":
        data.clear()
    elif way == "overwrite":
        data[:] = rng.randbytes(len(data))
    elif way == "swap":
        other = rng.choice(files)
        data[:] = other.read_bytes()
        other.write_bytes(path.read_bytes())
    path.unlink()
    if way != "remove":
        path.write_bytes(data)
    return f"{way} {path.relative_to(folder)}"


def _watched(ground: Ground, what: str, work: Callable[[Connection], None]) -> None:
    """Do it, and write down any error: also what tantivy panics with, which is no Exception."""
    try:
        with ground.library.read() as connection:
            work(connection)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001
        last = traceback.extract_tb(error.__traceback__)[-1]
        ground.fuzzed.wrong.append(f"{what}: {error!r} at {Path(last.filename).name}:{last.lineno}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        fuzzed = fuzz(given.seed, given.seconds, Path(home))
    print(", ".join(f"{name} {number:,}" for name, number in sorted(fuzzed.happened.items())))
    for line in fuzzed.wrong[:40]:
        print(f"  {line}")
    print(f"{len(fuzzed.wrong)} wrong")
    return 1 if fuzzed.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
