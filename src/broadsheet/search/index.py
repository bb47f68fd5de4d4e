"""The index follows the library: words and vectors brought up to its change numbers, newest day first."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from broadsheet.library import papers as library
from broadsheet.papers import Paper
from broadsheet.search import words
from broadsheet.search.encoders import Encoder, text_of
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.vectors import MANIFEST, Vectors, folder_of
from broadsheet.search.words import Keys, Words, WordsWriter

# A kill while vectors are made loses at most this many; so small a segment is soon merged.
CHUNK = 256
_PORTION = 1000
_COMMITTED_EACH = 20_000
_MANY = 5_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """How the index stands: ``pending`` papers have no vector of their present text."""

    papers: int
    vectors: int
    pending: int
    segments: int
    bytes: int


@dataclass(frozen=True, slots=True)
class VectorsMade:
    """What one run did: ``dropped`` names segments that were found broken and made again."""

    made: int
    pending: int
    dropped: tuple[str, ...]


def update_words(connection: Connection, directory: Path, rebuild: bool = False) -> int:
    """Bring the words index to the library's newest change; how many papers were written or removed.

    Committed every 20,000 papers, so memory is bounded and a kill loses little. ``rebuild`` makes the
    index anew. Raises IndexBroken for a damaged index and Busy while another process writes.
    """
    place = words_folder(directory)
    if rebuild:
        words.remove(place)
    target = library.newest_change(connection)
    known = Words.open(place).covered if words.is_made(place) else 0
    if known and known >= target:
        return 0
    with WordsWriter(place, threads=2 if target - known > _MANY else 1) as writer:
        return _follow(connection, writer)


def _follow(connection: Connection, writer: WordsWriter) -> int:
    done, covered = 0, writer.covered
    while portion := library.changed(connection, covered, _PORTION):
        for changed in portion:
            if changed.paper is None:
                writer.remove(changed.key)
            else:
                writer.put(changed.key, changed.paper, day_of(changed.paper))
        covered = portion[-1].change
        done += len(portion)
        if done % _COMMITTED_EACH < _PORTION:
            writer.commit(covered)
    if covered != writer.covered:
        writer.commit(covered)
    return done


def make_vectors(
    connection: Connection,
    directory: Path,
    encoder: Encoder,
    limit: int | None = None,
    progress: Progress | None = None,
) -> VectorsMade:
    """Make missing vectors, newest day first, at most ``limit``; each chunk is kept as it is made.

    ``progress`` is told (made, to be made) after each chunk. Segments found broken are dropped and
    count as missing. Raises Busy while another process makes vectors and IndexBroken where the
    vectors there are another model's.
    """
    with VectorsWriter(directory, encoder.name, encoder.model, encoder.dimension, encoder.limit) as writer:
        through = library.newest_change(connection)
        missing, gone = _difference(connection, writer.vectors())
        wanted = missing if limit is None else missing[:limit]
        made = 0
        for begin in range(0, len(wanted), CHUNK):
            made += _make_chunk(connection, writer, encoder, wanted[begin : begin + CHUNK].T)
            if progress:
                progress(made, len(wanted))
        pending = len(missing) - len(wanted)
        writer.settle(gone, through, pending)
        return VectorsMade(made, pending, tuple(writer.dropped))


def _difference(connection: Connection, vectors: Vectors) -> tuple[NDArray[np.int64], Keys]:
    """Key and text change (n, 2) of what has no vector, newest day first; and the keys held in vain."""
    heads = library.change_heads(connection)
    held, held_changes = vectors.held()
    known = np.zeros(len(heads.keys), np.bool_)
    if len(held):
        place = np.minimum(np.searchsorted(held, heads.keys), len(held) - 1)
        known = (held[place] == heads.keys) & (held_changes[place] >= heads.text_changes)
    gone = np.setdiff1d(np.union1d(held, np.array(vectors.manifest.gone, np.int64)), heads.keys)
    return np.stack([heads.keys, heads.text_changes], axis=1)[~known], gone


def _make_chunk(
    connection: Connection, writer: VectorsWriter, encoder: Encoder, missing: NDArray[np.int64]
) -> int:
    keys, text_changes = missing
    papers = library.load(connection, keys.tolist())
    there = np.isin(keys, list(papers))
    keys, text_changes = keys[there], text_changes[there]
    chosen = [papers[key] for key in keys.tolist()]
    days = np.array([day.toordinal() if (day := day_of(paper)) else 0 for paper in chosen], np.int64)
    writer.add(encoder.encode([text_of(paper) for paper in chosen]), keys, text_changes, days)
    return len(chosen)


def day_of(paper: Paper) -> date | None:
    """The day that a paper is dated by in search: announced, else submitted."""
    return paper.announced or (paper.submitted.date() if paper.submitted else None)


def report(connection: Connection, directory: Path, encoder_name: str | None) -> IndexReport:
    """How the index stands against the library."""
    held, pending = vectors_standing(connection, directory, encoder_name)
    vectors = vectors_at(directory, encoder_name) if encoder_name else None
    place = words_folder(directory)
    papers = len(Words.open(place)) if words.is_made(place) else 0
    return IndexReport(papers, held, pending, vectors.segments if vectors else 0, _bytes(directory))


def vectors_standing(connection: Connection, directory: Path, encoder_name: str | None) -> tuple[int, int]:
    """How many papers have a vector, and how many have none of their present text."""
    vectors = vectors_at(directory, encoder_name) if encoder_name else None
    if vectors is None:
        return 0, library.count(connection)
    return len(vectors), pending_of(connection, vectors)


def pending_of(connection: Connection, vectors: Vectors) -> int:
    """How many papers have no vector of their present text."""
    if vectors.manifest.through == library.newest_change(connection):
        return vectors.manifest.pending
    return len(_difference(connection, vectors)[0])


def _bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def words_folder(directory: Path) -> Path:
    return directory / "words"


def words_made(directory: Path) -> bool:
    return words.is_made(words_folder(directory))


def words_at(directory: Path) -> Words:
    """The words index under an index directory; raises IndexBroken where there is none."""
    return Words.open(words_folder(directory))


def vectors_at(directory: Path, encoder_name: str) -> Vectors | None:
    """An encoder's vectors, None where none were ever made; raises IndexBroken for damaged ones."""
    if not (folder_of(directory, encoder_name) / MANIFEST).is_file():
        return None
    return Vectors.open(directory, encoder_name)


def remove_vectors(directory: Path, encoder_name: str) -> None:
    """Take all vectors of an encoder away, for making them anew."""
    folder = folder_of(directory, encoder_name)
    if folder.is_dir():
        shutil.rmtree(folder)
