"""Reading files and folders of papers: what ``broadsheet add`` takes in."""

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from broadsheet.errors import UsageError
from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import daily_page, jsonl
from broadsheet.sources.files.drafts import SignalsOnly
from broadsheet.sources.files.opening import decoded, head, lines, opened, whole
from broadsheet.sources.files.recognising import HEAD, recognise

Found = Iterator[Arrival | SignalsOnly | Skipped]
Parse = Callable[[bytes, str, datetime], Found]

_WHOLE: dict[str, Parse] = {
    "daily-page": lambda content, path, now: daily_page.parse(decoded(content), path),
}
_REFUSED = {
    "html": "an HTML page; save the list as BibTeX, RIS or JSON instead",
    "isi": "tagged format of the Web of Science; export it as RIS or BibTeX instead",
}
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
    if name is None:
        with opened(path) as stream:
            name = recognise(head(stream, HEAD))
    if name is None or (name != "jsonl" and name not in _WHOLE):
        yield Skipped(shown, None, _REFUSED.get(name or "", "of no known format"))
        return
    with opened(path) as stream:
        if name == "jsonl":
            yield from jsonl.parse(lines(stream, shown), shown, now)
            return
        content = whole(stream, shown)
    if isinstance(content, Skipped):
        yield content
    else:
        yield from _WHOLE[name](content, shown, now)
