"""A day's papers in order for one reader: the one entrance to this room."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from broadsheet.errors import IndexBroken
from broadsheet.library import interactions, readers
from broadsheet.library import papers as library
from broadsheet.papers import Paper, RankedPaper, Reason
from broadsheet.ranking.background import WordState, background_for, word_state
from broadsheet.ranking.candidates import DECIDED, Candidates, candidates, decided
from broadsheet.ranking.evidence import Evidence, Judged, Lesson, judge
from broadsheet.ranking.reasons import Told, WordShares, followed_reasons, taste_reasons
from broadsheet.ranking.signals import signal_reasons
from broadsheet.ranking.slate import Chosen, choose
from broadsheet.ranking.words import text_of, words_of
from broadsheet.readers import Basis, InteractionKind, Offered, Reader
from broadsheet.search.mixed import Meaning
from broadsheet.search.opening import meaning_at

MOST_OFFERED = 1_000
FEW_VOTES = 5

DRAWN = Reason("draw", "drawn by chance from the next ranks, to learn from", 0.0)
NOTHING_KNOWN = "You have not saved, liked or dismissed a paper yet: ordered by date and community signals."
WORDS_ALONE = "No vectors yet: ranked by words alone. `broadsheet index` makes them."
NO_VECTORS = "no vectors"


@dataclass(frozen=True, slots=True)
class Index:
    """Where the derived state lies, and the encoder whose vectors are used, if any."""

    directory: Path
    encoder: str | None


@dataclass(frozen=True, slots=True)
class Slate:
    """A day's papers as they are offered: the first ``length`` are the list, the others its tail.

    ``trained_through`` is the number of the last interaction that was known, None where the order
    goes by date and signals; ``index_version`` names the derived state that was read.
    """

    offered: tuple[Offered, ...]
    length: int
    basis: Basis
    trained_through: int | None
    index_version: str
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Scored:
    """Each candidate's reasons, in order of key, and how they came about."""

    reasons: list[tuple[Reason, ...]]
    basis: Basis
    index_version: str
    notices: tuple[str, ...]


def rank(connection: Connection, index: Index, reader: Reader, day: date, seed: int) -> Slate:
    """Order the papers of a day for a reader; the same state and seed give the same slate.

    By taste from the first paper that was saved, liked or dismissed on, else by date and community
    signals. At most 1,000 papers are offered. A missing word state is made, which takes seconds.
    """
    standing = interactions.standing(connection, reader.id)
    following = readers.following(connection, reader.id)
    found = candidates(connection, reader.id, day, following, decided(standing))
    answers = answers_of(standing)
    scored = _by_taste(connection, index, found, answers) if answers else _by_signals(connection, found, day)
    taste = scored.basis == "taste"
    scores = np.array([sum(reason.share for reason in reasons) for reasons in scored.reasons])
    chosen = choose(scores, reader.list_length, seed, explore=taste)
    return Slate(
        _offered(list(found.papers.values()), scored.reasons, chosen),
        chosen.length,
        scored.basis,
        interactions.newest_number(connection, reader.id) if taste else None,
        scored.index_version,
        scored.notices,
    )


def answers_of(standing: Mapping[InteractionKind, Mapping[int, datetime]]) -> dict[int, int]:
    """+1 for what a reader keeps and -1 for what was dismissed; what was done last counts."""
    last: dict[int, tuple[datetime, int]] = {}
    for kind in DECIDED:
        answer = -1 if kind == "dismissed" else 1
        for key, at in standing.get(kind, {}).items():
            last[key] = max(last.get(key, (at, answer)), (at, answer))
    return {key: last[key][1] for key in sorted(last)}


def _by_signals(connection: Connection, found: Candidates, day: date) -> _Scored:
    upvotes = library.latest_signals(connection, found.papers, "upvotes")
    reasons = [
        (*signal_reasons(key, paper, upvotes, day), *followed_reasons(found.followed[key]))
        for key, paper in found.papers.items()
    ]
    return _Scored(reasons, "date_and_signals", "none", (NOTHING_KNOWN,))


