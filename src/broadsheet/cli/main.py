"""The command ``broadsheet``: which module holds which command, and the one place where errors become words.

A command's module is imported when that command runs, so that ``search`` and ``show`` start fast.
"""

import errno
import gc
import importlib
import logging
import os
import sys
from typing import NoReturn

import click
import orjson

from broadsheet.errors import BroadsheetError

_UNWRITABLE = {errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EPERM, errno.EDQUOT}

COMMANDS = {
    "start": "serving",
    "harvest": "days",
    "add": "adding",
    "index": "adding",
    "daily": "days",
    "search": "papers",
    "suggest": "papers",
    "similar": "papers",
    "show": "papers",
    "export": "papers",
    "today": "today",
    "save": "interactions",
    "like": "interactions",
    "dismiss": "interactions",
    "open": "interactions",
    "follow": "readers",
    "block": "readers",
    "reader": "readers",
    "encoder": "encoders",
    "serve": "serving",
    "check": "health",
    "evaluate": "evaluation",
    "completion": "completion",
}


class Commands(click.Group):
    """A group that knows its commands' names at once and loads each when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"broadsheet.cli.{COMMANDS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="broadsheet")
def broadsheet() -> None:
    """Your daily paper: everything that was announced, ranked for you, on your own machine."""


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    # Reading papers in bulk makes many small objects and no rings: looking for rings took half the time.
    gc.set_threshold(50_000, 20, 50)
    # It speaks of each broken entry without its place; our own readers name file and line.
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    arguments = sys.argv[1:]
    wants_json = "--json" in arguments
    try:
        result = broadsheet.main(args=arguments, prog_name="broadsheet", standalone_mode=False)
    except BroadsheetError as error:
        _fail(error.code, error.message, error.next_step, error.exit_code, wants_json)
    except click.Abort:
        _fail("interrupted", "Interrupted; what was stored is kept.", "Run it again to go on.", 1, wants_json)
    except click.ClickException as error:
        _fail("usage", error.format_message(), _usage_of(error), 2, wants_json)
    except BrokenPipeError:
        # The reader of our output went away (``| head``): nothing is wrong, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        message = f"{error.filename or 'A file'} cannot be written: {error.strerror}."
        _fail("unwritable", message, "Make room or give leave to write, then run it again.", 1, wants_json)
    sys.exit(result if isinstance(result, int) else 0)


def _usage_of(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "broadsheet"
    return f"See '{path} --help'."


def _fail(code: str, message: str, next_step: str, exit_code: int, wants_json: bool) -> NoReturn:
    if wants_json:
        document = {"error": {"code": code, "message": message, "next_step": next_step}}
        click.echo(orjson.dumps(document).decode())
    else:
        click.echo(f"broadsheet: {message}", err=True)
        if next_step:
            click.echo(f"  {next_step}", err=True)
    sys.exit(exit_code)
