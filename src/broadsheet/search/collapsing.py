"""One work, one place: records of the same work in a list stand at the best place that any of them has."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import Connection

from broadsheet.library import papers as library
from broadsheet.library.likeness import family, title_key
from broadsheet.papers import Paper
from broadsheet.search.words import Keys

_SPARE = 20


@dataclass(frozen=True, slots=True)
class Placed:
    """A paper of a list, the row it came from, and the ids of other records of the same work."""

    row: int
    paper: Paper
    also: list[str] = field(default_factory=list)


def distinct(
    connection: Connection, keys: Keys, limit: int, allowed: Callable[[int, Paper], bool]
) -> list[Placed]:
    """The first ``limit`` works of a list that are held and ``allowed`` (told row and paper), in order.

    One work are twins (a preprint and its published version) and papers of one title and first author.
    """
    works = _Works()
    end = 0
    while len(works.placed) < limit and end < len(keys):
        begin, end = end, end + limit + _SPARE
        portion = keys[begin:end].tolist()
        papers = library.load(connection, portion)
        works.link(library.twins_among(connection, keys[:end].tolist()))
        for row, key in enumerate(portion, begin):
            if (paper := papers.get(key)) and allowed(row, paper):
                works.take(row, key, paper, is_full=len(works.placed) >= limit)
    return list(works.placed.values())


class _Works:
    """The works placed so far, by the key of the record that stands for each."""

    def __init__(self) -> None:
        self.placed: dict[int, Placed] = {}
        self._standing: dict[int, int] = {}
        self._by_title: dict[tuple[int, str], int] = {}
        self._twins: dict[int, set[int]] = {}

    def link(self, pairs: list[tuple[int, int]]) -> None:
        for one, other in pairs:
            self._twins.setdefault(one, set()).add(other)
            self._twins.setdefault(other, set()).add(one)

    def take(self, row: int, key: int, paper: Paper, is_full: bool) -> None:
        name = _name(paper)
        standing = {self._standing[twin] for twin in self._twins.get(key, ()) if twin in self._standing}
        if name is not None and name in self._by_title:
            standing.add(self._by_title[name])
        if standing:
            place = min(standing, key=lambda known: self.placed[known].row)
            self.placed[place].also.append(paper.id)
        elif is_full:
            return
        else:
            place = key
            self.placed[key] = Placed(row, paper)
        self._standing[key] = place
        if name is not None:
            self._by_title.setdefault(name, place)


def _name(paper: Paper) -> tuple[int, str] | None:
    """What papers of one title and first author share; None where that says too little."""
    key = title_key(paper.title) if paper.authors else None
    first = family(paper.authors[0]) if paper.authors else ""
    return (key, first) if key is not None and first else None
