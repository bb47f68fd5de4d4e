"""The words index: a tantivy index that follows the library by change numbers.

Append and delete only. One marker document, replaced in the same commit as the papers, holds the
change number up to which the library is covered, so a killed writer leaves a whole earlier state.
"""

import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from datetime import date
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import Document, Index, Query, Schema, SchemaBuilder

from broadsheet.errors import IndexBroken
from broadsheet.papers import Paper
from broadsheet.search.guarding import REBUILD, Guard, check_files
from broadsheet.search.text import analyzer, author_terms, running

Keys = NDArray[np.int64]
Scores = NDArray[np.float64]

FORMAT = 3
_GONE = "words-gone-"
_MANIFEST = "broadsheet.json"
_HEAP_BYTES = 100_000_000
_opened = itertools.count()


def schema() -> Schema:
    """The fields; none is stored, since the library holds the papers.

    Numbers are signed: deleting by a term finds nothing in tantivy-py's unsigned fields.
    """
    builder = SchemaBuilder()
    builder.add_integer_field("key", indexed=True, fast=True)
    builder.add_integer_field("day", indexed=True, fast=True)
    builder.add_integer_field("marker", indexed=True)
    builder.add_integer_field("covered", fast=True)
    for name in ("title", "text"):
        builder.add_text_field(name, tokenizer_name="running", index_option="position")
    for name in ("authors", "categories", "has"):
        builder.add_text_field(name, tokenizer_name="names", index_option="basic")
    builder.add_text_field("exact", tokenizer_name="raw", index_option="basic")
    return builder.build()


def document(key: int, paper: Paper, day: date | None) -> Document:
    """A paper as the index holds it. A day that is not known is 0 and falls out of every range.

    Hyphenated words stand once more as one word, behind the text: phrases keep their places. A title
    that is asked for as a whole is one word too, so that no space or hyphen in it matters.
    """
    title, title_compounds = running(paper.title)
    abstract, compounds = running(paper.abstract)
    made = Document()
    made.add_integer("key", key)
    made.add_integer("day", day.toordinal() if day else 0)
    made.add_text("title", " ".join([title, *title_compounds]))
    made.add_text("text", " ".join([title, abstract, *title_compounds, *compounds]))
    made.add_text("exact", title.replace(" ", ""))
    made.add_text("authors", " ".join(term for author in paper.authors for term in author_terms(author.name)))
    made.add_text("categories", " ".join(category_terms(paper.categories)))
    if paper.links.code:
        made.add_text("has", "code")
    return made


def category_terms(categories: Iterable[str]) -> list[str]:
    """Each category in lower case and, once, the archive that it belongs to ("cs" of "cs.LG")."""
    lowered = ["_".join(c.lower().split()) for c in categories]
    return list(dict.fromkeys([*lowered, *(c.split(".")[0] for c in lowered)]))


class Words:
    """The words index, open for reading as it stood at its last commit.

    Safe to use from several threads. ``number`` tells this opening from others in the process.
    """

    def __init__(self, index: Index, directory: Path) -> None:
        self.number = next(_opened)
        self.schema = index.schema
        self._guard = Guard(directory)
        with self._guard:
            self._searcher = index.searcher()

    @classmethod
    def open(cls, directory: Path) -> Self:
        """Raises IndexBroken where there is no index, a damaged one or one of another version."""
        return cls(_open(directory), directory)

    @cached_property
    def covered(self) -> int:
        """The library's change number up to which the index holds everything; 0 for an empty one."""
        with self._guard:
            return _covered(self._searcher, self.schema)

    def __len__(self) -> int:
        return int(self._searcher.num_docs) - (self.covered > 0)

    def top(self, query: Query, limit: int) -> tuple[Keys, Scores]:
        """The best ``limit`` papers for a query, best first, ties by key."""
        with self._guard:
            hits = self._searcher.search(query, limit=limit, count=False).hits
            keys = self._values("key", [address for _, address in hits])
        scores = np.array([score for score, _ in hits], np.float64)
        order = np.lexsort((keys, -scores))
        return keys[order], scores[order]

    def newest(self, query: Query, limit: int) -> tuple[Keys, NDArray[np.int64]]:
        """The papers of the latest days among those that match, and their days as ordinals."""
        with self._guard:
            hits = self._searcher.search(query, limit=limit, count=False, order_by_field="day").hits
            addresses = [address for _, address in hits]
            return self._values("key", addresses), self._values("day", addresses)

    @cached_property
    def last_day(self) -> date:
        """The latest day of any paper."""
        _, days = self.newest(Query.all_query(), 1)
        return date.fromordinal(max(1, *days.tolist())) if len(days) else date.min

    def keys(self, query: Query) -> Keys:
        """The keys of all papers that match, in ascending order."""
        # Ordered by a field, tantivy gives that field's value beside each address.
        matching = max(1, self.count(query))
        with self._guard:
            hits = self._searcher.search(query, limit=matching, count=False, order_by_field="key").hits
            keys = np.fromiter((key for key, _ in hits), np.int64, len(hits))
        return np.sort(keys)

    def papers_with(self, field: str, term: str) -> int:
        """How many papers have a term in a field; replaced ones count until tantivy merges them away."""
        with self._guard:
            return int(self._searcher.doc_freq(field, term))

    def count(self, query: Query) -> int:
        with self._guard:
            return int(self._searcher.search(query, limit=1, count=True).count)  # type: ignore[attr-defined]

    def _values(self, field: str, addresses: list[tantivy.DocAddress]) -> Keys:
        return np.array(self._searcher.fast_field_values(field, addresses), np.int64)


