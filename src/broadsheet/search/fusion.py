"""Fusing words and meaning: a score is a sum of named shares.

Both parts' scores of every candidate are brought to 0..1 among the candidates (min-max) and weighed;
an exact match is a share of its own that lies above everything else. The way and the weight are those
that won in measurement (docs/decisions/0013-fusion.md).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.search.words import Keys

MEANING_WEIGHT = 0.6
EXACT_SHARE = 2.0
CANDIDATES = 1000


@dataclass(frozen=True, slots=True)
class Shares:
    """The candidates in order, best first, and what each part gave to each: arrays of equal length.

    ``held`` says which have a vector; where one is missing, or meaning was not asked, the words
    stand for both. ``exact`` is EXACT_SHARE for an exact match, else 0. ``unlike`` is 0 or negative.
    """

    keys: Keys
    words: NDArray[np.float64]
    meaning: NDArray[np.float64]
    unlike: NDArray[np.float64]
    exact: NDArray[np.float64]
    held: NDArray[np.bool_]

    @property
    def scores(self) -> NDArray[np.float64]:
        return self.words + self.meaning + self.unlike + self.exact

    def taken(self, rows: NDArray[np.int64]) -> "Shares":
        """The same for these rows, in their order."""
        return Shares(
            self.keys[rows],
            self.words[rows],
            self.meaning[rows],
            self.unlike[rows],
            self.exact[rows],
            self.held[rows],
        )


def fuse(
    keys: Keys,
    words: NDArray[np.float64],
    meaning: NDArray[np.float64] | None,
    weight: float = MEANING_WEIGHT,
) -> Shares:
    """Weigh both parts' scores of all candidates and order them, ties by key.

    ``meaning`` is None where no encoder took part, and NaN for a paper without a vector.
    """
    count = len(keys)
    zeros = np.zeros(count)
    word_part = minmax(words)
    if meaning is None:
        shares = Shares(keys, word_part, zeros, zeros, zeros, np.zeros(count, np.bool_))
    else:
        held = ~np.isnan(meaning)
        meant = np.zeros(count)
        meant[held] = minmax(meaning[held])
        shares = Shares(
            keys,
            np.where(held, 1 - weight, 1.0) * word_part,
            np.where(held, weight * meant, 0.0),
            zeros,
            zeros,
            held,
        )
    return ordered(shares)


def ordered(shares: Shares) -> Shares:
    """Best first; equal scores by key."""
    return shares.taken(np.lexsort((shares.keys, -shares.scores)))


def minmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores brought to 0..1; scores that are all alike and not 0 become 1."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    if high > low:
        return (scores - low) / (high - low)
    return np.ones_like(scores) if high else np.zeros_like(scores)


def with_exact(shares: Shares, exact: Keys) -> Shares:
    """The same list with exact matches first: those among the candidates rise, others join them."""
    missing = np.setdiff1d(exact, shares.keys)
    none = np.zeros(len(missing))
    keys = np.concatenate([shares.keys, missing])
    return ordered(
        Shares(
            keys,
            np.concatenate([shares.words, none]),
            np.concatenate([shares.meaning, none]),
            np.concatenate([shares.unlike, none]),
            np.where(np.isin(keys, exact), EXACT_SHARE, 0.0),
            np.concatenate([shares.held, np.zeros(len(missing), np.bool_)]),
        )
    )


def without(shares: Shares, unlike: NDArray[np.float64], weight: float) -> Shares:
    """Push down what is near to what is not wanted: ``unlike`` are nearnesses, NaN where unknown."""
    known = np.nan_to_num(unlike, nan=float(np.nanmin(unlike)) if np.isfinite(unlike).any() else 0.0)
    pushed = Shares(
        shares.keys, shares.words, shares.meaning, -weight * minmax(known), shares.exact, shares.held
    )
    return ordered(pushed)
