"""``harvest`` and ``daily``: taking in what was announced and making the day."""

from datetime import date
from pathlib import Path

import click

from broadsheet.api import days
from broadsheet.api.home import Home, open_home
from broadsheet.cli import printing
from broadsheet.cli.asking import ask_what_to_follow
from broadsheet.cli.options import Day, check_order, home_option, json_option


@click.command("harvest")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--since", type=Day(), help="The first announcement day.")
@click.option("--until", type=Day(), help="The last announcement day.")
@click.option("--category", "categories", multiple=True, help="Only this category (may be repeated).")
@home_option
@json_option
def harvest_command(
    sources: tuple[str, ...],
    since: date | None,
    until: date | None,
    categories: tuple[str, ...],
    home: Path | None,
    as_json: bool,
) -> int:
    """Take in what was announced; without arguments, what is followed, from the last day seen."""
    check_order(since, until)
    with open_home(home) as opened, printing.progress("harvest") as show:
        if not as_json and not categories:
            _ask_on_the_first_run(opened)
        document = days.harvest(opened, days.Asked(sources, since, until, categories), show)
    if as_json:
        printing.print_json(document)
    else:
        for source in document["sources"]:
            printing.counts(source["days"])
        printing.notices(document["notices"])
    return days.harvest_exit_code(document)


@click.command("daily")
@click.option("--day", type=Day(), help="Make the digests of this day instead of the newest.")
@home_option
@json_option
def daily_command(day: date | None, home: Path | None, as_json: bool) -> int:
    """Harvest, add, index and make each reader's digest: once, whatever is run twice."""
    with open_home(home) as opened, printing.progress("daily") as show:
        if not as_json:
            _ask_on_the_first_run(opened)
        document = days.daily(opened, day, show)
    if as_json:
        printing.print_json(document)
    else:
        for source in document["sources"]:
            printing.counts(source["days"])
        for digest in document["digests"]:
            click.echo(f"digest of {document['day']} for {digest['reader']}: {digest['papers']} papers")
        printing.notices(document["notices"])
    return days.harvest_exit_code(document)


def _ask_on_the_first_run(home: Home) -> None:
    if days.follows_nothing(home):
        ask_what_to_follow(home)
