"""Fusing what was measured of each candidate: a score is a sum of named shares.

Words and meaning are brought to 0..1 among the candidates (min-max) and weighed; their sum is a first
score. The best of it then lend each other support: a paper's neighbours are the average first score of
the papers nearest to it in meaning (score regularisation: Diaz, "Regularizing ad hoc retrieval scores",
2005, with the first pass's leaders as the graph). The weights are learned: ``weights.json`` says on
what, by which program and how well they do where they were not learned.

Three shares are given and not learned, since the reader is exact there: a title with most of the query's
words (a title as it is remembered), the query as a phrase, and an exact title or id. The last two rank
above all else.
"""

import json
from dataclasses import dataclass
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from broadsheet.search.words import Keys

Scores = NDArray[np.float64]

FEATURES: Final = ("exact", "phrase", "title", "words", "meaning", "neighbours", "unlike")
PHRASE_SHARE = 1.5
EXACT_SHARE = 3.0
# What a title with all of the query's words is worth; from this share of them on it rises to that.
TITLE_SHARE = 0.5
TITLE_FROM = 0.6
CANDIDATES = 1000
# Of the first list, how many lend each other support, and how fast support falls with distance: a
# cosine lower by this much counts 1/e. Both chosen with the weights.
LEADERS = 100
KERNEL_WIDTH = 0.05


@dataclass(frozen=True, slots=True)
class Weights:
    """What each learned feature counts; they sum to 1."""

    words: float
    meaning: float
    neighbours: float


def _shipped() -> Weights:
    file = resources.files("broadsheet.search").joinpath("weights.json")
    return Weights(**json.loads(file.read_text(encoding="utf-8"))["weights"])


WEIGHTS: Final = _shipped()


@dataclass(frozen=True, slots=True)
class Shares:
    """Candidates in order, best first, and what each feature gave to each: (n, len(FEATURES)).

    ``held`` says which have a vector; where one is missing, or meaning was not asked, the words
    stand for all that is learned.
    """

    keys: Keys
    values: Scores
    held: NDArray[np.bool_]

    @property
    def scores(self) -> Scores:
        total: Scores = self.values.sum(axis=1)
        return total

    def of(self, feature: str) -> Scores:
        column: Scores = self.values[:, FEATURES.index(feature)]
        return column

    def with_share(self, feature: str, share: Scores) -> "Shares":
        """The list in the order that it has with this share of a feature."""
        values = self.values.copy()
        values[:, FEATURES.index(feature)] = share
        return Shares(self.keys, values, self.held).ordered()

    def taken(self, rows: NDArray[np.int64]) -> "Shares":
        """The same for these rows, in their order."""
        return Shares(self.keys[rows], self.values[rows], self.held[rows])

    def ordered(self) -> "Shares":
        """Best first; equal scores by key."""
        return self.taken(np.lexsort((self.keys, -self.scores)))


def fuse(keys: Keys, words: Scores, meaning: Scores | None, weights: Weights = WEIGHTS) -> Shares:
    """The first list, by words and meaning alone.

    ``meaning`` is None where no encoder took part, and NaN for a paper without a vector.
    """
    held = np.zeros(len(keys), np.bool_) if meaning is None else ~np.isnan(meaning)
    both = weights.words + weights.meaning
    values = np.zeros((len(keys), len(FEATURES)))
    values[:, FEATURES.index("words")] = np.where(held, weights.words / both, 1.0) * minmax(words)
    if meaning is not None:
        meant = np.zeros(len(keys))
        meant[held] = minmax(meaning[held])
        values[:, FEATURES.index("meaning")] = weights.meaning / both * meant
    return Shares(keys, values, held).ordered()


def leaders(first: Shares) -> NDArray[np.int64]:
    """The rows of a first list that lend each other support."""
    return np.flatnonzero(first.held)[:LEADERS]


def supported(first: Shares, vectors: NDArray[np.float32], weights: Weights = WEIGHTS) -> Shares:
    """The list with the neighbours' part; ``vectors`` (n, d) are the unit vectors of its leaders.

    A paper that is no leader has itself for its only neighbour.
    """
    scores = first.scores
    near = scores.copy()
    rows = leaders(first)
    if len(rows) > 1:
        near[rows] = neighbours(vectors, scores[rows])
    values = first.values * (1 - weights.neighbours)
    values[:, FEATURES.index("neighbours")] = np.where(first.held, weights.neighbours * near, 0.0)
    values[~first.held] = first.values[~first.held]
    return Shares(first.keys, values, first.held).ordered()


def neighbours(vectors: NDArray[np.float32], scores: Scores) -> Scores:
    """For each of some papers the average score of the others, weighed by nearness in meaning."""
    # So small a product is not worth waking BLAS's threads, which takes longer than the product.
    cosines = np.einsum("id,jd->ij", vectors, vectors).astype(np.float64)
    np.fill_diagonal(cosines, -np.inf)
    # Weights relative to the nearest one, so that a paper far from all others has neighbours too.
    kernel = np.exp((cosines - cosines.max(axis=1, keepdims=True)) / KERNEL_WIDTH)
    average: Scores = np.einsum("ij,j->i", kernel, scores) / kernel.sum(axis=1)
    return average


def minmax(scores: Scores) -> Scores:
    """Scores brought to 0..1; scores that are all alike and not 0 become 1."""
    if not len(scores):
        return scores
    low, high = float(scores.min()), float(scores.max())
    if high > low:
        return (scores - low) / (high - low)
    return np.ones_like(scores) if high else np.zeros_like(scores)


def with_phrase(shares: Shares, holding: Keys) -> Shares:
    """The same list with the papers that hold the query as a phrase before all others."""
    return shares.with_share("phrase", np.where(np.isin(shares.keys, holding), PHRASE_SHARE, 0.0))


def with_title(shares: Shares, held: dict[int, float]) -> Shares:
    """The same list with a share for titles; ``held`` is the part of the query's words in each, by key."""
    parts = np.array([held.get(key, 0.0) for key in shares.keys.tolist()])
    return shares.with_share("title", TITLE_SHARE * np.maximum(0.0, parts - TITLE_FROM) / (1 - TITLE_FROM))


def with_exact(shares: Shares, exact: Keys) -> Shares:
    """The same list with exact matches first: those among the candidates rise, others join them."""
    missing = np.setdiff1d(exact, shares.keys)
    joined = Shares(
        np.concatenate([shares.keys, missing]),
        np.concatenate([shares.values, np.zeros((len(missing), len(FEATURES)))]),
        np.concatenate([shares.held, np.zeros(len(missing), np.bool_)]),
    )
    return joined.with_share("exact", np.where(np.isin(joined.keys, exact), EXACT_SHARE, 0.0))


def without(shares: Shares, unlike: Scores, weight: float) -> Shares:
    """Push down what is near to what is not wanted: ``unlike`` are nearnesses, NaN where unknown."""
    known = np.nan_to_num(unlike, nan=float(np.nanmin(unlike)) if np.isfinite(unlike).any() else 0.0)
    return shares.with_share("unlike", -weight * minmax(known))
