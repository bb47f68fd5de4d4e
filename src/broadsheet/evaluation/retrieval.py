"""Measuring search on a judged collection, through the very functions that search runs through."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from broadsheet.evaluation.collections import Collection, Document, JudgedQuery
from broadsheet.evaluation.measures import Difference, Measure, Values, compare, measure, summarise
from broadsheet.papers import Paper
from broadsheet.search import matching, narrowing, retrieval
from broadsheet.search.encoders import Encoder, text_of
from broadsheet.search.fusion import CANDIDATES
from broadsheet.search.growing import VectorsWriter
from broadsheet.search.narrowing import Restriction, Search
from broadsheet.search.retrieval import Wanted
from broadsheet.search.vectors import Vectors
from broadsheet.search.words import Keys, Words, WordsWriter

_CHUNK = 1024
_JUDGED_BY = "ndcg@10"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """Measures by name for each part; ``meaning`` is None without an encoder, and fused then is words.

    ``against`` is how far fused is ahead of each part in nDCG@10, by the part's name.
    """

    words: dict[str, Measure]
    meaning: dict[str, Measure] | None
    fused: dict[str, Measure]
    against: dict[str, Difference]
    queries: int
    documents: int
    encoder: str | None


@dataclass(frozen=True, slots=True)
class CollectionIndex:
    """A collection's words and vectors; a document's key is its place in ``ids``."""

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
        index = indexed(collection.documents, encoder, workdir or Path(temporary), progress)
        queries = [query for query in collection.queries if max(query.judged.values()) > 0]
        vectors = (
            encoder.encode_queries([query.text for query in queries]) if encoder else [None] * len(queries)
        )
        asked = [
            (query, retrieval.wanted(index.words, query.text, vector))
            for query, vector in zip(queries, vectors, strict=True)
        ]
        words = _measured(index, asked, judged_only, _by_words)
        meaning = _measured(index, asked, judged_only, _by_meaning) if encoder else None
        fused = _measured(index, asked, judged_only, _fused)
    parts = {"words": words} | ({} if meaning is None else {"meaning": meaning})
    return RetrievalReport(
        _summarised(words),
        None if meaning is None else _summarised(meaning),
        _summarised(fused),
        {name: compare(fused[_JUDGED_BY], part[_JUDGED_BY]) for name, part in parts.items()},
        len(queries),
        len(collection.documents),
        encoder.name if encoder else None,
    )


def _summarised(values: dict[str, Values]) -> dict[str, Measure]:
    return {name: summarise(by_query) for name, by_query in values.items()}


def indexed(
    documents: Sequence[Document], encoder: Encoder | None, workdir: Path, progress: Progress | None
) -> CollectionIndex:
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
    return CollectionIndex(Words.open(workdir / "words"), vectors, [document.id for document in documents])


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
_Ranker = Callable[[CollectionIndex, Wanted, Restriction, Keys | None], Keys]


def _measured(index: CollectionIndex, asked: _Asked, judged_only: bool, ranker: _Ranker) -> dict[str, Values]:
    row_of = {name: row for row, name in enumerate(index.ids)}
    rankings: dict[str, list[str]] = {}
    for query, wanted in asked:
        left_out = np.array([row_of[name] for name in query.itself if name in row_of], np.int64)
        judged = sorted(row_of[name] for name in query.judged if name in row_of)
        pool = np.setdiff1d(np.array(judged, np.int64), left_out)
        keys = ranker(index, wanted, _restriction(index, left_out), pool if judged_only else None)
        rankings[query.id] = [index.ids[key] for key in keys.tolist()]
    return measure(rankings, {query.id: query.judged for query, _ in asked})


def _restriction(index: CollectionIndex, left_out: Keys) -> Restriction:
    if not len(left_out):
        return Restriction()
    return Restriction(excluded=(matching.with_keys(index.words.schema, left_out),))


def _by_words(index: CollectionIndex, wanted: Wanted, restriction: Restriction, pool: Keys | None) -> Keys:
    if pool is None:
        match = matching.restricted(wanted.match, (), restriction.excluded)
        return index.words.top(match, CANDIDATES)[0]
    scores = retrieval.word_scores(index.words, wanted.match, pool)
    return pool[np.lexsort((pool, -scores))]


def _by_meaning(index: CollectionIndex, wanted: Wanted, restriction: Restriction, pool: Keys | None) -> Keys:
    if index.vectors is None or wanted.vector is None:
        return np.empty(0, np.int64)
    if pool is not None:
        return index.vectors.top(wanted.vector, CANDIDATES, pool)[0]
    search = Search(wanted.vector, CANDIDATES, np.inf)
    return narrowing.nearest(index.words, index.vectors, search, restriction).keys


def _fused(index: CollectionIndex, wanted: Wanted, restriction: Restriction, pool: Keys | None) -> Keys:
    if pool is None:
        found = retrieval.candidates(index.words, index.vectors, wanted, restriction)
    else:
        found = retrieval.of_pool(index.words, index.vectors, wanted, pool)
    # Every candidate is ranked here, however far: a measure asks for the whole list.
    return retrieval.ranked(index.vectors, found, threshold=-1.0).keys