def _by_taste(connection: Connection, index: Index, found: Candidates, answers: Mapping[int, int]) -> _Scored:
    state = word_state(connection, index.directory)
    vectors, notices = _vectors(index)
    told = library.load(connection, answers)
    known = {key: told[key] for key in answers if key in told}
    words = _words(found.papers)
    seen = _evidence(state, vectors, found.papers, words)
    lesson = Lesson(
        _evidence(state, vectors, known, _words(known)),
        np.array([answers[key] for key in known], np.int8),
        _background(state, vectors, list(known), found),
    )
    middle = np.zeros(0, np.float32) if vectors is None else vectors.mean()
    judged = judge(lesson, seen, np.array([len(of_paper) for of_paper in words], np.int64), middle)
    titles = [Told(paper.title, answers[key] > 0) for key, paper in known.items()]
    reasons = _reasons(judged, seen, state, titles, found)
    notices = (*learning_notices(len(known)), *notices, *(_unheld(seen) if vectors is not None else ()))
    return _Scored(reasons, "taste", _version(state, index, vectors), notices)


def learning_notices(votes: int) -> tuple[str, ...]:
    """What to say while little is known of a reader."""
    return () if votes >= FEW_VOTES else (f"learning: {votes} vote{'' if votes == 1 else 's'}",)


def _vectors(index: Index) -> tuple[Meaning | None, tuple[str, ...]]:
    try:
        vectors = meaning_at(index.directory, index.encoder) if index.encoder else None
        return vectors, () if vectors else (WORDS_ALONE,)
    except IndexBroken as error:
        return None, (f"Ranked by words alone: {error.message} {error.next_step}",)


def _unheld(evidence: Evidence) -> tuple[str, ...]:
    missing, of = int((~evidence.held).sum()), len(evidence.held)
    return (
        (f"{missing} of {of} papers of this day have no vector yet: ranked by words alone.",)
        if missing
        else ()
    )


def _version(state: WordState, index: Index, vectors: Meaning | None) -> str:
    words = f"words {state.change}"
    if vectors is None:
        return f"{words}, {NO_VECTORS}"
    return f"{words}, {index.encoder} {vectors.manifest.model[:12]} {vectors.manifest.through}"


def _words(papers: Mapping[int, Paper]) -> list[list[str]]:
    return [words_of(text_of(paper)) for paper in papers.values()]


def _evidence(
    state: WordState, vectors: Meaning | None, keys: Collection[int], words: Sequence[Sequence[str]]
) -> Evidence:
    return Evidence(state.vocabulary.rows(words), *_rows(vectors, np.fromiter(keys, np.int64, len(keys))))


def _rows(vectors: Meaning | None, keys: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    if vectors is None:
        return np.zeros((len(keys), 0), np.float32), np.zeros(len(keys), np.bool_)
    return vectors.rows(keys)


def _background(
    state: WordState, vectors: Meaning | None, known: Collection[int], found: Candidates
) -> Evidence:
    chosen = background_for(state, known, list(found.papers), found.categories)
    return Evidence(state.rows[chosen], *_rows(vectors, state.keys[chosen]))


def _reasons(
    judged: Judged, seen: Evidence, state: WordState, told: Sequence[Told], found: Candidates
) -> list[tuple[Reason, ...]]:
    shares = seen.rows.data * judged.word_taste.weights[seen.rows.indices]
    words = WordShares(state.vocabulary.words, seen.rows.indptr, seen.rows.indices, shares)
    return [
        taste_reasons(judged, position, told, words, followed)
        for position, followed in enumerate(found.followed.values())
    ]


def _offered(
    papers: Sequence[Paper], reasons: Sequence[tuple[Reason, ...]], chosen: Chosen
) -> tuple[Offered, ...]:
    offered = []
    for place, position in enumerate(chosen.order[:MOST_OFFERED]):
        exploring = bool(chosen.exploring[place])
        why = (*reasons[position], DRAWN) if exploring else reasons[position]
        ranked = RankedPaper(papers[position], sum(reason.share for reason in why), place + 1, why)
        offered.append(Offered(ranked, float(chosen.chance[place]), exploring))
    return tuple(offered)
