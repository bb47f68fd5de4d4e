"""The made-up arXiv and an empty library for the harvest's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fake_sources.routes import Sources
from tests.fake_sources.world import World

from broadsheet.library.database import Library


@pytest.fixture(scope="session")
def world() -> World:
    """Ten announcement days with 400 papers; only read."""
    return World(seed=5, days=10, papers=400)


@pytest.fixture
def sources(world: World) -> Sources:
    return Sources(world, world.first_moment)


@pytest.fixture
def library(tmp_path: Path, world: World) -> Iterator[Library]:
    opened = Library.open(tmp_path / "library.sqlite3", world.first_moment)
    yield opened
    opened.close()