class WordsWriter:
    """The one writer of a words index; nothing is seen before ``commit``.

    Raises Busy where another process writes. Leaving the context without a commit drops what was added.
    """

    def __init__(self, directory: Path, threads: int = 1) -> None:
        self._index = _open(directory) if is_made(directory) else _create(directory)
        check_files(directory)
        self._guard = Guard(directory)
        with self._guard:
            self.covered = _covered(self._index.searcher(), self._index.schema)
            self._writer = self._index.writer(_HEAP_BYTES, threads)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            if error is not None:
                self._writer.rollback()
            self._writer.wait_merging_threads()

    def put(self, key: int, paper: Paper, day: date | None) -> None:
        """Add a paper, or replace what stands under its key."""
        with self._guard:
            self._writer.delete_documents_by_term("key", key)
            self._writer.add_document(document(key, paper, day))

    def remove(self, key: int) -> None:
        with self._guard:
            self._writer.delete_documents_by_term("key", key)

    def commit(self, covered: int) -> None:
        """Make everything so far visible, as the state of the library at change ``covered``."""
        marker = Document()
        marker.add_integer("marker", 1)
        marker.add_integer("covered", covered)
        with self._guard:
            self._writer.delete_documents_by_term("marker", 1)
            self._writer.add_document(marker)
            self._writer.commit()
        self.covered = covered


def is_made(directory: Path) -> bool:
    return (directory / _MANIFEST).is_file()


def naming(directory: Path) -> tuple[Path, ...]:
    """The files that are replaced whenever the index changes: ours, and the one that tantivy commits by."""
    return directory / _MANIFEST, directory / "meta.json"


def remove(directory: Path) -> None:
    """Take the index away; who has it open reads on until closing it.

    It is renamed first: tantivy's threads may still be tidying up in it, and would be met half way.
    """
    for leftover in (directory, _aside(directory)):
        if leftover.exists():
            gone = Path(tempfile.mkdtemp(prefix=_GONE, dir=directory.parent))
            os.replace(leftover, gone / leftover.name)
    for gone in directory.parent.glob(f"{_GONE}*"):
        shutil.rmtree(gone, ignore_errors=True)


def _aside(directory: Path) -> Path:
    return directory.with_name(directory.name + ".new")


def _create(directory: Path) -> Index:
    remove(directory)
    aside = _aside(directory)
    aside.mkdir(parents=True)
    Index(schema(), str(aside))
    (aside / _MANIFEST).write_text(json.dumps(_version()), encoding="utf-8")
    os.replace(aside, directory)
    return _open(directory)


def _version() -> dict[str, int | str]:
    return {"format": FORMAT, "tantivy": version("tantivy")}


def _open(directory: Path) -> Index:
    if not is_made(directory):
        raise IndexBroken(f"There is no words index in {directory}.", "Run `broadsheet index`.")
    try:
        made = json.loads((directory / _MANIFEST).read_text(encoding="utf-8"))
    except ValueError as error:
        raise IndexBroken(f"The words index in {directory} has a damaged manifest.", REBUILD) from error
    if made != _version():
        raise IndexBroken(f"The words index in {directory} is of another version ({made}).", REBUILD)
    with Guard(directory):
        index = Index.open(str(directory))
        index.reload()
    index.register_tokenizer("running", analyzer(stemmed=True))
    index.register_tokenizer("names", analyzer(stemmed=False))
    return index


def _covered(searcher: tantivy.Searcher, fields: Schema) -> int:
    marker = searcher.search(Query.term_query(fields, "marker", 1), limit=1, count=False).hits
    values = searcher.fast_field_values("covered", [address for _, address in marker])
    return int(values[0] or 0) if values else 0
