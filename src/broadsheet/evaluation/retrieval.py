"""Measuring search on a judged collection, through the very functions that search runs through."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from broadsheet.evaluation.collections import Collection, Document, JudgedQuery
from broadsheet.evaluation.measures import Measure, ndcg, recall, reciprocal_rank, summarise
from broadsheet.papers import Paper
from broadsheet.search import matching, narrowing, retrieval
from broadsheet.search.encoders import Encoder, text_of
from broadsheet.search.fusion import CANDIDATES
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.narrowing import Restriction, Search
from broadsheet.search.retrieval import Wanted
from broadsheet.search.vectors import Vectors
from broadsheet.search.words import Keys, Words, WordsWriter

MEASURES: Mapping[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "ndcg@10": lambda ranking, judged: ndcg(ranking, judged, 10),
    "recall@100": lambda ranking, judged: recall(ranking, judged, 100),
    "mrr@10": lambda ranking, judged: reciprocal_rank(ranking, judged, 10),
}
_CHUNK = 1024

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """Measures by name for each part; ``meaning`` is None without an encoder, and fused then is words."""

    words: dict[str, Measure]
    meaning: dict[str, Measure] | None
    fused: dict[str, Measure]
    queries: int
    documents: int
    encoder: str | None


@dataclass(frozen=True, slots=True)
class _Index:
    words: Words
    vectors: Vectors | None
    ids: list[str]


def evaluate(
    collection: Collection,
    encoder: Encoder | None,
    *,
    judged_only: bool = False,
    workdir: Path | None = None,
    progress: Progress | None = None,
) -> RetrievalReport:
    """Rank the collection for each query by words, by meaning and by both; mean over queries with a
    relevant judgement.

    ``judged_only`` ranks each query's judged documents alone. ``workdir`` keeps the index of this one
    collection between runs; without it a temporary folder is used.
    """
    with tempfile.TemporaryDirectory() as temporary:
        index = _indexed(collection.documents, encoder, workdir or Path(temporary), progress)
        queries = [query for query in collection.queries if max(query.judged.values()) > 0]
        vectors = (
            encoder.encode_queries([query.text for query in queries]) if encoder else [None] * len(queries)
        )
        asked = [
            (query, Wanted(matching.scored(index.words.schema, query.text), vector))
            for query, vector in zip(queries, vectors, strict=True)
        ]
        return RetrievalReport(
            _measured(index, asked, judged_only, _by_words),
            _measured(index, asked, judged_only, _by_meaning) if encoder else None,
            _measured(index, asked, judged_only, _fused),
            len(queries),
            len(collection.documents),
            encoder.name if encoder else None,
        )


def _indexed(
    documents: Sequence[Document], encoder: Encoder | None, workdir: Path, progress: Progress | None
) -> _Index:
    """The collection's index under ``workdir``, made where it is not there; a document's key is its row."""
    papers = [
        Paper(f"file:{row:016x}", document.title, document.text) for row, document in enumerate(documents)
    ]
    with WordsWriter(workdir / "words", threads=2) as writer:
        if writer.covered != len(papers):
            for key, paper in enumerate(papers):
                writer.put(key, paper, None)
            writer.commit(len(papers))
    vectors = _vectors(papers, encoder, workdir, progress) if encoder else None
    return _Index(Words.open(workdir / "words"), vectors, [document.id for document in documents])


def _vectors(papers: Sequence[Paper], encoder: Encoder, workdir: Path, progress: Progress | None) -> Vectors:
    with VectorsWriter(workdir, encoder.name, encoder.model, encoder.dimension, encoder.limit) as writer:
        for begin in range(len(writer.vectors()), len(papers), _CHUNK):
            chunk = papers[begin : begin + _CHUNK]
            keys = np.arange(begin, begin + len(chunk))
            vectors = encoder.encode([text_of(paper) for paper in chunk])
            writer.add(vectors, keys, np.ones_like(keys), np.zeros_like(keys))
            if progress:
                progress(begin + len(chunk), len(papers))
        return writer.vectors()


_Asked = Sequence[tuple[JudgedQuery, Wanted]]
_Ranker = Callable[[_Index, Wanted, Restriction, Keys | None], Keys]


def _measured(index: _Index, asked: _Asked, judged_only: bool, ranker: _Ranker) -> dict[str, Measure]:
    row_of = {name: row for row, name in enumerate(index.ids)}
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for query, wanted in asked:
        left_out = np.array([row_of[name] for name in query.itself if name in row_of], np.int64)
        judged = sorted(row_of[name] for name in query.judged if name in row_of)
        pool = np.setdiff1d(np.array(judged, np.int64), left_out)
        restriction = _restriction(index, left_out)
        keys = ranker(index, wanted, restriction, pool if judged_only else None)
        ranking = [index.ids[key] for key in keys.tolist()]
        for name, measure in MEASURES.items():
            values[name].append(measure(ranking, query.judged))
    return {name: summarise(per_query) for name, per_query in values.items()}


def _restriction(index: _Index, left_out: Keys) -> Restriction:
    if not len(left_out):
        return Restriction()
    return Restriction(excluded=(matching.with_keys(index.words.schema, left_out),))


def _by_words(index: _Index, wanted: Wanted, restriction: Restriction, pool: Keys | None) -> Keys:
    if pool is None:
        match = matching.restricted(wanted.match, (), restriction.excluded)
        return index.words.top(match, CANDIDATES)[0]
    scores = retrieval.word_scores(index.words, wanted.match, pool)
    return pool[np.lexsort((pool, -scores))]


def _by_meaning(index: _Index, wanted: Wanted, restriction: Restriction, pool: Keys | None) -> Keys:
    if index.vectors is None or wanted.vector is None:
        return np.empty(0, np.int64)
    if pool is not None:
        return index.vectors.top(wanted.vector, CANDIDATES, pool)[0]
    search = Search(wanted.vector, CANDIDATES, np.inf)
    return narrowing.nearest(index.words, index.vectors, search, restriction).keys


def _fused(index: _Index, wanted: Wanted, restriction: Restriction, pool: Keys | None) -> Keys:
    if pool is None:
        pool = retrieval.candidates(index.words, index.vectors, wanted, restriction).keys
    # Every candidate is ranked here, however far: a measure asks for the whole list.
    return retrieval.ranked(index.words, index.vectors, wanted, pool, threshold=-1.0).keys
