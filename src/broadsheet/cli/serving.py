"""``start`` and ``serve``: papers taken in and the pages shown, until it is stopped."""

from pathlib import Path

import click

from broadsheet.api import days, start
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.asking import ask_what_to_follow, can_ask
from broadsheet.cli.options import home_option
from broadsheet.scheduler import Scheduler
from broadsheet.web.serving import listening, serve

_PORT = click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True)


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@_PORT
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True)
@home_option
def serve_command(host: str, port: int, workers: int, home: Path | None) -> None:
    """Serve the pages on this machine and make each day as it comes."""
    with open_home(home) as opened, Scheduler(opened):
        serve(opened, host, port, workers)


@click.command("start")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@_PORT
@click.option("--no-serve", is_flag=True, help="Take papers in and stop there.")
@home_option
def start_command(paths: tuple[Path, ...], port: int, no_serve: bool, home: Path | None) -> int:
    """The first morning in one command: obtain the encoder, take papers in, show today's page.

    With PATHS it uses your own files. Without, it harvests what you follow, and shows the packaged
    sample when no source can be reached.
    """
    if not no_serve:
        # A port that is taken is told at once, not after all has been taken in.
        listening("127.0.0.1", port).close()
    with open_home(home) as opened:
        if not paths and days.follows_nothing(opened) and can_ask():
            ask_what_to_follow(opened)
        with printing.progress("papers") as show:
            exit_code = start.take_in(opened, paths, show, _say)
        if not no_serve:
            with Scheduler(opened):
                serve(opened, "127.0.0.1", port, 1)
    return exit_code


def _say(line: str) -> None:
    click.echo(printing.plain(line), err=True)
