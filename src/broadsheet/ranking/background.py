"""The word state: vocabulary, word weights and word rows of drawn papers, in one plain file.

Derived state, made from the library at index time and safe to delete. The file is an npz of plain
arrays whose first one is a JSON header with the version of the form; nothing in it can be executed.
"""

import zipfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sqlalchemy import Connection

from broadsheet.errors import IndexBroken
from broadsheet.library import papers as library
from broadsheet.ranking.candidates import is_within
from broadsheet.ranking.words import DocumentCounts, Vocabulary, text_of, words_of
from broadsheet.search.files import replaced

FORMAT = 1
SEED = 20_310_114
DRAWN = 20_000
BACKGROUND = 5_000
ENOUGH = 100
GROWTH = 1.25
_PORTION = 1_000
_GOLDEN = 0x9E3779B97F4A7C15
_ALL_BITS = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, slots=True)
class WordState:
    """Word rows (n, words) of drawn papers with their keys (n,) and categories, in the order of the draw.

    ``papers`` is the size of the library that it was made from; ``change`` the newest change then.
    """

    vocabulary: Vocabulary
    keys: NDArray[np.int64]
    categories: tuple[tuple[str, ...], ...]
    rows: csr_array
    papers: int
    change: int


def sample(keys: NDArray[np.int64], size: int, seed: int) -> NDArray[np.int64]:
    """At most ``size`` of the keys (n,), drawn so that a growing library changes few of them.

    Each key is hashed with the seed (splitmix64, Steele et al. 2014) and those with the smallest
    hashes are taken, in the order of the hash: a smaller sample is the beginning of a larger one.
    """
    mixed = keys.astype(np.uint64) + np.uint64((seed + 1) * _GOLDEN & _ALL_BITS)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys[np.argsort(mixed ^ (mixed >> np.uint64(31)), kind="stable")[:size]]


def background_for(
    state: WordState, known: Collection[int], day: Collection[int], wanted: Collection[str]
) -> NDArray[np.intp]:
    """The rows of at most 5,000 drawn papers of the wanted categories (none: all), first drawn first.

    Papers of other fields would teach a learner to tell fields apart, which on a page of one field is
    of no use. The reader's ``known`` papers never count; those of the ``day``, and then those of all
    fields, only where fewer than 100 would be left.
    """
    unknown = ~np.isin(state.keys, list(known))
    earlier = unknown & ~np.isin(state.keys, list(day))
    inside = np.array([not wanted or is_within(own, wanted) for own in state.categories], np.bool_)
    choices = (earlier & inside, unknown & inside, earlier)
    enough = next((choice for choice in choices if choice.sum() >= ENOUGH), unknown)
    return np.flatnonzero(enough)[:BACKGROUND]


def word_state(connection: Connection, directory: Path, seed: int = SEED) -> WordState:
    """The state under an index directory; made first where it is missing, broken or of another version."""
    try:
        return load_word_state(directory)
    except IndexBroken:
        return make_word_state(connection, directory, seed)


def refresh_word_state(connection: Connection, directory: Path, seed: int = SEED) -> bool:
    """Make the state anew where the library has grown or shrunk by a quarter since; whether it did."""
    try:
        made_from = load_word_state(directory).papers
    except IndexBroken:
        made_from = 0
    held = library.count(connection)
    if held and made_from and held < made_from * GROWTH and made_from < held * GROWTH:
        return False
    make_word_state(connection, directory, seed)
    return True


def make_word_state(connection: Connection, directory: Path, seed: int = SEED) -> WordState:
    """Count the words of 20,000 papers drawn by the seed, keep their rows, and write the file."""
    everything = library.change_heads(connection).keys
    keys = sample(everything, DRAWN, seed)
    counts, words, categories = DocumentCounts(), [], []
    for start in range(0, len(keys), _PORTION):
        portion = keys[start : start + _PORTION].tolist()
        papers = library.load(connection, portion)
        for key in portion:
            words.append(words_of(text_of(papers[key])))
            categories.append(papers[key].categories)
            counts.add(words[-1])
    vocabulary, change = counts.vocabulary(), library.newest_change(connection)
    rows = vocabulary.rows(words)
    _write(WordState(vocabulary, keys, tuple(categories), rows, len(everything), change), directory)
    # Read back, since the file rounds: a page is the same whether the state was just made or not.
    return load_word_state(directory)


def _file(directory: Path) -> Path:
    return directory / "taste" / "words.npz"


def _write(state: WordState, directory: Path) -> None:
    place = _file(directory)
    place.parent.mkdir(parents=True, exist_ok=True)
    header = orjson.dumps({"format": FORMAT, "papers": state.papers, "change": state.change})
    with replaced(place) as file:
        np.savez(
            file,
            header=np.frombuffer(header, np.uint8),
            words=_as_bytes(state.vocabulary.words),
            categories=_as_bytes(" ".join(of_paper) for of_paper in state.categories),
            idf=state.vocabulary.idf,
            keys=state.keys,
            data=state.rows.data.astype(np.float32),
            indices=state.rows.indices.astype(np.int32),
            indptr=state.rows.indptr.astype(np.int32),
        )


def _as_bytes(lines: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8)


def _as_lines(array: NDArray[np.uint8]) -> list[str]:
    return array.tobytes().decode().split("\n")[:-1]


def load_word_state(directory: Path) -> WordState:
    """Read the file; raises IndexBroken where it is missing, damaged or of another version."""
    place = _file(directory)
    try:
        with place.open("rb") as file:
            arrays = np.load(file, allow_pickle=False)
            if not isinstance(arrays, NpzFile):
                raise ValueError("it is no archive of arrays")
            return _state({name: arrays[name] for name in arrays.files})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise IndexBroken(f"{place} cannot be read: {error}.", "Run `broadsheet index`.") from error


def _state(arrays: dict[str, NDArray[Any]]) -> WordState:
    header = orjson.loads(arrays["header"].tobytes())
    if header["format"] != FORMAT:
        raise ValueError("it is of another version")
    words = tuple(_as_lines(arrays["words"]))
    categories = tuple(tuple(line.split()) for line in _as_lines(arrays["categories"]))
    keys, idf = arrays["keys"], arrays["idf"]
    parts = (arrays["data"].astype(np.float64), arrays["indices"], arrays["indptr"])
    rows = csr_array(parts, shape=(len(keys), len(words)))
    rows.check_format(full_check=True)
    if len(idf) != len(words) or len(categories) != len(keys):
        raise ValueError("its parts differ in number")
    return WordState(Vocabulary(words, idf), keys, categories, rows, header["papers"], header["change"])
