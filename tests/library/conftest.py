"""Libraries in SQLite files and in a real PostgreSQL: made once and copied, since making takes a while."""

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import postgres
import pytest
from making import NOW

from broadsheet.library.database import Library

BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
_numbers = count(1)


@pytest.fixture(scope="session")
def empty_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a library without papers."""
    file = tmp_path_factory.mktemp("empty") / "library.sqlite3"
    Library.open(file, NOW).close()
    return file


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Path]:
    """The folder of a running server whose database ``empty`` is a library without papers."""
    programs = postgres.binaries()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed")
    with postgres.running(programs) as folder:
        Library.open(postgres.make_database(folder, "empty"), NOW).close()
        yield folder


@pytest.fixture(params=BOTH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Makes empty libraries and tells where each one is."""
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres_server")
        return lambda: postgres.make_database(server, f"copy{next(_numbers)}", "empty")
    empty = request.getfixturevalue("empty_library")
    return lambda: str(shutil.copy(empty, tmp_path / f"library{next(_numbers)}.sqlite3"))


@pytest.fixture
def library(place: Callable[[], str]) -> Iterator[Library]:
    """An empty library, in each of the databases."""
    opened = Library.open(place(), NOW)
    yield opened
    opened.close()


@pytest.fixture
def library_file(empty_library: Path, tmp_path: Path) -> Path:
    """The SQLite file of an empty library."""
    return Path(shutil.copy(empty_library, tmp_path / "library.sqlite3"))
