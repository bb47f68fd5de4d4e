"""Learn what each feature of search counts, and show how well that carries over.

    python benchmarks/fusion.py RETRIEVAL --encoder FOLDER --cache FOLDER [--write]

RETRIEVAL holds the collections of the evaluation data. The loss is convex: the logistic loss of pairs
of a better and a worse paper among the first list's best, each weighed by what swapping the two would
change of nDCG in that list (Burges, "From RankNet to LambdaRank to LambdaMART", 2010, with the list
held still). Support comes from a first list made by the weights, so there are a few rounds of it.

For each collection the weights are learned on scifact's train split and the other collections, never
on its own judgements, and measured against words alone and meaning alone (paired bootstrap over
queries, 10,000 resamples, seed 0). What ships is learned on all of them; ``--write`` stores it.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from broadsheet.evaluation.collections import JudgedQuery, read_collection
from broadsheet.evaluation.measures import measure
from broadsheet.evaluation.retrieval import CollectionIndex, indexed
from broadsheet.search import encoders, matching, retrieval
from broadsheet.search.encoders import Encoder
from broadsheet.search.fusion import Shares, Weights, fuse, leaders, minmax, neighbours, supported
from broadsheet.search.narrowing import Restriction
from broadsheet.search.words import Keys

TESTED = ("scifact", "csfcube", "cranfield", "cacm")
TRAIN = "scifact, train split"
POOLED = "csfcube"
PARTS = ("words", "meaning", "fused", "first list")
DEPTH, BEYOND_TEN, STEEPNESS, PENALTY = 100, 0.5, 10.0, 1e-4
ROUNDS, RESAMPLES = 3, 10_000
START = Weights(0.4, 0.6, 0.0)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """One query's candidates with what was measured of each, and the judgements by key."""

    keys: Keys
    words: Floats
    meaning: Floats
    vectors: dict[int, NDArray[np.float32]]
    judged: dict[int, int]
    ideal: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("retrieval", type=Path)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    encoder = encoders.load(options.encoder)
    sets = {name: read_asked(options.retrieval / name, encoder, options.cache / name) for name in TESTED}
    qrels = options.retrieval / "scifact" / "qrels_train.tsv"
    sets[TRAIN] = read_asked(options.retrieval / "scifact", encoder, options.cache / "scifact", qrels)
    unseen = {name: learned([sets[x] for x in (TRAIN, *TESTED[1:]) if x != name]) for name in TESTED}
    values = {name: values_of(sets[name], unseen[name]) for name in TESTED}
    report = {name: measured(unseen[name], values[name]) for name in TESTED} | {"mean": mean_of(values)}
    shipped = learned([sets[name] for name in (TRAIN, *TESTED[1:])])
    content = {
        "format": 1,
        "weights": {name: round(value, 3) for name, value in asdict(shipped).items()},
        "learned_on": [TRAIN, *TESTED[1:]],
        "learned_by": "benchmarks/fusion.py",
        "encoder": encoder.name,
        "ndcg@10, each collection's own judgements unseen": report,
    }
    print(json.dumps(content, indent=1))
    if options.write:
        target = resources.files("broadsheet.search").joinpath("weights.json")
        Path(str(target)).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_asked(folder: Path, encoder: Encoder, cache: Path, qrels: Path | None = None) -> list[Asked]:
    collection = read_collection(folder, qrels)
    index = indexed(collection.documents, encoder, cache, None)
    queries = [query for query in collection.queries if max(query.judged.values()) > 0]
    vectors = encoder.encode_queries([query.text for query in queries])
    pooled = folder.name == POOLED
    return [asked(index, query, vector, pooled) for query, vector in zip(queries, vectors, strict=True)]


def asked(index: CollectionIndex, query: JudgedQuery, vector: NDArray[np.float32], pooled: bool) -> Asked:
    assert index.vectors is not None
    row_of = {name: row for row, name in enumerate(index.ids)}
    itself = np.array([row_of[name] for name in query.itself if name in row_of], np.int64)
    judged = {row_of[name]: score for name, score in query.judged.items() if name in row_of}
    wanted = retrieval.wanted(index.words, query.text, vector)
    if pooled:
        keys = np.setdiff1d(np.array(sorted(judged), np.int64), itself)
    else:
        excluded = (matching.with_keys(index.words.schema, itself),) if len(itself) else ()
        keys = retrieval.candidates(index.words, index.vectors, wanted, Restriction(excluded=excluded)).keys
    by_words = retrieval.word_scores(index.words, wanted.match, keys)
    by_meaning = index.vectors.scores(vector, keys)
    kept = fuse(keys, by_words, by_meaning, START).keys[: 3 * DEPTH]
    vectors = dict(zip(kept.tolist(), index.vectors.rows(kept)[0], strict=True))
    gains = sorted(query.judged.values(), reverse=True)[:10]
    ideal = float(sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain > 0))
    return Asked(keys, by_words, by_meaning, vectors, judged, ideal)


