"""Filters inside the vector part: which rows a restriction leaves, found by the cheapest of three ways.

Days are slices of the rows. What is listed is found by the words index: tantivy hands out each paper as
an object of its own, half a microsecond a paper, so lists that are not short are kept for the next search.
What leaves or shuts out too many papers to list is asked of the nearest papers only, of as many more as
its share says, until enough of them pass.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray
from tantivy import Query as Match

from broadsheet.search import matching
from broadsheet.search.vectors import Among, Nearest, Vector, Vectors
from broadsheet.search.words import Keys, Words

# Above this a list takes too long to make, even once for many searches.
_LISTED = 1_000_000
_KEPT_FROM = 2_000
_KEPT_ROWS = 20_000_000
_SPARE = 1.5
# The words and vectors as they were opened, and the match in tantivy's own words.
_Name = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Restriction:
    """Which papers may be found: all of ``required``, none of ``excluded``, in these days, in ``within``."""

    required: tuple[Match, ...] = ()
    excluded: tuple[Match, ...] = ()
    since: date | None = None
    until: date | None = None
    within: Keys | None = None

    def allows(self, day: date | None) -> bool:
        """Whether a paper of this day is among those asked for."""
        if self.since is None and self.until is None:
            return True
        return day is not None and (self.since or day) <= day <= (self.until or day)

    def matches(self, words: Words) -> list[Match]:
        """What is required, days and keys included, as the words index understands it."""
        required = list(self.required)
        if self.since or self.until:
            until = min(self.until or words.last_day, words.last_day)
            required.append(matching.in_days(words.schema, self.since, until))
        if self.within is not None:
            required.append(matching.with_keys(words.schema, self.within))
        return required


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked of the vectors: the ``count`` papers nearest to a unit vector, and how many papers
    reach a cosine."""

    vector: Vector
    count: int
    threshold: float


def nearest(
    words: Words, vectors: Vectors, search: Search, restriction: Restriction, most_listed: int = _LISTED
) -> Nearest:
    """The papers nearest to a vector among those that a restriction leaves."""
    required, banned = None, None
    if restriction.required:
        required = matching.restricted(matching.all_of(restriction.required), (), restriction.excluded)
    elif restriction.excluded:
        banned = matching.any_of(restriction.excluded)
    named, out = (
        None if match is None else _listed(words, vectors, match, most_listed) for match in (required, banned)
    )
    if (required is not None and named is None) or (banned is not None and out is None):
        return _by_asking(words, vectors, search, restriction)
    if restriction.within is not None:
        own = vectors.rows_of(restriction.within)
        named = own if named is None else np.intersect1d(own, named)
    among = Among(named, out, restriction.since, restriction.until)
    return vectors.nearest(search.vector, among, search.count, search.threshold)


def _by_asking(words: Words, vectors: Vectors, search: Search, restriction: Restriction) -> Nearest:
    """The nearest papers in these days, as many as it takes until enough of them pass the rest."""
    fields = words.schema
    passing = matching.restricted(matching.all_there_is(), restriction.matches(words), restriction.excluded)
    in_days = Among(since=restriction.since, until=restriction.until)
    days = Restriction(since=restriction.since, until=restriction.until).matches(words)
    held = words.count(days[0]) if days else len(words)
    share = words.count(passing) / max(1, held)
    asked = search.count
    while True:
        asked = int(asked * _SPARE / min(1.0, max(share, 0.01)))
        found = vectors.nearest(search.vector, in_days, asked, search.threshold)
        kept = words.keys(matching.restricted(passing, [matching.with_keys(fields, found.keys)], ()))
        if len(kept) >= search.count or len(found.keys) < asked:
            break
    here = np.flatnonzero(np.isin(found.keys, kept))[: search.count]
    some = words.keys(matching.restricted(passing, [matching.with_keys(fields, found.some)], ()))
    reaching = round(found.reaching * len(some) / max(1, len(found.some)))
    return Nearest(found.keys[here], found.scores[here], reaching, some)


class _Lists:
    """Rows that matches led to, the last used ones, up to a sum of rows; None for too many to list."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[_Name, NDArray[np.int32] | None] = OrderedDict()

    def get(self, name: _Name) -> NDArray[np.int32] | None:
        """Raises KeyError where nothing is kept."""
        with self._lock:
            self._held.move_to_end(name)
            return self._held[name]

    def put(self, name: _Name, rows: NDArray[np.int32] | None) -> None:
        with self._lock:
            self._held[name] = rows
            while sum(_KEPT_FROM if kept is None else len(kept) for kept in self._held.values()) > _KEPT_ROWS:
                self._held.popitem(last=False)


_lists = _Lists()


def _listed(words: Words, vectors: Vectors, match: Match, most: int) -> NDArray[np.int64] | None:
    """The rows of all papers that match, in order; None where they are too many to list."""
    name = (words.number, vectors.number, repr(match))
    try:
        held = _lists.get(name)
    except KeyError:
        pass
    else:
        return None if held is None else held.astype(np.int64)
    matching_all = words.count(match)
    rows = vectors.rows_of(words.keys(match)) if matching_all <= most else None
    if matching_all >= _KEPT_FROM:
        _lists.put(name, None if rows is None else rows.astype(np.int32))
    return rows
