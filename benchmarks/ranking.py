"""How well simple personal rankings do on two sets of real readers, beside the shipped one.

    python benchmarks/ranking.py DATA --cache FOLDER [--encoder FOLDER]

DATA holds ``arxiv/`` and ``readers/``. Vectors are read from the cache, or made with the encoder and
left there. Prints nDCG@10 with 95 % bootstrap intervals (1,000 resamples, seed 0, over days or
readers) and the paired difference of the shipped ranking to each of the others, as JSON.
"""

import argparse
import gzip
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from broadsheet.ranking.background import sample
from broadsheet.ranking.evidence import Evidence, Lesson, judge
from broadsheet.ranking.taste import centred
from broadsheet.ranking.words import DocumentCounts, words_of

SPLITS = 20
RESAMPLES = 1_000
SAMPLE = 5_000
SEED = 0

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """One list to be ordered: positions of papers in the set's texts and vectors."""

    unit: int
    profile: NDArray[np.intp]
    candidates: NDArray[np.intp]
    others: NDArray[np.intp]
    relevant: set[int]


@dataclass(frozen=True)
class Set:
    texts: list[str]
    vectors: NDArray[np.float32]
    tasks: list[Task]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--only", choices=["zotero_astro", "citeulike_a_text"])
    options = parser.parse_args()
    makers: dict[str, Callable[[Path, Path, Path | None], Set]] = {
        "citeulike_a_text": citeulike,
        "zotero_astro": zotero,
    }
    for name in [options.only] if options.only else makers:
        print(
            json.dumps({name: measure(makers[name](options.data, options.cache, options.encoder))}, indent=1)
        )


def read(path: Path) -> list[dict]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def text(record: dict) -> str:
    return f"{record['title'] or ''}. {record['abstract'] or ''}"


def vectors(name: str, texts: list[str], cache: Path, encoder: Path | None) -> NDArray[np.float32]:
    kept = cache / f"{name}.npy"
    if not kept.exists():
        if encoder is None:
            sys.exit(f"{kept} is not there: pass --encoder to make it.")
        from broadsheet.search import encoders  # noqa: PLC0415 - measuring from the cache needs no encoder

        np.save(kept, encoders.load(encoder).encode(texts))
    return np.load(kept, allow_pickle=False)


def zotero(data: Path, cache: Path, encoder: Path | None) -> Set:
    """Each listing day with a kept paper; what was added before is the profile."""
    library = read(data / "readers/zotero_astro/library.jsonl.gz")
    listed = read(data / "arxiv/astro-ph-2025-2026.jsonl.gz")
    texts = [text(r) for r in library] + [text(r) for r in listed]
    held = np.concatenate(
        [
            vectors("library", texts[: len(library)], cache, encoder),
            vectors("astro", texts[len(library) :], cache, encoder),
        ]
    )
    added = np.array([r.get("added") or "9999" for r in library])
    announced = np.array([r["announced"] for r in listed])
    position = {r["id"]: len(library) + i for i, r in enumerate(listed)}
    item_of = {position[r["listed"]["id"]]: i for i, r in enumerate(library) if r.get("listed")}
    by_day = defaultdict(set)
    for paper in item_of:
        by_day[announced[paper - len(library)]].add(paper)
    tasks = []
    for number, day in enumerate(sorted(by_day)):
        kept = {paper for paper, item in item_of.items() if added[item] < day}
        earlier = len(library) + np.flatnonzero(announced < day)
        tasks.append(
            Task(
                number,
                np.flatnonzero(added < day),
                len(library) + np.flatnonzero(announced == day),
                np.array([p for p in earlier if p not in kept], np.intp),
                by_day[day],
            )
        )
    return Set(texts, held, tasks)


