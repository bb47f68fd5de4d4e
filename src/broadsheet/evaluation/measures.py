"""Measures of ranked lists against judgements, and how far they can be trusted.

The measures are ir-measures' (MacAvaney and others, "Streamlining Evaluation with ir-measures", 2022),
which asks trec_eval: gain is linear in the score of a judgement, and relevant is a score above 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import ir_measures
import numpy as np
from ir_measures import RR, R, nDCG
from numpy.typing import NDArray

MEASURES: Mapping[str, ir_measures.Measure] = {"ndcg@10": nDCG @ 10, "recall@100": R @ 100, "mrr@10": RR @ 10}
RESAMPLES = 1000
_SIGN_FLIPS = 10_000
_SEED = 0

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean over queries with the interval that holds 95 in 100 bootstrap means."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A mean of paired differences, its bootstrap interval, and how often chance alone goes as far.

    ``p`` is two-sided, by flipping the signs of the differences at random (the randomisation test of
    Smucker, Allan and Carterette, "A Comparison of Statistical Significance Tests for Information
    Retrieval Evaluation", 2007); its least value is 1 in 10,001.
    """

    mean: float
    low: float
    high: float
    p: float


def measure(
    rankings: Mapping[str, Sequence[str]], judged: Mapping[str, Mapping[str, int]]
) -> dict[str, Values]:
    """Each measure's values by query, in the order of ``rankings``; lists are best first."""
    runs = {
        query: {name: float(len(ranking) - place) for place, name in enumerate(ranking)}
        for query, ranking in rankings.items()
    }
    found: dict[str, dict[str, float]] = {name: dict.fromkeys(rankings, 0.0) for name in MEASURES}
    names = {asked: name for name, asked in MEASURES.items()}
    scores = {query: {name: max(0, score) for name, score in each.items()} for query, each in judged.items()}
    for value in ir_measures.iter_calc(list(MEASURES.values()), scores, runs):
        if value.query_id in rankings:
            found[names[value.measure]][value.query_id] = value.value
    return {name: np.array([values[query] for query in rankings]) for name, values in found.items()}


def summarise(values: Values) -> Measure:
    """Mean and bootstrap interval of one value a query; the same queries are drawn for every measure."""
    if not len(values):
        return Measure(0.0, 0.0, 0.0)
    low, high = np.percentile(_resampled(values), [2.5, 97.5])
    return Measure(float(values.mean()), float(low), float(high))


def compare(values: Values, others: Values) -> Difference:
    """How far one ranking is ahead of another on the same queries."""
    paired = values - others
    if not len(paired):
        return Difference(0.0, 0.0, 0.0, 1.0)
    summary = summarise(paired)
    return Difference(summary.mean, summary.low, summary.high, _chance(paired))


def _chance(paired: Values) -> float:
    """How often flipping signs at random gives a sum as far from 0; in steps, to bound the memory."""
    draw = np.random.default_rng(_SEED)
    # A rounding error must not part a difference from its own mirror image.
    reach, as_far = abs(paired.sum()) - 1e-12, 0
    for _ in range(_SIGN_FLIPS // 100):
        signs = 2.0 * draw.integers(0, 2, (100, len(paired))) - 1
        as_far += int((np.abs(signs @ paired) >= reach).sum())
    return (1 + as_far) / (1 + _SIGN_FLIPS)


def _resampled(values: Values) -> Values:
    drawn = np.random.default_rng(_SEED).integers(0, len(values), (RESAMPLES, len(values)))
    means: Values = values[drawn].mean(axis=1)
    return means
