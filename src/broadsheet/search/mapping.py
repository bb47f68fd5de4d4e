"""What lets two encoders' vectors be compared while papers are encoded anew: a scale and a map.

A search asks the old vectors with its own words, encoded by the old encoder, and brings their cosines to
the scale of the new ones. Whatever has no words (papers like others, a reader's taste) takes old vectors to
the new space by a ridge regression, at unit length. Both are learned on papers that have both vectors and
measured on pairs kept aside (docs/decisions/0015-changing-encoder.md). The file is an ``npz`` of plain
arrays, one of them a header in JSON.
"""

import json
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import IndexBroken
from broadsheet.search.files import replaced

FORMAT = 1
PAIRS = 2_000
LEAST_PAIRS = 200
# With half of the vectors old, titles must find their papers at this share at least of the mean reciprocal
# rank that they find them at by new vectors alone.
LEAST_FOUND = 0.9
_KEPT_ASIDE = 0.2
_STRENGTHS = (0.1, 0.3, 1.0, 3.0)
_FIRST = 10
_HALVES = 8

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Measured:
    """How old vectors did on ``kept_aside`` papers that nothing was learned from.

    ``cosine``: of mapped and new vector, on average. ``neighbours``: the share of each title's ten
    nearest papers, its own left out, that are the same by mapped and by new vectors. ``found_by_new``:
    the mean reciprocal rank at which titles find their own papers by new vectors. ``found_by_map`` and
    ``found_by_old``: the same where a half of the papers, drawn eight times, stands by old vectors, mapped
    or asked by the old encoder.
    """

    pairs: int
    kept_aside: int
    cosine: float
    neighbours: float
    found_by_new: float
    found_by_map: float
    found_by_old: float

    @property
    def will_do(self) -> bool:
        return min(self.found_by_map, self.found_by_old) >= LEAST_FOUND * self.found_by_new


@dataclass(frozen=True, slots=True)
class Ends:
    """Which vectors a map leads between: the encoders' names and the hashes of their graphs."""

    old: str
    old_model: str
    new: str
    new_model: str


@dataclass(frozen=True, slots=True)
class Titles:
    """Vectors of titles as queries, by the new and by the old encoder, of the papers kept aside."""

    new: Vectors
    old: Vectors


@dataclass(frozen=True, slots=True)
class Map:
    """``matrix`` (old d, new d) takes old vectors to new ones; ``length`` is that of what it gives, on
    average, before it is brought to unit length. A cosine by the old encoder is one of ``shift`` and
    ``factor`` times it by the new one."""

    ends: Ends
    matrix: Vectors
    length: float
    shift: float
    factor: float
    measured: Measured

    def forward(self, vectors: Vectors) -> Vectors:
        """Unit vectors (n, new d) that stand for the new ones of papers with these old ones."""
        return _unit(vectors @ self.matrix)

    def back(self, query: Vectors) -> tuple[Vectors, float]:
        """The unit vector whose cosine with old vectors goes with that of a new query, and by how much
        that cosine is to be multiplied."""
        vector = self.matrix @ query
        length = float(np.linalg.norm(vector)) or 1.0
        return np.asarray(vector / length, np.float32), length / self.length


