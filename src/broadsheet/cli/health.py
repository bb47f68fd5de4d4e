"""``check``: is everything all right, and what to do if not."""

from pathlib import Path

import click

from broadsheet.api import health
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import home_option, json_option


@click.command("check")
@home_option
@json_option
def check_command(home: Path | None, as_json: bool) -> int:
    """Look at the library, the index, the encoder, the sources and the disk; exit 1 if something is wrong."""
    with open_home(home) as opened:
        document = health.check(opened)
    if as_json:
        printing.print_json(document)
    else:
        for finding in document["findings"]:
            click.echo(f"{finding['severity']}: {finding['text']}")
            if finding["next_step"]:
                click.echo(f"  {finding['next_step']}")
        fine = "Nothing is wrong." if document["findings"] else "Everything is all right."
        click.echo(fine if document["ok"] else "Something needs you.")
    return 0 if document["ok"] else 1
