"""``search``, ``similar``, ``show`` and ``export``: finding papers and taking them out."""

from datetime import date
from pathlib import Path

import click

from broadsheet.api import papers
from broadsheet.api.documents import SearchDocument
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import Day, check_order, home_option, json_option, legible, reader_option
from broadsheet.search.finding import SearchRequest

_LIMIT = click.IntRange(1, 1000)


def _print_found(document: SearchDocument, as_json: bool) -> None:
    if as_json:
        printing.print_json(document)
        return
    printing.notices(document["notices"])
    if not document["results"]:
        click.echo("Nothing found. Fewer or other words, or a wider range of days, may help.")
        return
    click.echo(f"{len(document['results'])} of {document['total']:,}")
    printing.results(document["results"])


@click.command("search", context_settings={"ignore_unknown_options": True})
@click.argument("query", callback=legible)
@click.option("--limit", type=_LIMIT, default=20, show_default=True)
@click.option("--since", type=Day(), help="Announced on this day or later.")
@click.option("--until", type=Day(), help="Announced on this day or earlier.")
@click.option("--category", "categories", multiple=True, help="In this category (may be repeated).")
@click.option("--author", default="", help="By this author, in any form of the name.")
@reader_option
@click.option("--saved", is_flag=True, help="Only what the reader saved or liked.")
@home_option
@json_option
def search_command(
    query: str,
    limit: int,
    since: date | None,
    until: date | None,
    categories: tuple[str, ...],
    author: str,
    reader_name: str,
    saved: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Find papers by meaning and by words, best first."""
    check_order(since, until)
    request = SearchRequest(query, limit, since, until, categories, author)
    with open_home(home) as opened:
        document = papers.search(opened, request, reader_name=reader_name, saved=saved)
    _print_found(document, as_json)


@click.command("suggest")
@click.argument("text", callback=legible)
@click.option("--limit", type=click.IntRange(1, 50), default=10, show_default=True)
@home_option
@json_option
def suggest_command(text: str, limit: int, home: Path | None, as_json: bool) -> None:
    """How a query may go on: words, phrases, authors and titles that begin so."""
    with open_home(home) as opened:
        document = papers.suggest(opened, text, limit)
    if as_json:
        printing.print_json(document)
        return
    printing.notices(document["notices"])
    for suggestion in document["suggestions"]:
        click.echo(
            f"{suggestion['papers']:>7,}  {suggestion['kind']:<7}  {printing.plain(suggestion['text'])}"
        )


@click.command("similar")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--not", "away", multiple=True, metavar="ID", help="Away from this paper (may be repeated).")
@click.option("--limit", type=_LIMIT, default=20, show_default=True)
@home_option
@json_option
def similar_command(
    ids: tuple[str, ...], away: tuple[str, ...], limit: int, home: Path | None, as_json: bool
) -> None:
    """Papers near these and far from those."""
    with open_home(home) as opened:
        document = papers.similar(opened, ids, away, limit)
    _print_found(document, as_json)


@click.command("show")
@click.argument("paper_id", metavar="ID")
@home_option
@json_option
def show_command(paper_id: str, home: Path | None, as_json: bool) -> None:
    """One paper: its text, versions, announcements, signals and twins."""
    with open_home(home) as opened:
        document = papers.show(opened, paper_id)
    if as_json:
        printing.print_json(document)
        return
    paper = document["paper"]
    click.secho(printing.plain(paper["title"]), bold=True)
    click.echo(", ".join(printing.plain(author["name"]) for author in paper["authors"]))
    click.echo(f"{paper['id']} v{paper['version']} · {' '.join(paper['categories'])}")
    if paper["withdrawn"]:
        click.echo("withdrawn")
    click.echo(f"\n{printing.plain(paper['abstract'])}\n")
    for name, address in paper["links"].items():
        if address:
            click.echo(f"{name}: {printing.plain(str(address))}")
    for twin in document["twins"]:
        click.echo(f"twin: {twin['id']} {printing.plain(twin['title'])} ({twin['why']})")
    for announcement in document["announcements"]:
        click.echo(f"{announcement['day']} {announcement['kind']} in {announcement['category']}")


@click.command("export")
@click.option("--format", "form", type=click.Choice(papers.EXPORT_FORMS), default="bibtex", show_default=True)
@click.option("--saved", is_flag=True, help="What the reader saved or liked.")
@click.option("--query", help="What this query finds (at most 1,000).")
@reader_option
@home_option
@json_option
def export_command(
    form: str, saved: bool, query: str | None, reader_name: str, home: Path | None, as_json: bool
) -> None:
    """Papers out, on standard output: all, the saved ones or what a query finds.

    --json is short for --format csl-json, the form that is one JSON document.
    """
    with open_home(home) as opened:
        pieces = papers.export(
            opened, "csl-json" if as_json else form, saved=saved, query=query, reader_name=reader_name
        )
        for piece in pieces:
            click.echo(piece, nl=False)
