"""What the terminal shows: documents as JSON, lists of papers and sentences for people.

Paper text is hostile: nothing in it may steer the terminal.
"""

import shutil
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic

import click
import orjson

from broadsheet.api.documents import CountDocument, ResultDocument

_QUIET_SECONDS = 2.0
_CONTROLS = {code: None for code in (*range(32), *range(127, 160))}


def plain(text: str) -> str:
    """Text with everything that could steer a terminal taken out."""
    return text.translate(_CONTROLS)


def print_json(document: Mapping[str, object]) -> None:
    click.echo(orjson.dumps(document).decode())


def notices(texts: Iterable[str]) -> None:
    for text in texts:
        click.echo(f"note: {plain(text)}", err=True)


def results(found: Sequence[ResultDocument], marks: Mapping[str, str] | None = None) -> None:
    """Papers, best first: title, who and where, why."""
    width = min(shutil.get_terminal_size((100, 24)).columns, 110)
    for entry in found:
        _one_result(entry, width, (marks or {}).get(entry["id"], ""))


def _one_result(entry: ResultDocument, width: int, mark: str) -> None:
    head = f"{entry['rank']:>3}. "
    title = plain(entry["title"]) + (" [withdrawn]" if entry["withdrawn"] else "")
    click.secho(textwrap.fill(title, width, initial_indent=head, subsequent_indent=" " * 5), bold=True)
    authors = ", ".join(map(plain, entry["authors"][:4])) + (" et al." if len(entry["authors"]) > 4 else "")
    where = " · ".join(
        filter(None, [entry["id"], " ".join(entry["categories"][:3]), entry["announced"], mark])
    )
    if authors:
        click.echo(textwrap.indent(authors, " " * 5))
    click.echo(f"     {plain(where)}")
    if entry["also"]:
        click.echo(f"     also as {plain(', '.join(entry['also']))}")
    # Adding nothing turns the zero below zero into a plain one.
    why = "; ".join(f"{plain(r['text'])} {round(r['share'], 2) + 0.0:+.2f}" for r in entry["reasons"])
    if why:
        click.secho(textwrap.fill(why, width, initial_indent=" " * 5, subsequent_indent=" " * 5), dim=True)


def counts(rows: Sequence[CountDocument]) -> None:
    """How complete each day is; what came by files alone is summed up in a line a day."""
    from_files: Counter[str] = Counter()
    for row in rows:
        if row["state"] == "unknown" and row["announced"] is None:
            from_files[row["day"]] += row["held"]["total"]
        else:
            click.echo(f"{row['day']}  {row['source']} {plain(row['category'])}: {plain(row['text'])}")
    for day, held in from_files.items():
        click.echo(f"{day}  {held:,} held of which nobody said how many were announced")


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Give a function that is told how far the work is; it draws on a terminal after two seconds."""
    began = monotonic()
    drawn = False

    def show(done: int, total: int | None = None) -> None:
        nonlocal drawn
        if not sys.stderr.isatty() or monotonic() - began < _QUIET_SECONDS:
            return
        drawn = True
        click.echo("\r" + _bar(what, done, total) + "\x1b[K", err=True, nl=False)

    try:
        yield show
    finally:
        if drawn:
            click.echo(err=True)


def _bar(what: str, done: int, total: int | None) -> str:
    if not total:
        return f"{what}: {done:,}"
    filled = min(30, 30 * done // total)
    return f"{what} [{'#' * filled}{'.' * (30 - filled)}] {done:,} of {total:,}"
