"""``follow``, ``block`` and ``reader``: who reads, what they follow, what they never want to see."""

from pathlib import Path

import click
import orjson

from broadsheet.api import readers
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import home_option, json_option, reader_option
from broadsheet.errors import UsageError
from broadsheet.readers import FollowingKind


def _command(name: str, wanted: bool, meaning: str) -> click.Command:
    @click.command(name, help=meaning)
    @click.option("--category", "categories", multiple=True, help="A category or archive: cs.LG, astro-ph.")
    @click.option("--author", "authors", multiple=True, help="An author's name.")
    @click.option("--word", "words", multiple=True, help="A word or phrase.")
    @reader_option
    @click.option("--remove", is_flag=True, help="Take these away again.")
    @home_option
    @json_option
    def command(
        categories: tuple[str, ...],
        authors: tuple[str, ...],
        words: tuple[str, ...],
        reader_name: str,
        remove: bool,
        home: Path | None,
        as_json: bool,
    ) -> None:
        values: dict[FollowingKind, tuple[str, ...]] = {
            "category": categories,
            "author": authors,
            "word": words,
        }
        with open_home(home) as opened:
            document = readers.follow(opened, values, reader_name, wanted=wanted, remove=remove)
        if as_json:
            printing.print_json(document)
            return
        for entry in document["following"]:
            verb = "follows" if entry["wanted"] else "blocks"
            click.echo(f"{reader_name} {verb} {entry['kind']} {printing.plain(entry['value'])}")
        if not document["following"]:
            click.echo(f"{reader_name} follows everything and blocks nothing.")

    return command


follow_command = _command("follow", True, "Follow categories, authors and words; without any, list them.")
block_command = _command("block", False, "Never show categories, authors and words; without any, list them.")


@click.group("reader")
def reader_command() -> None:
    """Readers of this home: add, list, topics, export, forget."""


@reader_command.command("add")
@click.argument("name")
@click.option("--email")
@click.option("--timezone", default="UTC", show_default=True, help="An IANA name such as Europe/Berlin.")
@home_option
@json_option
def add_command(name: str, email: str | None, timezone: str, home: Path | None, as_json: bool) -> None:
    """Make a reader."""
    with open_home(home) as opened:
        document = readers.add(opened, name, email, timezone)
    if as_json:
        printing.print_json(document)
    else:
        click.echo(f"Added the reader {document['reader']['name']}.")


@reader_command.command("list")
@home_option
@json_option
def list_command(home: Path | None, as_json: bool) -> None:
    """All readers."""
    with open_home(home) as opened:
        document = readers.all_readers(opened)
    if as_json:
        printing.print_json(document)
        return
    for reader in document["readers"]:
        click.echo(f"{reader['name']}  {reader['timezone']}  {reader['email'] or ''}".rstrip())


@reader_command.command("topics")
@click.argument("name")
@click.option("--add", "add_name", metavar="TOPIC", help="Make a topic of this name.")
@click.option("--query", default="", help="What the new topic looks for.")
@click.option("--seed", "seeds", multiple=True, metavar="ID", help="A paper on it (may be repeated).")
@click.option("--remove", "remove_name", metavar="TOPIC", help="Remove the topic of this name.")
@home_option
@json_option
def topics_command(
    name: str,
    add_name: str | None,
    query: str,
    seeds: tuple[str, ...],
    remove_name: str | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """A reader's standing interests."""
    if add_name is None and (query or seeds):
        raise UsageError("--query and --seed belong to a new topic.", "Name it with --add TOPIC.")
    with open_home(home) as opened:
        if add_name is not None:
            readers.add_topic(opened, name, add_name, query, seeds)
        if remove_name is not None:
            readers.remove_topic(opened, name, remove_name)
        document = readers.topics(opened, name)
    if as_json:
        printing.print_json(document)
        return
    for topic in document["topics"]:
        click.echo(
            f"{printing.plain(topic['name'])}: {printing.plain(topic['query'])} {' '.join(topic['seeds'])}"
        )
    if not document["topics"]:
        click.echo(f"{name} has no topic.")


@reader_command.command("export")
@click.argument("name")
@home_option
@json_option
def export_command(name: str, home: Path | None, as_json: bool) -> None:
    """Everything that is kept of a reader, as one JSON document."""
    with open_home(home) as opened:
        document = readers.export(opened, name)
    if as_json:
        printing.print_json(document)
    else:
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())


@reader_command.command("forget")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Really erase; this cannot be undone.")
@home_option
@json_option
def forget_command(name: str, yes: bool, home: Path | None, as_json: bool) -> None:
    """Erase everything that is kept of a reader."""
    if not yes:
        raise UsageError(
            f"This erases everything that is kept of {name}.", "Say --yes; 'reader export' keeps a copy."
        )
    with open_home(home) as opened:
        document = readers.forget(opened, name)
    if as_json:
        printing.print_json(document)
    else:
        gone = document["forgotten"]
        told = ", ".join(f"{count} {what}" for what, count in gone.items())
        click.echo(f"Forgotten: {told}.")
