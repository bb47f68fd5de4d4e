"""Search beside its peers, in one run: how well each ranks, and what a query costs.

    python benchmarks/search_peers.py RETRIEVAL --encoder FOLDER --cache FOLDER [--only NAME]

Needs the extra ``benchmarks``. Peers are bm25s (Snowball stemming and English stop words), SQLite's FTS5
(porter stemming, any word), tantivy with its own query parser over title and text, and the encoder
alone. Each ranks the collections of the evaluation data; nDCG@10 with linear gain, in csfcube over
each query's judged papers. Latency is one query at a time in this process, first 1,000 papers, after
a warm-up, the encoding of the query included where there is any.
"""

import argparse
import json
import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import bm25s
import numpy as np
import Stemmer
import tantivy

from broadsheet.evaluation.collections import Collection, JudgedQuery, read_collection
from broadsheet.evaluation.measures import measure
from broadsheet.evaluation.retrieval import CollectionIndex, indexed
from broadsheet.search import encoders, retrieval
from broadsheet.search.encoders import Encoder
from broadsheet.search.narrowing import Restriction
from broadsheet.search.vectors import Among

COLLECTIONS = ("scifact", "csfcube", "cranfield", "cacm")
POOLED = "csfcube"
COUNT = 1000
WARM_UP = 10

Search = Callable[[str], list[int]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("retrieval", type=Path)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--only", choices=COLLECTIONS)
    options = parser.parse_args()
    encoder = encoders.load(options.encoder)
    for name in COLLECTIONS if options.only is None else (options.only,):
        collection = read_collection(options.retrieval / name)
        index = indexed(collection.documents, encoder, options.cache / name, None)
        for peer, make in PEERS.items():
            print(json.dumps(row(name, peer, collection, make(collection, index, encoder))), flush=True)


def row(name: str, peer: str, collection: Collection, search: Search) -> dict[str, object]:
    queries = [query for query in collection.queries if max(query.judged.values()) > 0]
    for query in queries[:WARM_UP]:
        search(query.text)
    rankings, spent = {}, []
    for query in queries:
        begun = time.perf_counter()
        found = search(query.text)
        spent.append(time.perf_counter() - begun)
        rankings[query.id] = ranking(collection, query, found, name == POOLED)
    values = measure(rankings, {query.id: query.judged for query in queries})["ndcg@10"]
    p50, p95 = np.percentile(np.array(spent) * 1000, [50, 95])
    return {
        "collection": name,
        "peer": peer,
        "ndcg@10": round(float(values.mean()), 4),
        "p50 ms": round(float(p50), 2),
        "p95 ms": round(float(p95), 2),
    }


def ranking(collection: Collection, query: JudgedQuery, found: list[int], pooled: bool) -> list[str]:
    names = [collection.documents[key].id for key in found]
    kept = [name for name in names if name not in query.itself and (not pooled or name in query.judged)]
    if not pooled:
        return kept
    # What a peer's first papers leave out of a pool comes last, by id.
    return [*kept, *sorted(set(query.judged) - set(kept) - query.itself)]


def ours(collection: Collection, index: CollectionIndex, encoder: Encoder) -> Search:
    def search(text: str) -> list[int]:
        wanted = retrieval.wanted(index.words, text, encoder.encode_queries([text])[0])
        found = retrieval.candidates(index.words, index.vectors, wanted, Restriction())
        ranked: list[int] = retrieval.ranked(index.vectors, found).keys.tolist()
        return ranked

    return search


def our_words(collection: Collection, index: CollectionIndex, encoder: Encoder) -> Search:
    def search(text: str) -> list[int]:
        found: list[int] = index.words.top(retrieval.wanted(index.words, text, None).match, COUNT)[0].tolist()
        return found

    return search


def encoder_alone(collection: Collection, index: CollectionIndex, encoder: Encoder) -> Search:
    vectors = index.vectors
    assert vectors is not None

    def search(text: str) -> list[int]:
        found: list[int] = vectors.nearest(encoder.encode_queries([text])[0], Among(), COUNT).keys.tolist()
        return found

    return search


def by_bm25s(collection: Collection, index: CollectionIndex, encoder: Encoder) -> Search:
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{document.title} {document.text}" for document in collection.documents]
    engine = bm25s.BM25()
    engine.index(
        bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    count = min(COUNT, len(texts))

    def search(text: str) -> list[int]:
        asked = bm25s.tokenize([text], stopwords="en", stemmer=stemmer, show_progress=False)
        rows, scores = engine.retrieve(asked, k=count, show_progress=False)
        found: list[int] = rows[0][scores[0] > 0].tolist()
        return found

    return search


def by_fts5(collection: Collection, index: CollectionIndex, encoder: Encoder) -> Search:
    connection = sqlite3.connect(":memory:")
    connection.execute("create virtual table papers using fts5(title, text, tokenize='porter unicode61')")
    connection.executemany(
        "insert into papers(rowid, title, text) values (?, ?, ?)",
        ((key, document.title, document.text) for key, document in enumerate(collection.documents)),
    )

    def search(text: str) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", text)))
        statement = "select rowid from papers where papers match ? order by rank limit ?"
        return [key for (key,) in connection.execute(statement, (words, COUNT))]

    return search


def by_tantivy(collection: Collection, index: CollectionIndex, encoder: Encoder) -> Search:
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("key", fast=True)
    for name in ("title", "text"):
        builder.add_text_field(name, tokenizer_name="en_stem")
    made = tantivy.Index(builder.build())
    writer = made.writer(100_000_000, 1)
    for key, document in enumerate(collection.documents):
        writer.add_document(tantivy.Document(key=key, title=document.title, text=document.text))
    writer.commit()
    made.reload()
    searcher = made.searcher()

    def search(text: str) -> list[int]:
        query, _ = made.parse_query_lenient(text, ["title", "text"])
        hits = searcher.search(query, COUNT, count=False).hits
        return [int(key) for key in searcher.fast_field_values("key", [address for _, address in hits])]

    return search


PEERS: dict[str, Callable[[Collection, CollectionIndex, Encoder], Search]] = {
    "ours": ours,
    "our words": our_words,
    "encoder alone": encoder_alone,
    "bm25s": by_bm25s,
    "SQLite FTS5": by_fts5,
    "tantivy": by_tantivy,
}

if __name__ == "__main__":
    main()
