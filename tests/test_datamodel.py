"""docs/datamodel.md tells the types, tables and errors as they are in the code."""

import re
from dataclasses import fields, is_dataclass
from inspect import getmembers, isclass
from pathlib import Path

from broadsheet import errors, papers, readers
from broadsheet.library.tables import metadata

TEXT = (Path(__file__).resolve().parent.parent / "docs" / "datamodel.md").read_text()


def table(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    section = TEXT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_type_stands_there_with_all_its_fields():
    told = {quoted(name)[0]: quoted(named) for name, named in table("Types")}
    true = {
        name: [field.name for field in fields(cls)]
        for module in (papers, readers)
        for name, cls in getmembers(module, isclass)
        if is_dataclass(cls) and cls.__module__ == module.__name__
    }
    assert told == true


def test_every_table_stands_there():
    told = [quoted(name)[0] for name, _ in table("Tables of the library")]
    assert sorted(told) == sorted(metadata.tables)


def test_every_error_stands_there_with_its_codes():
    told = {
        quoted(name)[0]: (quoted(code)[0], int(exit_code), int(status))
        for name, code, exit_code, status, _ in table("Errors")
    }
    true = {
        name: (cls.code, cls.exit_code, cls.http_status)
        for name, cls in getmembers(errors, isclass)
        if issubclass(cls, errors.BroadsheetError)
    }
    assert told == true
