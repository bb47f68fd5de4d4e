"""A corpus of any size from real abstracts, recombined by sentence, and vectors that go with it.

Each paper has a title of two halves of real titles, three sentences near each other in meaning and four
drawn at random, authors and categories of real records, and a day drawn so that later years have more.
Its vector is a mixture of the three sentences' encoded vectors, of unit length. Papers come in no order
of day: key and row order have nothing to do with each other, as after taking in an archive's dump.

Beyond the first million the texts come again under other ids, days, categories and authors, with other
weights in their vectors: folding three million texts anew takes an hour and measures nothing that a
million does not.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.papers import Announcement, Arrival, Author, Paper
from broadsheet.search import encoders

BLOCK = 1_000
TEXTS = 1_000_000
FIRST, DAYS = date(1995, 1, 2), 11_500
NOW = datetime(2026, 7, 2, 12, tzinfo=UTC)
ENCODED = 20_000
NEIGHBOURS = 32
_DRAWN = 4


@dataclass(frozen=True, slots=True)
class Stock:
    """What papers are made of; ``near`` are the rows of each encoded sentence's neighbours in meaning."""

    titles: list[list[str]]
    sentences: list[str]
    people: list[tuple[Author, ...]]
    categories: list[tuple[str, ...]]
    encoded: list[str]
    vectors: NDArray[np.float32]
    near: NDArray[np.int64]


def stock(data: Path, folder: Path, cache: Path) -> Stock:
    """Read the real records; sentences are encoded once by the encoder in ``folder``, kept in ``cache``."""
    records = list(_records(data))
    sentences = [s for record in records for s in _sentences(str(record["abstract"]))]
    rows = np.random.default_rng(7).permutation(len(sentences))[:ENCODED]
    encoded = [sentences[row] for row in rows.tolist()]
    if not cache.is_file():
        np.save(cache, encoders.load(folder).encode(encoded))
    vectors = np.load(cache)
    return Stock(
        [str(record["title"]).split() for record in records],
        sentences,
        [tuple(Author(str(a)) for a in record["authors"][:8]) for record in records],  # type: ignore[index]
        [tuple(record.get("categories") or ()) or ("cs.AI",) for record in records],  # type: ignore[arg-type]
        encoded,
        vectors,
        _near(vectors),
    )


def _records(data: Path) -> Iterator[dict[str, object]]:
    for path in [*sorted((data / "arxiv").glob("*.jsonl.gz")), data / "hfdaily" / "hf_daily_papers.jsonl.gz"]:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (record for record in map(json.loads, lines) if record["abstract"] and record["title"])


def _sentences(abstract: str) -> list[str]:
    return [s.strip(" .") + "." for s in abstract.split(". ") if 40 <= len(s) <= 400]


def _near(vectors: NDArray[np.float32]) -> NDArray[np.int64]:
    blocks = [
        np.argpartition(-(vectors[begin : begin + 1000] @ vectors.T), NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        for begin in range(0, len(vectors), 1000)
    ]
    return np.concatenate(blocks)


def _chosen(made_of: Stock, block: int) -> NDArray[np.int64]:
    """For each paper of a block its three encoded sentences (n, 3)."""
    rng = np.random.default_rng([1, block % (TEXTS // BLOCK)])
    first = rng.integers(0, len(made_of.encoded), BLOCK)
    others = made_of.near[first[:, None], rng.integers(0, NEIGHBOURS, (BLOCK, 2))]
    return np.column_stack([first, others])


def vectors(made_of: Stock, block: int) -> NDArray[np.float32]:
    """The unit vectors (BLOCK, d) of a block's papers."""
    weights = np.random.default_rng([3, block]).dirichlet([2.0, 1.5, 1.5], BLOCK)
    mixed = np.einsum("nk,nkd->nd", weights, made_of.vectors[_chosen(made_of, block)])
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True), np.float32)


def _drawn(
    made_of: Stock, block: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[date], list[tuple[str, ...]]]:
    """A block's drawn sentences (n, 4), its records for titles and authors (n, 3), days and categories."""
    rng = np.random.default_rng([2, block])
    sentences = rng.integers(0, len(made_of.sentences), (BLOCK, _DRAWN))
    picks = rng.integers(0, len(made_of.titles), (BLOCK, 4))
    days = (np.sqrt(rng.random(BLOCK)) * DAYS).astype(int).tolist()
    categories = [made_of.categories[row] for row in picks[:, 3].tolist()]
    return sentences, picks[:, :3], [FIRST + timedelta(days=day) for day in days], categories


def dated(made_of: Stock, block: int) -> tuple[list[date], list[tuple[str, ...]], list[tuple[Author, ...]]]:
    """The days, categories and authors of a block's papers."""
    _, picks, days, categories = _drawn(made_of, block)
    return days, categories, [made_of.people[row] for row in picks[:, 2].tolist()]


def name(number: int) -> str:
    return f"doi:10.9999/made.{number}"


def arrivals(made_of: Stock, block: int) -> list[Arrival]:
    """The papers of a block with a text of its own, announced on their days."""
    chosen = _chosen(made_of, block)
    drawn, picks, days, categories = _drawn(made_of, block)
    made = []
    for row in range(BLOCK):
        one, other = made_of.titles[picks[row, 0]], made_of.titles[picks[row, 1]]
        title = " ".join([*one[: (len(one) + 1) // 2], *other[len(other) // 2 :]])
        said = [made_of.encoded[i] for i in chosen[row]] + [made_of.sentences[i] for i in drawn[row]]
        paper = Paper(
            name(block * BLOCK + row),
            title,
            " ".join(said),
            authors=made_of.people[picks[row, 2]],
            submitted=datetime.combine(days[row], time(8), UTC),
            announced=days[row],
            categories=categories[row],
            source="arxiv",
        )
        made.append(Arrival(paper, (announced(paper.id, paper.categories[0], days[row]),)))
    return made


def announced(paper_id: str, category: str, day: date) -> Announcement:
    return Announcement(paper_id, "arxiv", category, day, "new", 1, NOW)
