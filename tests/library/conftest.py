"""A library in a temporary folder, and papers to put into it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from making import NOW

from broadsheet.library.database import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """An empty library in a real SQLite file."""
    opened = Library.open(tmp_path / "library.sqlite3", NOW)
    yield opened
    opened.close()
