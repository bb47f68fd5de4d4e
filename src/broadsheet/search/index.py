"""The index follows the library: words and vectors brought up to its change numbers, newest day first."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from broadsheet.library import papers as library
from broadsheet.papers import Paper
from broadsheet.search import gathering, words
from broadsheet.search.encoders import Encoder, text_of
from broadsheet.search.gathering import TermsWriter
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.manifests import folder_of
from broadsheet.search.opening import terms_folder, vectors_at, words_folder
from broadsheet.search.vectors import Vectors
from broadsheet.search.words import Keys, Words, WordsWriter

# A kill while vectors are made loses at most this many; so small a segment is soon merged.
CHUNK = 256
_PORTION = 1000
_COMMITTED_EACH = 20_000
_COUNTED_EACH = 100_000
_MANY = 5_000
_EPOCH = date(1970, 1, 1).toordinal()

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
class Backlog:
    """What the vectors lack of the library as it stood at change ``through``.

    ``missing`` are key and text change (n, 2) of papers without a vector of their text, newest day
    first; ``moved`` are key and day of papers whose day changed; ``stale`` and ``gone`` are keys held
    with an older text, and held in vain.
    """

    missing: NDArray[np.int64]
    moved: NDArray[np.int64]
    stale: Keys
    gone: Keys
    through: int


@dataclass(frozen=True, slots=True)
class VectorsMade:
    """What one run did: ``dropped`` names segments that were found broken and made again, ``left`` is
    what the next run may go on with."""

    made: int
    left: Backlog
    dropped: tuple[str, ...]

    @property
    def pending(self) -> int:
        return len(self.left.missing)


def update_words(connection: Connection, directory: Path, rebuild: bool = False) -> int:
    """Bring words and terms to the library's newest change; how many papers were written or removed.

    Committed every 20,000 papers, so memory is bounded and a kill loses little. ``rebuild`` makes both
    anew. Raises IndexBroken for a damaged words index and Busy while another process writes.
    """
    place, terms_place = words_folder(directory), terms_folder(directory)
    if rebuild:
        words.remove(place)
    if not words.is_made(place):
        # Both begin anew: whoever takes the words away wants everything made from the library again.
        gathering.remove(terms_place)
    target = library.newest_change(connection)
    known = Words.open(place).covered if words.is_made(place) else 0
    if known and min(known, gathering.covered_by(terms_place)) >= target:
        return 0
    with WordsWriter(place, threads=2 if target - known > _MANY else 1) as writer:
        return _follow(connection, writer, TermsWriter(terms_place))


def _follow(connection: Connection, writer: WordsWriter, terms: TermsWriter) -> int:
    """Each of the two takes in what it lacks; after a kill one of them may be ahead of the other."""
    in_words, in_terms = writer.covered, terms.covered
    covered, seen, done = min(in_words, in_terms), 0, 0
    while portion := library.changed(connection, covered, _PORTION):
        for changed in portion:
            if changed.change > in_words:
                _put(writer, changed)
                done += 1
            if changed.paper and changed.text_change > in_terms:
                terms.add(changed.paper)
        covered = portion[-1].change
        seen += len(portion)
        if seen % _COUNTED_EACH < _PORTION:
            terms.commit(covered)
        if seen % _COMMITTED_EACH < _PORTION and covered > writer.covered:
            writer.commit(covered)
    if covered > terms.covered:
        terms.commit(covered)
    if covered > writer.covered:
        writer.commit(covered)
    terms.merge()
    return done


def _put(writer: WordsWriter, changed: library.Changed) -> None:
    if changed.paper is None:
        writer.remove(changed.key)
    else:
        writer.put(changed.key, changed.paper, day_of(changed.paper))


def make_vectors(
    connection: Connection,
    directory: Path,
    encoder: Encoder,
    limit: int | None = None,
    progress: Progress | None = None,
    left: Backlog | None = None,
) -> VectorsMade:
    """Make missing vectors, newest day first, at most ``limit``; each chunk is kept as it is made.

    Papers whose day changed are put under their new day first. ``progress`` is told (made, to be made)
    after each chunk; ``left`` is what an earlier run left. Segments found broken are dropped and count
    as missing. Raises Busy while another process makes vectors and IndexBroken where the vectors there
    are another model's.
    """
    with VectorsWriter(directory, encoder.name, encoder.model, encoder.dimension, encoder.limit) as writer:
        if left is None or writer.dropped or left.through != library.newest_change(connection):
            left = _backlog(connection, writer.vectors())
        writer.move(*left.moved.T)
        wanted = left.missing if limit is None else left.missing[:limit]
        made = 0
        for begin in range(0, len(wanted), CHUNK):
            made += _make_chunk(connection, writer, encoder, wanted[begin : begin + CHUNK].T)
            if progress:
                progress(made, len(wanted))
        left = replace(
            left,
            missing=left.missing[len(wanted) :],
            moved=left.moved[:0],
            stale=np.setdiff1d(left.stale, wanted[:, 0]),
        )
        writer.settle(left.gone, left.stale, left.through, len(left.missing))
        return VectorsMade(made, left, tuple(writer.dropped))


def _backlog(connection: Connection, vectors: Vectors) -> Backlog:
    """Compare library and vectors; where nothing was missing, only what has changed since is looked at."""
    manifest = vectors.manifest
    through = library.newest_change(connection)
    heads = library.change_heads(connection, 0 if manifest.pending else manifest.through)
    there, held_changes, held_days = vectors.dated(heads.keys)
    fresh = there & (held_changes >= heads.text_changes)
    days = np.where(heads.days == library.NO_DAY, 0, heads.days + _EPOCH)
    moved = fresh & (days != held_days)
    gone = np.union1d(manifest.gone, heads.gone[vectors.dated(heads.gone)[0]])
    return Backlog(
        np.stack([heads.keys, heads.text_changes], axis=1)[~fresh],
        np.stack([heads.keys, days], axis=1)[moved],
        np.sort(heads.keys[there & ~fresh]),
        np.setdiff1d(gone, heads.keys).astype(np.int64),
        through,
    )


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
    held = library.count(connection)
    if vectors is None:
        return 0, held
    return len(vectors), pending_of(connection, vectors, held)


def pending_of(connection: Connection, vectors: Vectors, papers: int) -> int:
    """How many of so many papers in the library have no vector of their present text.

    Only what has changed since vectors were made is looked at.
    """
    manifest = vectors.manifest
    if manifest.through == library.newest_change(connection):
        return manifest.pending
    heads = library.change_heads(connection, manifest.through)
    there, changes, _ = vectors.dated(heads.keys)
    gone = heads.gone[vectors.dated(heads.gone)[0]]
    older = heads.keys[there & (changes < heads.text_changes)]
    stale = np.setdiff1d(np.union1d(np.array(manifest.stale, np.int64), older), gone)
    return max(0, papers - (len(vectors) - len(stale) - len(gone)))


def _bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def remove_vectors(directory: Path, encoder_name: str) -> None:
    """Take all vectors of an encoder away, for making them anew."""
    folder = folder_of(directory, encoder_name)
    if folder.is_dir():
        shutil.rmtree(folder)
