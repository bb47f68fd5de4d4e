"""``encoder``: what turns texts into vectors."""

from pathlib import Path

import click

from broadsheet.api import encoders
from broadsheet.api.encoders import EncodersDocument
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import home_option, json_option


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
@home_option
@json_option
def add_command(name: str, folder: Path | None, home: Path | None, as_json: bool) -> None:
    """Obtain an encoder's weights, verify, convert and keep them; the first one comes into use."""
    with open_home(home) as opened:
        if not as_json:
            click.echo(f"Obtaining and converting {name} (some 80 MB, once)…", err=True)
        document = encoders.add(opened, name, folder)
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
@home_option
@json_option
def use_command(name: str, home: Path | None, as_json: bool) -> None:
    """Take this encoder for search and ranking from now on."""
    with open_home(home) as opened:
        document = encoders.use(opened, name)
    _print(document, as_json)
