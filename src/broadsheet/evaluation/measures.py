"""Measures of a ranked list against judgements, and how far they can be trusted.

Gain is linear in the score of a judgement; relevant is a score above 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
_SEED = 0


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean over queries with the interval that holds 95 in 100 bootstrap means."""

    mean: float
    low: float
    high: float


def ndcg(ranking: Sequence[str], judged: Mapping[str, int], depth: int) -> float:
    """Normalised discounted cumulative gain of the first ``depth`` of a ranking."""
    ideal = sorted((score for score in judged.values() if score > 0), reverse=True)
    gained = [max(0, judged.get(name, 0)) for name in ranking]
    best = _discounted(ideal[:depth])
    return _discounted(gained[:depth]) / best if best else 0.0


def _discounted(gains: Sequence[int]) -> float:
    return float(sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1)))


def recall(ranking: Sequence[str], judged: Mapping[str, int], depth: int) -> float:
    """Share of the relevant that stand among the first ``depth``."""
    relevant = {name for name, score in judged.items() if score > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], judged: Mapping[str, int], depth: int) -> float:
    """One over the rank of the first relevant one; 0 when none is among the first ``depth``."""
    for rank, name in enumerate(ranking[:depth], 1):
        if judged.get(name, 0) > 0:
            return 1 / rank
    return 0.0


def summarise(values: Sequence[float]) -> Measure:
    """Mean and bootstrap interval of one value a query; the same queries are drawn for every measure."""
    if not values:
        return Measure(0.0, 0.0, 0.0)
    taken: NDArray[np.float64] = np.asarray(values, np.float64)
    drawn = np.random.default_rng(_SEED).integers(0, len(taken), (RESAMPLES, len(taken)))
    low, high = np.percentile(taken[drawn].mean(axis=1), [2.5, 97.5])
    return Measure(float(taken.mean()), float(low), float(high))
