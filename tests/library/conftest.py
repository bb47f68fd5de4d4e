"""A library in a temporary folder; made once and copied, since making one takes a while."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from making import NOW

from broadsheet.library.database import Library


@pytest.fixture(scope="session")
def empty_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a library without papers."""
    file = tmp_path_factory.mktemp("empty") / "library.sqlite3"
    Library.open(file, NOW).close()
    return file


@pytest.fixture
def library(empty_library: Path, tmp_path: Path) -> Iterator[Library]:
    """An empty library in a real SQLite file."""
    shutil.copy(empty_library, tmp_path / "library.sqlite3")
    opened = Library.open(tmp_path / "library.sqlite3", NOW)
    yield opened
    opened.close()