def citeulike(data: Path, cache: Path, encoder: Path | None) -> Set:
    """Twenty half and half splits of each reader's papers; all the others are candidates."""
    items = read(data / "readers/citeulike_a_text/items.jsonl.gz")
    texts = [text(r) for r in items]
    tasks = []
    for reader in read(data / "readers/citeulike_a_text/users.jsonl.gz"):
        for split in range(SPLITS):
            kept = np.random.default_rng([reader["user"], split]).permutation(reader["items"])
            profile, relevant = kept[: len(kept) // 2], kept[len(kept) // 2 :]
            others = np.setdiff1d(np.arange(len(items)), profile)
            tasks.append(Task(reader["user"], profile, others, others, set(relevant.tolist())))
    return Set(texts, vectors("citeulike", texts, cache, encoder), tasks)


def measure(of: Set) -> dict:
    began = time.process_time()
    gains: dict[str, list[float]] = defaultdict(list)
    for task, rows in zip(of.tasks, word_rows(of), strict=True):
        for name, scores in rankings(of, task, rows):
            gains[name].append(ndcg(scores, task))
    units = np.array([task.unit for task in of.tasks])
    means = {
        name: np.array([np.mean(np.array(g)[units == u]) for u in np.unique(units)])
        for name, g in gains.items()
    }
    rows = {name: {"ndcg@10": summary(values)} for name, values in means.items()}
    for name, row in rows.items():
        row["ours_minus_this"] = summary(means["ours"] - means[name])
    return {"lists": len(of.tasks), "cpu_seconds": round(time.process_time() - began), "rankings": rows}


def word_rows(of: Set) -> Iterator[csr_array]:
    """For each task the rows of all texts by the vocabulary of what is known then; that only grows."""
    counts, words = DocumentCounts(), [words_of(text) for text in of.texts]
    seen: set[int] = set()
    rows = csr_array((0, 0))
    for task in of.tasks:
        known = {*task.profile.tolist(), *task.others.tolist(), *task.candidates.tolist()}
        for paper in sorted(known - seen):
            counts.add(words[paper])
        if known - seen:
            rows = counts.vocabulary().rows(words)
        seen |= known
        yield rows


def rankings(of: Set, task: Task, rows: csr_array) -> Iterator[tuple[str, Floats]]:
    known = np.unique(np.concatenate([task.profile, task.others, task.candidates]))
    middle = of.vectors[known].mean(axis=0)
    candidates, profile = evidence(of, rows, task.candidates), evidence(of, rows, task.profile)
    day, likes = centred(candidates.vectors, middle), centred(profile.vectors, middle)
    yield "mean_of_likes", day @ likes.mean(axis=0)
    yield "nearest_like", (day @ likes.T).max(axis=1)
    answers = np.ones(len(task.profile), np.int8)
    words = np.array([len(words_of(of.texts[p])) for p in task.candidates])
    chosen = np.sort(sample(task.others, SAMPLE, SEED))
    ours = judge(Lesson(profile, answers, evidence(of, rows, chosen)), candidates, words, middle)
    everything = ours
    if len(chosen) < len(task.others):
        everything = judge(
            Lesson(profile, answers, evidence(of, rows, task.others)), candidates, words, middle
        )
    assert everything.meaning is not None
    yield "tfidf_svm", everything.words
    yield "ridge", everything.meaning
    yield "svm_ridge", everything.words + everything.meaning
    yield "ours", ours.scores


def evidence(of: Set, rows: csr_array, papers: NDArray[np.intp]) -> Evidence:
    return Evidence(rows[papers], of.vectors[papers], np.ones(len(papers), np.bool_))


def ndcg(scores: Floats, task: Task) -> float:
    order = task.candidates[np.argsort(-scores, kind="stable")][:10]
    discounts = 1 / np.log2(np.arange(2, 12))
    hits = np.array([paper in task.relevant for paper in order])
    return float((hits * discounts[: len(hits)]).sum() / discounts[: len(task.relevant)].sum())


def summary(values: Floats) -> dict[str, float | list[float]]:
    rng = np.random.default_rng(0)
    means = values[rng.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {"mean": round(float(values.mean()), 4), "interval": [round(float(low), 4), round(float(high), 4)]}


if __name__ == "__main__":
    main()
