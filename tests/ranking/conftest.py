"""A library in a temporary folder and a place for its derived state."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from made_papers import NOW

from broadsheet.library.database import Library
from broadsheet.ranking.ranking import Index


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library.open(tmp_path / "library.sqlite3", NOW)
    yield opened
    opened.close()


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "index", None)
