"""A library in a folder of its own, and a shorthand for putting papers into it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from broadsheet.library.arrivals import store
from broadsheet.library.database import Library
from broadsheet.papers import Announcement, Arrival, Paper
from broadsheet.search.finding import Found, SearchRequest, find
from broadsheet.search.index import update_words

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


@pytest.fixture
def search_among(
    library: Library, take_in: Callable[..., list[int]], tmp_path: Path
) -> Callable[..., Callable[..., Found]]:
    """Take papers in, index their words, and give a search of them by words alone."""

    def ready(*papers: Paper) -> Callable[..., Found]:
        take_in(*papers)
        with library.read() as connection:
            update_words(connection, tmp_path / "index")

        def run(query: str, **options: object) -> Found:
            with library.read() as connection:
                return find(connection, tmp_path / "index", None, SearchRequest(query, **options))

        return run

    return ready
