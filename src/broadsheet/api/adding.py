"""Taking files in and making what is held findable: add, index."""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypedDict

from broadsheet.api.home import Home
from broadsheet.daily import adding, indexing
from broadsheet.errors import UsageError
from broadsheet.library import readers
from broadsheet.search import index as search_index
from broadsheet.sources.files.reading import FORMATS
from broadsheet.sources.sample import read_sample

FILE_FORMATS = tuple(FORMATS)

Progress = Callable[[int, int | None], None]

# How many missing vectors a harvest or an add makes before it returns; the rest is for index and serve.
VECTORS_AT_ONCE = 1_000
_NAMED = 50


class SkippedDocument(TypedDict):
    path: str
    line: int | None
    why: str


class AddDocument(TypedDict):
    read: int
    new: int
    changed: int
    merged: int
    unchanged: int
    skipped: list[SkippedDocument]
    notices: list[str]


class IndexDocument(TypedDict):
    papers: int
    vectors: int
    pending: int
    segments: int
    seconds: float
    bytes: int
    notices: list[str]


def add(
    home: Home,
    paths: Sequence[Path],
    file_format: str | None,
    reader_name: str | None,
    progress: Progress,
) -> AddDocument:
    """Take in files and folders; with a reader (made when new), as that reader's library."""
    if file_format is not None and file_format not in FILE_FORMATS:
        raise UsageError(f"{file_format!r} is no format.", f"Formats are {', '.join(FILE_FORMATS)}.")
    reader_id = None
    if reader_name is not None:
        with home.library.write() as conn:
            reader_id = readers.named_or_new(conn, reader_name).id
    report = adding.add(home.library, paths, file_format, reader_id, home.now, lambda n: progress(n, None))
    return _added(report, make_findable(home, progress))


def add_sample(home: Home) -> int:
    """Take in the packaged sample; how many papers it holds."""
    report = adding.store_all(home.library, read_sample(home.now), home.now)
    return report.read


def make_findable(home: Home, progress: Progress) -> list[str]:
    notices = indexing.update_words(home.library, home.index_folder)
    indexing.update_word_state(home.library, home.index_folder)
    place = indexing.Place(home.index_folder, home.encoder())
    return notices + indexing.make_vectors(home.library, place, VECTORS_AT_ONCE, progress)


def _added(report: adding.AddReport, notices: list[str]) -> AddDocument:
    return {
        "read": report.read,
        "new": report.outcomes["new"],
        "changed": report.outcomes["changed"],
        "merged": report.outcomes["merged"],
        "unchanged": report.outcomes["unchanged"],
        "skipped": [{"path": s.path, "line": s.line, "why": s.why} for s in report.skipped],
        "notices": notices,
    }


def add_exit_code(document: AddDocument) -> int:
    """0 when nothing was skipped, 3 when some was, 1 when nothing could be read."""
    if not document["skipped"]:
        return 0
    return 1 if len(document["skipped"]) == document["read"] else 3


def skipped_lines(document: AddDocument) -> list[str]:
    """A line for each skipped record, the first fifty of them named with file and line."""
    lines = []
    for skipped in document["skipped"][:_NAMED]:
        line = f", line {skipped['line']}" if skipped["line"] else ""
        lines.append(f"skipped {skipped['path']}{line}: {skipped['why']}")
    more = len(document["skipped"]) - _NAMED
    return [*lines, f"… and {more:,} more; 'broadsheet add --json' names them all"] if more > 0 else lines


def index(home: Home, encoder_name: str | None, rebuild: bool, progress: Progress) -> IndexDocument:
    """Bring words and word weights up to date and make every missing vector."""
    began = perf_counter()
    encoder = home.encoder(encoder_name)
    if rebuild:
        indexing.remove(home.index_folder, encoder.name if encoder else None)
    notices = indexing.update_words(home.library, home.index_folder)
    indexing.update_word_state(home.library, home.index_folder)
    place = indexing.Place(home.index_folder, encoder)
    notices += indexing.make_vectors(home.library, place, None, progress)
    with home.library.read() as conn:
        report = search_index.report(conn, home.index_folder, encoder.name if encoder else None)
    return {
        "papers": report.papers,
        "vectors": report.vectors,
        "pending": report.pending,
        "segments": report.segments,
        "seconds": perf_counter() - began,
        "bytes": report.bytes,
        "notices": notices,
    }


def index_some(home: Home, keep_going: Callable[[], bool]) -> list[str]:
    """What a running server does between requests: words, and missing vectors as long as it may."""
    notices = indexing.update_words(home.library, home.index_folder)
    place = indexing.Place(home.index_folder, home.encoder())
    return notices + indexing.make_vectors(home.library, place, None, lambda done, total: None, keep_going)
