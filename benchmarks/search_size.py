"""Search at 1 and 3 million papers: ``python benchmarks/search_size.py DATA --encoder FOLDER --place DIR``.

Builds a corpus of ``--papers`` made from the real abstracts in DATA (see ``size_corpus``) through the
index's own writers and, for the first million, the library's; then prints one table: build rates, bytes,
memory, p50 and p95 of hybrid search without a filter, with filters, with two clients at once; recall of
the vector part against exact float and its time against the time that reading its bytes takes. What is
built already is kept.
"""

import argparse
import itertools
import json
import shutil
import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from functools import lru_cache
from pathlib import Path

import numpy as np
import size_corpus as corpus
from numpy.typing import NDArray
from sqlalchemy import Connection

from broadsheet.library import papers
from broadsheet.library.arrivals import store
from broadsheet.library.database import Library
from broadsheet.papers import Author
from broadsheet.search import encoders, finding, index, manifests, opening, vectors, words
from broadsheet.search.encoders import Encoder
from broadsheet.search.finding import SearchRequest
from broadsheet.search.growing import VectorsWriter

FREE_BYTES = 25_000_000_000
_CHUNK_BLOCKS = 250
_WARM, _COUNTED = 10, 60


@dataclass(frozen=True, slots=True)
class Place:
    """A corpus on the disk and what reads it."""

    folder: Path
    library: Library
    encoder: Encoder
    stock: corpus.Stock
    papers: int

    @property
    def index(self) -> Path:
        return self.folder / "index"


def _say(what: str, value: str) -> None:
    print(f"| {what} | {value} |", flush=True)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _memory() -> dict[str, float]:
    """Megabytes of this process that are its own, and that are mapped files."""
    told = Path("/proc/self/smaps_rollup").read_text().splitlines()
    found = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in told[1:]}
    return {"own": found["Anonymous"], "mapped": found["Rss"] - found["Anonymous"]}


def _bandwidth() -> float:
    """Bytes a second that one core reads: the best of five passes over 400 MB of int64 by max."""
    block = np.ones(50_000_000, np.int64)
    return block.nbytes / min(_seconds(block.max) for _ in range(5))


