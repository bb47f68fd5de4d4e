"""Papers as the learners see them, and what the two learners say of a day's candidates."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from broadsheet.ranking.taste import (
    Answers,
    Floats,
    Taste,
    centred,
    learn_meaning,
    learn_words,
    standardised,
)

ENOUGH_WORDS = 20
SHORT_PENALTY = -1.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Papers in one order: word rows (n, words), vectors (n, d) and which of those are held (n,)."""

    rows: csr_array
    vectors: NDArray[np.float32]
    held: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Judged:
    """What both learners say of n candidates; ``words + meaning + short`` is the score.

    All parts have the shape (n,): ``words`` and ``meaning`` are z-scores within the candidates,
    scaled down where there is little text, and ``short`` is the penalty for that. ``meaning`` is None
    without any vector to learn from. ``nearest`` holds for each candidate the position of the
    closest known paper, or -1.
    """

    words: Floats
    meaning: Floats | None
    short: Floats
    nearest: NDArray[np.intp]
    word_taste: Taste

    @property
    def scores(self) -> Floats:
        total = self.words + self.short
        return total if self.meaning is None else total + self.meaning


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learned from: papers of the reader with their answers, and papers of the background."""

    known: Evidence
    answers: Answers
    background: Evidence


def judge(
    lesson: Lesson, candidates: Evidence, lengths: NDArray[np.int64], middle: NDArray[np.float32]
) -> Judged:
    """Scores of n candidates; ``lengths`` (n,) counts their words, ``middle`` (d,) is the mean vector."""
    fullness = np.minimum(1.0, lengths / ENOUGH_WORDS)
    answers = np.concatenate([lesson.answers, np.zeros(lesson.background.rows.shape[0], np.int8)])
    taste = learn_words(vstack([lesson.known.rows, lesson.background.rows], format="csr"), answers)
    by_words = standardised(taste.scores(candidates.rows)) * fullness
    short = SHORT_PENALTY * (1 - fullness)
    nearest = np.full(len(fullness), -1, np.intp)
    if not lesson.known.held.any():
        return Judged(by_words, None, short, nearest, taste)
    by_meaning = _meaning(lesson, candidates, middle, nearest)
    return Judged(by_words, by_meaning * fullness, short, nearest, taste)


def _meaning(
    lesson: Lesson, candidates: Evidence, middle: NDArray[np.float32], nearest: NDArray[np.intp]
) -> Floats:
    known = centred(lesson.known.vectors[lesson.known.held], middle)
    background = centred(lesson.background.vectors[lesson.background.held], middle)
    answers = np.concatenate([lesson.answers[lesson.known.held], np.zeros(len(background), np.int8)])
    taste = learn_meaning(np.concatenate([known, background]), answers)
    vectors = centred(candidates.vectors[candidates.held], middle)
    found = np.zeros(len(candidates.held))
    found[candidates.held] = standardised(taste.scores(vectors))
    if len(vectors):
        nearest[candidates.held] = np.flatnonzero(lesson.known.held)[np.argmax(vectors @ known.T, axis=1)]
    return found
