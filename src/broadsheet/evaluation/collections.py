"""Judged collections in the BEIR layout: documents, queries, and which answers which how well."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import UsageError

_LAYOUT = "A collection holds corpus.jsonl.gz (or corpus.jsonl), queries.jsonl and qrels.tsv."


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query with its judgements.

    ``itself`` are the ids of the document that the query was made of: it is never ranked. A judgement
    of it stays, as BEIR's own evaluation has it.
    """

    id: str
    text: str
    itself: frozenset[str]
    judged: dict[str, int]


@dataclass(frozen=True, slots=True)
class Collection:
    """``documents`` in order of id, so that ties by row are ties by id; ``queries`` with any judgement."""

    documents: tuple[Document, ...]
    queries: tuple[JudgedQuery, ...]


def read_collection(folder: Path, qrels: Path | None = None) -> Collection:
    """Raises UsageError, naming file and line, for what is not in the layout."""
    documents = [
        Document(str(record["_id"]), str(record.get("title") or ""), str(record.get("text") or ""))
        for record in _records(_corpus(folder))
    ]
    judged = _judgements(qrels or folder / "qrels.tsv")
    queries = [_query(record, judged) for record in _records(folder / "queries.jsonl")]
    return Collection(
        tuple(sorted(documents, key=lambda document: document.id)),
        tuple(query for query in queries if query.judged),
    )


def _corpus(folder: Path) -> Path:
    packed = folder / "corpus.jsonl.gz"
    return packed if packed.exists() else folder / "corpus.jsonl"


def _query(record: dict[str, object], judged: dict[str, dict[str, int]]) -> JudgedQuery:
    name = str(record["_id"])
    itself = frozenset(str(record[key]) for key in ("_id", "paper_id") if record.get(key))
    return JudgedQuery(name, str(record.get("text") or ""), itself, judged.get(name, {}))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8")
            if path.suffix == ".gz"
            else path.open(encoding="utf-8") as file
        ):
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", _LAYOUT) from error


def _records(path: Path) -> Iterator[dict[str, object]]:
    for number, line in _lines(path):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{path}, line {number}: {error}.", _LAYOUT) from error
        if not isinstance(record, dict) or "_id" not in record:
            raise UsageError(f"{path}, line {number}: no record with an _id.", _LAYOUT)
        yield record


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        cells = line.split("\t")
        if number == 1:
            continue
        try:
            query, document, score = cells
            judged.setdefault(query, {})[document] = int(float(score))
        except ValueError as error:
            raise UsageError(f"{path}, line {number}: not query, document and score.", _LAYOUT) from error
    return judged
