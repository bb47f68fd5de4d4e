"""A library in a folder of its own, and a shorthand for putting papers into it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from broadsheet.library.arrivals import store
from broadsheet.library.database import Library
from broadsheet.papers import Announcement, Arrival, Paper

NOW = datetime(2031, 1, 20, 12, tzinfo=UTC)


def _arrival(paper: Paper) -> Arrival:
    if paper.announced is None:
        return Arrival(paper)
    category = paper.categories[0] if paper.categories else "none"
    return Arrival(paper, (Announcement(paper.id, "arxiv", category, paper.announced, "new", 1, NOW),))


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library.open(tmp_path / "library.sqlite3", NOW)
    yield opened
    opened.close()


@pytest.fixture
def take_in(library: Library) -> Callable[..., list[int]]:
    """Store papers and give their keys."""

    def put(*papers: Paper) -> list[int]:
        with library.write() as connection:
            return [stored.key for stored in store(connection, [_arrival(p) for p in papers], NOW)]

    return put
