"""``encoder``: what turns texts into vectors."""

from pathlib import Path

import click

from broadsheet.api import encoders
from broadsheet.api.encoders import EncodersDocument, MapDocument, Origin
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import home_option, json_option
from broadsheet.search.conversion.converting import Prefixes


def _print(document: EncodersDocument, as_json: bool) -> None:
    if as_json:
        printing.print_json(document)
        return
    for encoder in document["encoders"]:
        mark = "in use" if encoder["in_use"] else ""
        told = f"{encoder['name']}  {encoder['dimension']} numbers  {encoder['vectors']:,} vectors  {mark}"
        click.echo(told.rstrip())
    if not document["encoders"]:
        click.echo("No encoder yet: search goes by words alone. 'broadsheet encoder add minilm' adds one.")


@click.group("encoder")
def encoder_command() -> None:
    """Encoders: obtained once, run here, no network afterwards."""


@encoder_command.command("add")
@click.argument("name")
@click.option(
    "--from", "folder", type=click.Path(path_type=Path), metavar="DIR", help="A folder with its files."
)
@click.option("--hub", metavar="OWNER/NAME", help="A repository with its files, perhaps with @REVISION.")
@click.option("--query-prefix", metavar="TEXT", help="Stands before each query; else as its files say.")
@click.option("--passage-prefix", metavar="TEXT", help="Stands before each paper; else as its files say.")
@home_option
@json_option
def add_command(
    name: str,
    folder: Path | None,
    hub: str | None,
    query_prefix: str | None,
    passage_prefix: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Obtain an encoder's weights, verify, convert and keep them; the first one comes into use."""
    with open_home(home) as opened:
        if not as_json:
            click.echo(f"Obtaining and converting {name}…", err=True)
        origin = Origin(folder, hub, Prefixes(query_prefix, passage_prefix))
        document = encoders.add(opened, name, origin)
    _print(document, as_json)


@encoder_command.command("list")
@home_option
@json_option
def list_command(home: Path | None, as_json: bool) -> None:
    """The encoders of this home."""
    with open_home(home) as opened:
        document = encoders.all_encoders(opened)
    _print(document, as_json)


@encoder_command.command("use")
@click.argument("name")
@click.option("--anyway", is_flag=True, help="Without old vectors: by words alone until new ones are made.")
@home_option
@json_option
def use_command(name: str, anyway: bool, home: Path | None, as_json: bool) -> None:
    """Take this encoder from now on; old vectors stand beside new ones until all are made, if they do."""
    with open_home(home) as opened, printing.progress(f"vectors of {name}") as show:
        document = encoders.use(opened, name, anyway=anyway, progress=show)
    _print(document, as_json)
    if document["map"] and not as_json:
        _print_map(name, document["map"])


def _print_map(name: str, measured: MapDocument) -> None:
    old, aside = measured["old"], measured["kept_aside"]
    click.echo(
        f"Until all vectors of {name} are made ('broadsheet index'), those of {old} stand beside them.\n"
        f"Titles of {aside} papers kept aside find their papers at a mean reciprocal rank of\n"
        f"  {measured['found_by_new']:.3f} by {name} alone\n"
        f"  {measured['found_by_old']:.3f} with half of them by {old}\n"
        f"  {measured['found_by_map']:.3f} with half of them mapped\n"
        f"The map keeps {measured['neighbours']:.1%} of the ten nearest papers; mean cosine "
        f"{measured['cosine']:.3f}, from {measured['pairs']:,} papers with both vectors."
    )


@encoder_command.command("remove")
@click.argument("name")
@home_option
@json_option
def remove_command(name: str, home: Path | None, as_json: bool) -> None:
    """Take an encoder away with all its vectors: one that is not in use and no longer needed."""
    with open_home(home) as opened:
        document = encoders.remove(opened, name)
    _print(document, as_json)
