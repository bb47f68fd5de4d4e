"""Which papers stand in the list: the best by score, and a few drawn by chance to learn from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_EXPLORING = 2


@dataclass(frozen=True, slots=True)
class Chosen:
    """Candidates in the order in which they are offered; the first ``length`` are the list.

    ``order`` (n,) holds positions in what was passed. ``chance`` (n,) is, in that order, each one's
    probability of standing in the list, never 0; ``exploring`` (n,) marks those that were drawn.
    """

    order: NDArray[np.intp]
    chance: NDArray[np.float64]
    exploring: NDArray[np.bool_]
    length: int


def choose(scores: NDArray[np.float64], length: int, seed: int, explore: bool) -> Chosen:
    """The list of at most ``length`` papers and all the others after it, best first.

    One place in five, at most two, goes to a paper drawn from the next ranks, the r-th of them with
    a weight of 1/r. Equal scores keep the order in which they were passed.
    """
    order = np.argsort(-scores, kind="stable")
    places = min(MOST_EXPLORING, length // 5) if explore else 0
    if len(order) <= length or places == 0:
        chance = np.ones(len(order))
        return Chosen(order, chance, np.zeros(len(order), np.bool_), min(length, len(order)))
    sure = length - places
    rest = order[sure:]
    weights = 1 / np.arange(1.0, len(rest) + 1)
    weights /= weights.sum()
    drawn = np.sort(_draw(weights, places, seed))
    others = np.setdiff1d(np.arange(len(rest)), drawn)
    moved = np.concatenate([drawn, others])
    exploring = np.zeros(len(order), np.bool_)
    exploring[sure:length] = True
    chance = np.concatenate([np.ones(sure), _inclusion(weights, places)[moved]])
    return Chosen(np.concatenate([order[:sure], rest[moved]]), chance, exploring, length)


def _draw(weights: NDArray[np.float64], places: int, seed: int) -> NDArray[np.intp]:
    noise = np.random.default_rng(seed).gumbel(size=len(weights))
    return np.argsort(-(np.log(weights) + noise), kind="stable")[:places]


def _inclusion(weights: NDArray[np.float64], places: int) -> NDArray[np.float64]:
    """The exact chance of being among one or two draws without replacement."""
    if places == 1:
        return weights
    after = weights / (1 - weights)
    return np.asarray(weights * (1 + after.sum() - after))
