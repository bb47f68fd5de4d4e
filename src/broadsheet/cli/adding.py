"""``add`` and ``index``: taking files in and making what is held findable."""

from pathlib import Path

import click

from broadsheet.api import adding
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import home_option, json_option


@click.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--format", "file_format", type=click.Choice(adding.FILE_FORMATS), help="When it cannot be told."
)
@click.option("--reader", "reader_name", help="Take the papers in as this reader's library.")
@home_option
@json_option
def add_command(
    paths: tuple[Path, ...],
    file_format: str | None,
    reader_name: str | None,
    home: Path | None,
    as_json: bool,
) -> int:
    """Take in files and folders of papers: BibTeX, RIS, Zotero, PubMed, arXiv, JSON lines and more."""
    with open_home(home) as opened, printing.progress("reading") as show:
        document = adding.add(opened, paths, file_format, reader_name, show)
    if as_json:
        printing.print_json(document)
    else:
        told = ", ".join(f"{document[key]:,} {key}" for key in ("new", "changed", "merged", "unchanged"))
        click.echo(f"read {document['read']:,} records: {told}, {len(document['skipped']):,} skipped")
        for line in adding.skipped_lines(document):
            click.echo(printing.plain(line), err=True)
        printing.notices(document["notices"])
    return adding.add_exit_code(document)


@click.command("index")
@click.option("--encoder", "encoder_name", help="Make vectors with this encoder instead of the one in use.")
@click.option("--rebuild", is_flag=True, help="Throw the index away and make it again from the library.")
@home_option
@json_option
def index_command(encoder_name: str | None, rebuild: bool, home: Path | None, as_json: bool) -> None:
    """Bring the search index up to date and make every missing vector."""
    with open_home(home) as opened, printing.progress("vectors") as show:
        document = adding.index(opened, encoder_name, rebuild, show)
    if as_json:
        printing.print_json(document)
        return
    click.echo(
        f"{document['papers']:,} papers, {document['vectors']:,} vectors, {document['pending']:,} pending, "
        f"{document['segments']} segments, {document['bytes'] / 1e6:,.1f} MB, {document['seconds']:.1f} s"
    )
    printing.notices(document["notices"])
