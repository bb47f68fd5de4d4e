"""Options that many commands share."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import click

from broadsheet.errors import UsageError

Command = Callable[..., Any]


def home_option(command: Command) -> Command:
    """``--home DIR``: where settings, library and index lie."""
    option = click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        help="The home folder (or BROADSHEET_HOME; default: the platform's data folder).",
    )
    return option(command)


def json_option(command: Command) -> Command:
    """``--json``: one document on standard output."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def reader_option(command: Command) -> Command:
    """``--reader NAME``, ``me`` when not given."""
    return click.option("--reader", "reader_name", default="me", show_default=True, help="Whose.")(command)


class Day(click.ParamType[date]):
    """A calendar day, written YYYY-MM-DD."""

    name = "YYYY-MM-DD"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> date:
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(str(value))
        except ValueError:
            self.fail(f"{value!r} is no day; write it as 2026-06-30.", param, ctx)


def check_order(since: date | None, until: date | None) -> None:
    """Raise UsageError when a range ends before it begins."""
    if since and until and until < since:
        raise UsageError(f"--until {until} is before --since {since}.", "Swap the two days.")


def legible(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Text as typed, with what is no UTF-8 in it replaced: it is searched for and printed again."""
    return value.encode("utf-8", "replace").decode("utf-8")
