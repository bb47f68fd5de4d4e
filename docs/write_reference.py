"""Write docs/cli.md and docs/settings.md from the program itself (``make docs``)."""

import sys
from pathlib import Path

import click

from broadsheet import config
from broadsheet.cli.main import broadsheet

FOLDER = Path(__file__).resolve().parent
_WIDTH = {"terminal_width": 92, "max_content_width": 92}

_CLI_HEAD = """# The command line

Every command takes `--home DIR` (or `BROADSHEET_HOME`) and, where it prints data, `--json`: one JSON
document on standard output, with progress and logs on standard error. Exit codes: 0 done, 1 failed,
2 wrong usage, 3 done in part (what is missing is named). `BROADSHEET_NOW` (RFC 3339) stands for the
clock. This page is made by `make docs` from the commands themselves.
"""

_SETTINGS_HEAD = """# Settings

One file, `broadsheet.toml`, in the home; each setting is also an environment variable, which wins.
Lists are written `["cs.LG", "stat.ML"]` in the file and may be written `cs.LG,stat.ML` in a variable.
This page is made by `make docs` from the settings themselves.

| setting | default | variable | what it does |
| --- | --- | --- | --- |
"""


def _commands(context: click.Context) -> list[click.Context]:
    command = context.command
    if not isinstance(command, click.Group):
        return [context]
    found = []
    for name in command.list_commands(context):
        child = command.get_command(context, name)
        assert child is not None, name
        found += _commands(click.Context(child, context, name, **_WIDTH))
    return found


def cli_page() -> str:
    """docs/cli.md: each command with what --help says."""
    # The settings of the root, such as its names for --help, hold for all commands below it.
    root = click.Context(broadsheet, None, "broadsheet", **_WIDTH, **broadsheet.context_settings)
    sections = [
        f"\n## `{context.command_path}`\n\n```\n{context.get_help()}\n```\n" for context in _commands(root)
    ]
    return _CLI_HEAD + "".join(sections)


def settings_page() -> str:
    """docs/settings.md: each setting with its default and its variable."""
    rows = []
    for setting in config.SETTINGS:
        shown = setting.default
        default = (
            "[]" if shown == () else str(shown).lower() if isinstance(shown, bool) else str(shown) or '""'
        )
        rows.append(f"| `{setting.path}` | `{default}` | `{setting.variable}` | {setting.meaning} |\n")
    return _SETTINGS_HEAD + "".join(rows)


PAGES = {"cli.md": cli_page, "settings.md": settings_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), "utf-8")
        sys.stdout.write(f"wrote docs/{name}\n")