def kept_aside(pairs: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of so many pairs are kept aside, and which are learned from; drawn with seed 0."""
    order = np.random.default_rng(0).permutation(pairs)
    aside, used = np.split(order, [round(_KEPT_ASIDE * pairs)])
    return aside, used


def learn(ends: Ends, old: Vectors, new: Vectors, titles: Titles) -> Map:
    """Learn from rows of old and new vectors of the same papers, and from the titles of those that
    :func:`kept_aside` names; measured on these, then the map is learned on all."""
    aside, used = kept_aside(len(old))
    tried = [_ridge(old[used], new[used], strength) for strength in _STRENGTHS]
    cosines = [_cosine(_unit(old[aside] @ matrix), new[aside]) for matrix in tried]
    best = int(np.argmax(cosines))
    mapped = _unit(old[aside] @ tried[best])
    by_new, by_map = titles.new @ new[aside].T, titles.new @ mapped.T
    by_old = titles.old @ old[aside].T
    shift, factor = _scale(by_old, by_new)
    matrix = _ridge(old, new, _STRENGTHS[best])
    return Map(
        ends,
        matrix,
        float(np.linalg.norm(old @ matrix, axis=1).mean()),
        shift,
        factor,
        Measured(
            len(old),
            len(aside),
            _cosine(mapped, new[aside]),
            _same(by_new, by_map),
            _found(by_new, by_new),
            _found(by_new, by_map),
            _found(by_new, shift + factor * by_old),
        ),
    )


def _scale(old: Vectors, new: Vectors) -> tuple[float, float]:
    """Shift and factor that give old cosines of titles with other papers the mean and spread of new."""
    others = ~np.eye(len(old), dtype=np.bool_)
    factor = float(new[others].std() / old[others].std())
    return float(new[others].mean() - factor * old[others].mean()), factor


def _ridge(old: Vectors, new: Vectors, strength: float) -> Vectors:
    x, y = old.astype(np.float64), new.astype(np.float64)
    return np.linalg.solve(x.T @ x + strength * np.eye(x.shape[1]), x.T @ y).astype(np.float32)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def _cosine(mapped: Vectors, new: Vectors) -> float:
    return float(np.einsum("nd,nd->n", mapped, new).mean())


def _same(by_new: Vectors, by_map: Vectors) -> float:
    """The share of the ten nearest papers, a title's own left out, that are the same."""
    own = np.eye(len(by_new), dtype=np.bool_)
    nearest = (np.argsort(np.where(own, np.inf, -scores), axis=1)[:, :_FIRST] for scores in (by_new, by_map))
    return float(np.mean([len(np.intersect1d(*rows)) for rows in zip(*nearest, strict=True)])) / _FIRST


def _found(new: Vectors, old: Vectors) -> float:
    """The mean reciprocal rank of titles' own papers, half of the papers by each of the scores."""
    ranks = []
    for seed in range(_HALVES):
        by_new = np.random.default_rng(seed).permutation(len(new)) < len(new) / 2
        scores = np.where(by_new, new, old)
        ranks.append(1 + (scores > np.diag(scores)[:, None]).sum(axis=1))
    return float((1 / np.concatenate(ranks)).mean())


def place_of(directory: Path, encoder: str) -> Path:
    """Where the map to an encoder's vectors lies under an index directory."""
    return directory / "maps" / f"{encoder}.npz"


def remove(directory: Path, encoder: str) -> None:
    """Take away the maps to and from an encoder's vectors."""
    for path in sorted((directory / "maps").glob("*.npz")):
        if path.stem == encoder or read(path).ends.old == encoder:
            path.unlink()


def save(path: Path, learned: Map) -> None:
    """Write a map aside and rename it; it is on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {
        "format": FORMAT,
        "ends": asdict(learned.ends),
        "length": learned.length,
        "shift": learned.shift,
        "factor": learned.factor,
        "measured": asdict(learned.measured),
    }
    with replaced(path) as file:
        np.savez(file, header=np.array(json.dumps(header)), matrix=learned.matrix)


def read(path: Path) -> Map:
    """Raises IndexBroken where the file is damaged or of another version."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as held:
            header = json.loads(str(held["header"]))
            if header["format"] != FORMAT:
                raise ValueError(f"format {header['format']}, not {FORMAT}")
            return Map(
                Ends(**header["ends"]),
                np.asarray(held["matrix"], np.float32),
                float(header["length"]),
                float(header["shift"]),
                float(header["factor"]),
                Measured(**header["measured"]),
            )
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise IndexBroken(f"The map {path} cannot be read: {error}.", learn_again(path.stem)) from error


def learn_again(encoder: str) -> str:
    return f"Run `broadsheet encoder use {encoder}`: the map is learned again."
