"""Measures of search on judged collections."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypedDict

from broadsheet.api.home import Home
from broadsheet.errors import UsageError
from broadsheet.evaluation import collections
from broadsheet.evaluation import retrieval as measuring
from broadsheet.evaluation.measures import Difference, Measure

MeasureDocument = TypedDict(
    "MeasureDocument",
    {
        "ndcg@10": float,
        "ndcg@10_interval": list[float],
        "recall@100": float,
        "recall@100_interval": list[float],
        "mrr@10": float,
        "mrr@10_interval": list[float],
    },
)


class DifferenceDocument(TypedDict):
    """How far one ranking is ahead of another in nDCG@10; ``p`` by a paired randomisation test."""

    difference: float
    interval: list[float]
    p: float


class FusedDocument(MeasureDocument):
    against: dict[str, DifferenceDocument]


class RetrievalDocument(TypedDict):
    words: MeasureDocument
    meaning: MeasureDocument | None
    fused: FusedDocument
    queries: int
    documents: int
    encoder: str | None


def retrieval(
    home: Home,
    folder: Path,
    qrels: Path | None,
    judged_only: bool,
    progress: Callable[[int, int | None], None],
) -> RetrievalDocument:
    """Words, meaning and both on a collection in the BEIR layout, with bootstrap intervals."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder.", "Give a folder with corpus, queries and qrels (BEIR).")
    collection = collections.read_collection(folder, qrels)
    report = measuring.evaluate(collection, home.encoder(), judged_only=judged_only, progress=progress)
    return {
        "words": _measures(report.words),
        "meaning": None if report.meaning is None else _measures(report.meaning),
        "fused": {
            **_measures(report.fused),
            "against": {name: _difference(ahead) for name, ahead in report.against.items()},
        },
        "queries": report.queries,
        "documents": report.documents,
        "encoder": report.encoder,
    }


def _difference(ahead: Difference) -> DifferenceDocument:
    return {"difference": ahead.mean, "interval": [ahead.low, ahead.high], "p": ahead.p}


def _measures(measured: Mapping[str, Measure]) -> MeasureDocument:
    ndcg, recall, mrr = (measured[name] for name in ("ndcg@10", "recall@100", "mrr@10"))
    return {
        "ndcg@10": ndcg.mean,
        "ndcg@10_interval": [ndcg.low, ndcg.high],
        "recall@100": recall.mean,
        "recall@100_interval": [recall.low, recall.high],
        "mrr@10": mrr.mean,
        "mrr@10_interval": [mrr.low, mrr.high],
    }
