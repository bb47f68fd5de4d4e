"""``save``, ``like``, ``dismiss`` and ``open``: what a reader does with a paper."""

from pathlib import Path

import click

from broadsheet.api import interactions
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import home_option, json_option, reader_option
from broadsheet.readers import InteractionKind


def _command(name: str, kind: InteractionKind, meaning: str) -> click.Command:
    @click.command(name, help=meaning)
    @click.argument("ids", nargs=-1, required=True, metavar="ID...")
    @reader_option
    @click.option("--undo", is_flag=True, help="Take it back.")
    @home_option
    @json_option
    def command(ids: tuple[str, ...], reader_name: str, undo: bool, home: Path | None, as_json: bool) -> None:
        with open_home(home) as opened:
            document = interactions.record(opened, kind, ids, reader_name, undo=undo, surface="terminal")
        if as_json:
            printing.print_json(document)
            return
        for address in document["addresses"]:
            click.echo(address)
        for recorded in document["recorded"]:
            verb = f"{kind} taken back" if undo else kind
            click.echo(f"{verb}: {recorded['id']}", err=kind == "opened")
        if undo and not document["recorded"]:
            click.echo(f"Nothing to take back: not {kind}.")

    return command


save_command = _command("save", "saved", "Keep papers in your library.")
like_command = _command("like", "liked", "Say that papers are to your taste.")
dismiss_command = _command("dismiss", "dismissed", "Say that papers are not for you.")
open_command = _command("open", "opened", "Print where papers are read, and record that you opened them.")
