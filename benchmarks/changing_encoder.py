"""How well a search does while half of the papers still have vectors of another encoder.

    python benchmarks/changing_encoder.py DATA --old FOLDER --new FOLDER --cache FOLDER [COLLECTION…]

DATA holds judged collections in the BEIR layout. Vectors are made with the two encoders and kept in the
cache. Prints nDCG@10 by meaning alone: all new, all old, and with half of the papers (five draws) asked by
the old encoder, mapped by ridge or Procrustes, or left out; with the 95 % interval of the paired
difference to the first of these, as JSON.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from broadsheet.evaluation.collections import Collection, read_collection
from broadsheet.evaluation.measures import compare, measure
from broadsheet.search import encoders, mapping
from broadsheet.search.mapping import Ends, Titles

DRAWS, DEPTH = 5, 60
Vectors = dict[str, np.ndarray]


def made(collection: Collection, encoder: encoders.Encoder, cache: Path) -> Vectors:
    """Vectors of documents, of their titles as queries, and of the queries."""
    texts = {
        "documents": (encoder.encode, [f"{d.title}. {d.text}" for d in collection.documents]),
        "titles": (encoder.encode_queries, [d.title or d.text[:100] for d in collection.documents]),
        "queries": (encoder.encode_queries, [query.text for query in collection.queries]),
    }
    vectors = {}
    for name, (encode, given) in texts.items():
        kept = cache / f"{encoder.name}.{name}.npy"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            np.save(kept, encode(given))
        vectors[name] = np.load(kept)
    return vectors


def measured(collection: Collection, judged_only: bool) -> Callable[[np.ndarray], np.ndarray]:
    """A function from scores (queries, documents) to the nDCG@10 of each query."""
    ids = [document.id for document in collection.documents]
    row_of = {name: row for row, name in enumerate(ids)}
    asked = [n for n, query in enumerate(collection.queries) if max(query.judged.values()) > 0]
    judged = {collection.queries[n].id: collection.queries[n].judged for n in asked}

    def ranking(number: int, scores: np.ndarray) -> list[str]:
        query = collection.queries[number]
        itself = [row_of[name] for name in query.itself if name in row_of]
        scores = scores.copy()
        scores[itself] = -np.inf
        pool = np.argsort(-scores)[:DEPTH]
        if judged_only:
            pool = np.setdiff1d([row_of[name] for name in query.judged if name in row_of], itself)
        return [ids[row] for row in pool[np.lexsort((pool, -scores[pool]))]]

    def of(scores: np.ndarray) -> np.ndarray:
        rankings = {collection.queries[n].id: ranking(n, scores[n]) for n in asked}
        return measure(rankings, judged)["ndcg@10"]

    return of


def half_old(old: Vectors, new: Vectors, draw: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Which papers have new vectors, and all papers' scores by each way of using old ones."""
    count = len(old["documents"])
    order = np.random.default_rng(draw).permutation(count)
    pairs = order[: min(mapping.PAIRS, count // 2)]
    aside, _ = mapping.kept_aside(len(pairs))
    x, y = old["documents"][pairs], new["documents"][pairs]
    titles = Titles(new["titles"][pairs[aside]], old["titles"][pairs[aside]])
    learned = mapping.learn(Ends("old", "", "new", ""), x, y, titles)
    left, _, right = np.linalg.svd(x.T @ y)
    is_new = np.zeros(count, np.bool_)
    is_new[order[: count // 2]] = True
    asked = learned.shift + learned.factor * (old["queries"] @ old["documents"].T)
    return is_new, {
        "asked by the old encoder": asked,
        "ridge": new["queries"] @ learned.forward(old["documents"]).T,
        "procrustes": new["queries"] @ (old["documents"] @ left @ right).T,
        "left out": np.full_like(asked, -5),
    }


def compared(collection: Collection, judged_only: bool, old: Vectors, new: Vectors) -> dict[str, object]:
    score = measured(collection, judged_only)
    by_new = new["queries"] @ new["documents"].T
    values: dict[str, list[np.ndarray]] = {}
    for draw in range(DRAWS):
        is_new, ways = half_old(old, new, draw)
        for name, scores in ways.items():
            values.setdefault(name, []).append(score(np.where(is_new, by_new, scores)))
    means = {name: np.mean(found, axis=0) for name, found in values.items()}
    first = means["asked by the old encoder"]
    told: dict[str, object] = {
        "all new": round(float(score(by_new).mean()), 3),
        "all old": round(float(score(old["queries"] @ old["documents"].T).mean()), 3),
    }
    for name, found in means.items():
        ahead = compare(found, first)
        told[name] = {"ndcg@10": float(found.mean())} | {"against_first": asdict(ahead)}
    return told


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("collections", nargs="*", default=["csfcube", "scifact", "cranfield", "cacm"])
    for name in ("--old", "--new", "--cache"):
        parser.add_argument(name, type=Path, required=True)
    given = parser.parse_args()
    pair = [encoders.load(folder) for folder in (given.old, given.new)]
    for name in given.collections:
        collection = read_collection(given.data / name)
        old, new = (made(collection, encoder, given.cache / name) for encoder in pair)
        # csfcube judges a pool for each query and nothing outside it.
        pooled = name == "csfcube"
        for way, (one, other) in {"old to new": (old, new), "new to old": (new, old)}.items():
            print(json.dumps({"collection": name, "way": way} | compared(collection, pooled, one, other)))


if __name__ == "__main__":
    main()