def led(asked: Asked, first: Shares) -> NDArray[np.float32]:
    # A leader beyond the kept ones would need very different weights; the list is cut before it.
    return np.array([asked.vectors[key] for key in first.keys[leaders(first)].tolist()])


def learned(sets: Sequence[Sequence[Asked]]) -> Weights:
    """Each set counts the same, however many queries it has."""
    weights = START
    for _ in range(ROUNDS):
        pairs = [pairs_of(one, weights) for one in sets]
        x = np.concatenate([differences for differences, _ in pairs])
        y = np.concatenate([worth / worth.sum() / len(sets) for _, worth in pairs])
        found = minimize(loss, np.ones(3), (x, y), jac=True, method="L-BFGS-B", bounds=[(0, None)] * 3).x
        weights = Weights(*(found / found.sum()).tolist())
    return weights


def loss(w: Floats, x: Floats, worth: Floats) -> tuple[float, Floats]:
    margin = STEEPNESS * (x @ w)
    slope = -STEEPNESS * (x * (worth / (1 + np.exp(margin)))[:, None]).sum(axis=0)
    return float((worth * np.logaddexp(0, -margin)).sum() + PENALTY * w @ w), slope + 2 * PENALTY * w


def pairs_of(queries: Sequence[Asked], weights: Weights) -> tuple[Floats, Floats]:
    """Feature differences (pairs, 3) of better less worse papers, and what each pair is worth."""
    differences, worths = [], []
    for asked in queries:
        first = fuse(asked.keys, asked.words, asked.meaning, weights)
        features = features_of(asked, first)
        gains = np.array([max(0, asked.judged.get(key, 0)) for key in first.keys[:DEPTH].tolist()])
        better, worse = np.nonzero(gains[:, None] > gains[None, :])
        discount = 1 / np.log2(np.arange(2, len(gains) + 2))
        discount[10:] *= BEYOND_TEN
        differences.append(features[better] - features[worse])
        worths.append(
            abs((gains[better] - gains[worse]) * (discount[better] - discount[worse])) / asked.ideal
        )
    return np.concatenate(differences), np.concatenate(worths)


def features_of(asked: Asked, first: Shares) -> Floats:
    """Words, meaning and neighbours (n, 3) of the first list's best, each from 0 to 1."""
    order = np.searchsorted(asked.keys, first.keys[:DEPTH])
    scores = first.scores[:DEPTH]
    near = neighbours(led(asked, first), scores) if len(scores) > 1 else scores
    return np.stack([minmax(asked.words)[order], minmax(asked.meaning)[order], near], axis=1)


def measured(weights: Weights, values: list[Floats]) -> dict[str, object]:
    """How well weights do on a collection whose judgements they were not learned from."""
    return {"weights": {name: round(value, 3) for name, value in asdict(weights).items()}} | told([values])


def mean_of(values: dict[str, list[Floats]]) -> dict[str, object]:
    """The mean over the collections."""
    return told(list(values.values()))


def told(sets: list[list[Floats]]) -> dict[str, object]:
    return {
        part: round(float(np.mean([values[place].mean() for values in sets])), 4)
        for place, part in enumerate(PARTS)
    } | {
        f"fused less {part}": interval([values[2] - values[place] for values in sets])
        for place, part in enumerate(PARTS)
        if part != "fused"
    }


def values_of(queries: Sequence[Asked], weights: Weights) -> list[Floats]:
    """nDCG@10 by query for words alone, meaning alone, all three features, and words with meaning."""
    alone = [Weights(1, 0, 0), Weights(0, 1, 0), weights, Weights(weights.words, weights.meaning, 0)]
    judged = {
        str(place): {str(key): score for key, score in asked.judged.items()}
        for place, asked in enumerate(queries)
    }
    return [
        measure({str(place): first_of(asked, each) for place, asked in enumerate(queries)}, judged)["ndcg@10"]
        for each in alone
    ]


def first_of(asked: Asked, weights: Weights) -> list[str]:
    """The first papers of a list, without support where that counts nothing."""
    made = fuse(asked.keys, asked.words, asked.meaning, weights)
    if weights.neighbours:
        made = supported(made, led(asked, made), weights)
    return [str(key) for key in made.keys[:10].tolist()]


def interval(differences: Sequence[Floats]) -> list[float]:
    """Mean over collections of the mean difference, and the ends of its 95 % bootstrap interval."""
    draw = np.random.default_rng(0)
    drawn = np.mean(
        [each[draw.integers(0, len(each), (RESAMPLES, len(each)))].mean(axis=1) for each in differences],
        axis=0,
    )
    low, high = np.percentile(drawn, [2.5, 97.5])
    return [round(float(value), 4) for value in (np.mean([each.mean() for each in differences]), low, high)]


if __name__ == "__main__":
    main()