def _bandwidth_of_two() -> float:
    """The same for two threads at once, each with its own half."""
    block = np.ones(50_000_000, np.int64)
    halves = [block[:25_000_000], block[25_000_000:]]

    def both() -> None:
        threads = [threading.Thread(target=half.max) for half in halves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return block.nbytes / min(_seconds(both) for _ in range(7))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _build_library(place: Place) -> None:
    with place.library.read() as connection:
        done = papers.newest_change(connection) // corpus.BLOCK
    wanted = min(place.papers, corpus.TEXTS) // corpus.BLOCK
    made = 0.0
    began = time.perf_counter()
    for block in range(done, wanted):
        before = time.perf_counter()
        arrived = corpus.arrivals(place.stock, block)
        made += time.perf_counter() - before
        with place.library.write() as connection:
            store(connection, arrived, corpus.NOW)
    took = time.perf_counter() - began - made
    if done < wanted:
        stored = (wanted - done) * corpus.BLOCK
        _say("stored in the library", f"{stored / took:,.0f} papers/s ({took:,.0f} s)")
    for block in range(max(done, wanted), place.papers // corpus.BLOCK):
        with place.library.write() as connection:
            _copy_block(connection, place.stock, block)


_COLUMNS = (
    "key, id, change, text_change, title_key, announced, submitted, version, withdrawn, source, added_at,"
    " title, authors, categories, abstract"
)


def _copy_block(connection: Connection, stock: corpus.Stock, block: int) -> None:
    """Rows of papers whose texts are held already, under ids, days, categories and authors of their own."""
    days, categories, people = corpus.dated(stock, block)
    first = block % (corpus.TEXTS // corpus.BLOCK) * corpus.BLOCK
    said = f"SELECT {_COLUMNS} FROM papers WHERE key > {first} AND key <= {first + corpus.BLOCK} ORDER BY key"
    held = connection.exec_driver_sql(said).all()
    keys = range(block * corpus.BLOCK + 1, (block + 1) * corpus.BLOCK + 1)
    names = [corpus.name(key - 1) for key in keys]
    instants = [int(datetime.combine(day, clock(8), UTC).timestamp()) * 1_000_000 for day in days]
    told = zip(held, keys, names, days, instants, categories, people, strict=True)
    rows = [
        (key, name, key, key, row[4], str(day), at, *row[7:12], *map(_listed, (authors, listed)), row[14])
        for row, key, name, day, at, listed, authors in told
    ]
    marks = ", ".join("?" * len(rows[0]))
    connection.exec_driver_sql(f"INSERT INTO papers ({_COLUMNS}) VALUES ({marks})", rows)
    connection.exec_driver_sql("INSERT INTO identifiers VALUES (?, ?)", list(zip(names, keys, strict=True)))
    connection.exec_driver_sql("UPDATE counters SET value = ? WHERE name = 'change'", (keys[-1],))


def _listed(values: tuple[str, ...] | tuple[Author, ...]) -> str:
    return json.dumps([value if isinstance(value, str) else value.name for value in values])


def _build_words(place: Place) -> None:
    began = time.perf_counter()
    with place.library.read() as connection:
        if place.papers <= corpus.TEXTS:
            done = index.update_words(connection, place.index)
        else:
            done = _add_words(connection, place)
    took = time.perf_counter() - began
    if done:
        _say("words index", f"{done / took:,.0f} papers/s ({took:,.0f} s)")


def _add_words(connection: Connection, place: Place) -> int:
    """Each text's papers one after another, so that it is folded once for all of them."""
    folder = opening.words_folder(place.index)
    if words.is_made(folder) and len(words.Words.open(folder)):
        return 0
    words.running = lru_cache(4)(words.running)
    words.author_terms = lru_cache(100)(words.author_terms)
    blocks = place.papers // corpus.BLOCK
    with words.WordsWriter(folder, threads=2) as writer:
        for first in range(corpus.TEXTS // corpus.BLOCK):
            held = list(papers.load(connection, range(first * 1000 + 1, first * 1000 + 1001)).values())
            copies = range(first, blocks, corpus.TEXTS // corpus.BLOCK)
            told = [zip(*corpus.dated(place.stock, block), strict=True) for block in copies]
            for row, (paper, *of_copies) in enumerate(zip(held, *told, strict=True)):
                for block, (day, categories, people) in zip(copies, of_copies, strict=True):
                    copy = replace(paper, announced=day, categories=categories, authors=people)
                    writer.put(block * corpus.BLOCK + row + 1, copy, day)
        writer.commit(place.papers)
    return place.papers


def _build_vectors(place: Place) -> None:
    encoder = place.encoder
    folder = manifests.folder_of(place.index, encoder.name)
    if (folder / manifests.MANIFEST).is_file() and len(vectors.Vectors.open(place.index, encoder.name)):
        return
    with place.library.read() as connection:
        heads = papers.change_heads(connection)
        through = papers.newest_change(connection)
    order = np.argsort(heads.keys)
    keys, changes, days = heads.keys[order], heads.text_changes[order], heads.days[order] + _EPOCH
    took = 0.0
    with VectorsWriter(place.index, encoder.name, encoder.model, encoder.dimension, encoder.limit) as writer:
        for first in range(0, place.papers // corpus.BLOCK, _CHUNK_BLOCKS):
            blocks = range(first, min(first + _CHUNK_BLOCKS, place.papers // corpus.BLOCK))
            made = np.concatenate([corpus.vectors(place.stock, block) for block in blocks])
            begin, end = blocks[0] * corpus.BLOCK + 1, (blocks[-1] + 1) * corpus.BLOCK + 1
            rows = slice(np.searchsorted(keys, begin), np.searchsorted(keys, end))
            before = time.perf_counter()
            writer.add(made[keys[rows] - begin], keys[rows], changes[rows], days[rows])
            took += time.perf_counter() - before
        writer.settle(keys[:0], keys[:0], through, 0)
    _say("vector segments", f"{place.papers / took:,.0f} rows/s ({took:,.0f} s)")


_EPOCH = date(1970, 1, 1).toordinal()


def _queries(place: Place, seed: int) -> Iterator[str]:
    """Real query texts without end, each different: two to eight words that follow each other in a title."""
    rng = np.random.default_rng(seed)
    while True:
        words = place.stock.titles[rng.integers(0, len(place.stock.titles))]
        length = int(rng.integers(2, 9))
        begin = int(rng.integers(0, max(1, len(words) - length + 1)))
        yield " ".join(words[begin : begin + length])


def _timed(place: Place, requests: Iterator[SearchRequest], count: int = _COUNTED) -> list[float]:
    times = []
    for request in itertools.islice(requests, count):
        began = time.perf_counter()
        with place.library.read() as connection:
            found = finding.find(connection, place.index, place.encoder, request)
        times.append(1000 * (time.perf_counter() - began))
        if len(found.results) < min(request.limit, found.total):
            print(f"  a page of {len(found.results)} though {found.total} are told: {request}", flush=True)
    return times


def _told(times: list[float]) -> str:
    return f"p50 {np.percentile(times, 50):.1f} ms, p95 {np.percentile(times, 95):.1f} ms"


def _requests(place: Place, seed: int, like: SearchRequest) -> Iterator[SearchRequest]:
    return (replace(like, query=query) for query in _queries(place, seed))


def _since(place: Place, share: float) -> date:
    """The day from which on about so many papers in one are announced."""
    return corpus.FIRST + timedelta(days=int(np.sqrt(1 - share) * corpus.DAYS))


def _filters(place: Place) -> list[tuple[str, SearchRequest]]:
    """Filters by date, by category and by both that leave about 10, 1 and 0.1 in 100."""
    counts = Counter(
        category for told in place.stock.categories for category in {c.lower(): c for c in told}.values()
    )
    shares = {category: count / len(place.stock.categories) for category, count in counts.items()}

    def nearest(share: float) -> str:
        return min(shares, key=lambda category: abs(np.log(shares[category] / share)))

    asked = []
    for share in (0.1, 0.01, 0.001):
        category = nearest(share)
        wide = nearest(min(0.3, share**0.5))
        asked += [
            (f"{share:.1%} by date", SearchRequest("", since=_since(place, share))),
            (f"{shares[category]:.2%} by category {category}", SearchRequest("", categories=(category,))),
            (
                f"{share:.1%} by date and {wide}",
                SearchRequest("", since=_since(place, share / shares[wide]), categories=(wide,)),
            ),
        ]
    return asked


def _measure_searches(place: Place, seed: int) -> None:
    plain = SearchRequest("")
    _timed(place, _requests(place, seed, plain), _WARM)
    _say("hybrid search, no filter", _told(_timed(place, _requests(place, seed + 1, plain), 2 * _COUNTED)))
    for number, (name, like) in enumerate(_filters(place)):
        requests = _requests(place, seed + 10 + number, like)
        first = _timed(place, requests, 1)[0]
        _say(f"hybrid search, {name}", f"{_told(_timed(place, requests))}; the very first {first:.1f} ms")
    _say("hybrid search, 2 clients at once", _two_clients(place, seed))


def _two_clients(place: Place, seed: int) -> str:
    times: list[list[float]] = [[], []]

    def client(number: int) -> None:
        times[number] = _timed(place, _requests(place, seed + 100 + number, SearchRequest("")))

    threads = [threading.Thread(target=client, args=(number,)) for number in (0, 1)]
    took = _seconds(lambda: [[thread.start() for thread in threads], [thread.join() for thread in threads]])
    together = [*times[0], *times[1]]
    return f"{_told(together)}; {len(together) / took:.1f} searches/s"


def _measure_vectors(place: Place, seed: int) -> None:
    opened = vectors.Vectors.open(place.index, place.encoder.name)
    texts = list(itertools.islice(_queries(place, seed + 200), 40))
    queries = place.encoder.encode(texts)
    exact = _exact(place, queries)
    found = [opened.top(query, 1000)[0][:100] for query in queries]
    recall = np.mean([len(np.intersect1d(a, b)) / 100 for a, b in zip(exact, found, strict=True)])
    _say("vector part, recall@100 against exact float", f"{recall:.4f}")
    times = [_seconds(lambda query=query: opened.top(query, 1000)) for query in queries]
    scanned = len(opened) * place.encoder.dimension
    one, two = _bandwidth(), _bandwidth_of_two()
    p50 = statistics.median(times)
    _say("read bandwidth, 1 core / 2 cores", f"{one / 1e9:.1f} / {two / 1e9:.1f} GB/s")
    _say(
        "vector part, top 1,000",
        f"p50 {1000 * p50:.1f} ms = {scanned / p50 / 1e9:.1f} GB/s:"
        f" {scanned / one / p50:.2f} of one core's read bandwidth, {scanned / two / p50:.2f} of both cores'",
    )


def _exact(place: Place, queries: NDArray[np.float32]) -> NDArray[np.int64]:
    """The keys (q, 100) of the papers with the highest float products, from the vectors as they were made."""
    best = np.full((len(queries), 100), -np.inf, np.float32)
    keys = np.zeros((len(queries), 100), np.int64)
    for block in range(place.papers // corpus.BLOCK):
        scores = np.concatenate([best, queries @ corpus.vectors(place.stock, block).T], axis=1)
        names = np.broadcast_to(
            np.arange(corpus.BLOCK) + block * corpus.BLOCK + 1, (len(queries), corpus.BLOCK)
        )
        every = np.concatenate([keys, names], axis=1)
        rows = np.argpartition(-scores, 99, axis=1)[:, :100]
        best, keys = np.take_along_axis(scores, rows, 1), np.take_along_axis(every, rows, 1)
    return keys


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--encoder", type=Path, required=True, help="a folder made by 'broadsheet encoder add'"
    )
    parser.add_argument("--place", type=Path, required=True, help="where the corpus is built, and kept")
    parser.add_argument("--papers", type=int, default=1_000_000)
    parser.add_argument("--sentences", type=Path, help="where the encoded sentences are kept (.npy)")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other queries")
    parser.add_argument("--only-build", action="store_true")
    asked = parser.parse_args()
    asked.place.mkdir(parents=True, exist_ok=True)
    held = _size(asked.place)
    if shutil.disk_usage(asked.place).free + held < FREE_BYTES:
        raise SystemExit(f"{asked.place} has less than {FREE_BYTES / 1e9:.0f} GB free.")
    sentences = asked.sentences or asked.place / "sentences.npy"
    library = Library.open(asked.place / "library.sqlite3", corpus.NOW)
    place = Place(
        asked.place,
        library,
        encoders.load(asked.encoder),
        corpus.stock(asked.data, asked.encoder, sentences),
        asked.papers,
    )
    _say("papers (texts recombined, vectors mixed from real sentences)", f"{place.papers:,}")
    _build_library(place)
    _build_words(place)
    _build_vectors(place)
    _say(
        "library / words / vectors on the disk", " / ".join(f"{size / 1e9:.2f} GB" for size in _parts(place))
    )
    if not asked.only_build:
        _measure_searches(place, asked.seed)
        _measure_vectors(place, asked.seed)
        memory = _memory()
        _say(
            "memory of the process",
            f"{memory['own']:,.0f} MB own, {memory['mapped']:,.0f} MB of mapped files",
        )
    library.close()


def _parts(place: Place) -> list[int]:
    library = sum(path.stat().st_size for path in place.folder.glob("library.sqlite3*"))
    return [library, _size(place.index / "words"), _size(place.index / "vectors")]


if __name__ == "__main__":
    main()
