"""Reading files and folders of papers: what ``broadsheet add`` takes in."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from broadsheet.errors import UsageError
from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import (
    arxiv_atom,
    bibtex,
    crossref,
    daily_page,
    endnote_xml,
    enw,
    feed,
    isi,
    json_documents,
    jsonl,
    nbib,
    oai,
    pubmed_xml,
    ris,
    zotero_rdf,
)
from broadsheet.sources.files.drafts import SignalsOnly
from broadsheet.sources.files.encodings import decoded
from broadsheet.sources.files.opening import head, lines, opened, whole
from broadsheet.sources.files.recognising import HEAD, recognise

Found = Iterator[Arrival | SignalsOnly | Skipped]
Parse = Callable[[bytes, str, datetime], Found]

_WHOLE: dict[str, Parse] = {
    "arxiv-atom": lambda content, path, now: arxiv_atom.parse(content, path),
    "oai": lambda content, path, now: oai.parse(content, path),
    "feed": feed.parse,
    "pubmed-xml": lambda content, path, now: pubmed_xml.parse(content, path),
    "nbib": lambda content, path, now: nbib.parse(decoded(content), path),
    "bibtex": lambda content, path, now: bibtex.parse(decoded(content), path),
    "ris": lambda content, path, now: ris.parse(decoded(content), path),
    "enw": lambda content, path, now: enw.parse(decoded(content), path),
    "endnote-xml": lambda content, path, now: endnote_xml.parse(content, path),
    "csl-json": lambda content, path, now: json_documents.parse_csl(content, path),
    "zotero-rdf": lambda content, path, now: zotero_rdf.parse(content, path),
    "daily-page": lambda content, path, now: daily_page.parse(decoded(content), path),
}
_FOUND_ONLY: dict[str, Parse] = {
    "json": json_documents.parse,
    "crossref-xml": lambda content, path, now: crossref.parse_xml(content, path),
    "isi": lambda content, path, now: isi.parse(decoded(content), path),
}
_REFUSED = {"html": "an HTML page; save the list as BibTeX, RIS or JSON instead"}
FORMATS = ("jsonl", *_WHOLE)


def read(path: Path, format: str | None = None, *, now: datetime) -> Found:
    """Everything in a file, or in a folder and its folders in sorted order, as it is read.

    ``format`` is one of :data:`FORMATS`; without it each file's content tells. Whatever cannot be read
    comes as Skipped with its path, line and reason; nothing is raised but UsageError for a format that
    does not exist. ``now`` is the instant at which announcements in the files were seen.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"{format!r} is no format of papers.", f"Give one of {', '.join(FORMATS)}.")
    return _read(path, format, now)


def _read(path: Path, name: str | None, now: datetime) -> Found:
    try:
        if path.is_dir():
            for inside in sorted(path.iterdir()):
                if not inside.name.startswith(".") and not (inside.is_symlink() and inside.is_dir()):
                    yield from _read(inside, name, now)
        elif path.is_file():
            yield from _read_file(path, name, now)
        else:
            why = "neither a file nor a folder" if path.exists() else "no such file"
            yield Skipped(str(path), None, why)
    except OSError as fault:
        yield Skipped(str(path), None, f"cannot be read: {fault.strerror or fault}")


def _read_file(path: Path, name: str | None, now: datetime) -> Found:
    shown = str(path)
    with opened(path) as stream:
        beginning = head(stream, HEAD)
    recognised = recognise(beginning)
    chosen = name or recognised
    if chosen == "jsonl":
        with opened(path) as stream:
            yield from jsonl.parse(lines(stream, shown), shown, now)
        return
    parse = (_WHOLE | _FOUND_ONLY).get(chosen or "")
    if parse is None:
        unknown = "of no known format" if beginning else "an empty file"
        yield Skipped(shown, None, _REFUSED.get(chosen or "", unknown))
        return
    with opened(path) as stream:
        content = whole(stream, shown)
    if isinstance(content, Skipped):
        yield content
        return
    found = False
    for one in parse(content, shown, now):
        found = True
        yield one
    if not found:
        yield Skipped(shown, 1, _nothing(chosen, recognised))


def _nothing(chosen: str | None, recognised: str | None) -> str:
    if recognised is not None and recognised != chosen:
        return f"holds nothing in the format {chosen}; it looks like {recognised}"
    return f"a file in the format {chosen} without any paper"
