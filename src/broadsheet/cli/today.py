"""``today``: the reader's page in the terminal."""

from datetime import date
from pathlib import Path

import click

from broadsheet.api import today
from broadsheet.api.home import open_home
from broadsheet.cli import printing
from broadsheet.cli.options import Day, home_option, json_option, reader_option


@click.command("today")
@reader_option
@click.option("--day", type=Day(), help="This announcement day instead of the newest one held.")
@click.option("--limit", type=click.IntRange(1, 1000), help="How many (default: the reader's list length).")
@click.option("--shown", is_flag=True, help="With --json: record that these were shown.")
@home_option
@json_option
def today_command(
    reader_name: str, day: date | None, limit: int | None, shown: bool, home: Path | None, as_json: bool
) -> None:
    """Your page: the papers of the day worth your time, and how complete the day is."""
    surface = "terminal" if not as_json else ("json" if shown else None)
    with open_home(home) as opened:
        document = today.today(opened, reader_name, day=day, limit=limit, shown_on=surface)
    if as_json:
        printing.print_json(document)
        return
    if document["day"] is None:
        for notice in document["notices"]:
            click.echo(notice)
        return
    click.secho(f"Broadsheet for {document['reader']}, {document['day']}", bold=True)
    printing.counts(document["counts"])
    if document["basis"] == "taste":
        click.echo("ranked by what you kept" + _age(document["model_age_days"]))
    printing.notices(document["notices"])
    marks = {entry["id"]: "to learn your taste" for entry in document["results"] if entry["exploring"]}
    printing.results(document["results"], marks)
    if not document["results"]:
        click.echo("Nothing new for you on this day.")


def _age(days: int | None) -> str:
    if days is None:
        return ""
    return " (model made today)" if days == 0 else f" (model {days} days old)"
