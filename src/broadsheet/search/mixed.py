"""New vectors where they are made, and old ones where they are not yet: one space to search."""

import copy
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import IndexBroken
from broadsheet.search import narrowing
from broadsheet.search.manifests import Manifest
from broadsheet.search.mapping import Map, learn_again
from broadsheet.search.narrowing import Restriction, Search
from broadsheet.search.vectors import Nearest, Vector, Vectors, cosines
from broadsheet.search.words import Keys, Words

# The map's lengths are left out of a scan and put right in what it finds, and a few papers have a new vector
# by now, so some more is taken.
_SPARE = 200


class Mixed:
    """The vectors of the encoder in use, and those of the one before it for papers without a new one.

    Old vectors are taken to the new space by a map, unless the old encoder's own vector of the query was
    given: then their cosines with that are brought to the scale of the new ones. Raises IndexBroken where
    the map was learned on other vectors than these: they are not comparable.
    """

    def __init__(self, new: Vectors, rest: Vectors, learned: Map) -> None:
        """``rest`` are the old vectors but for those of papers that had a new one a while ago."""
        ends = learned.ends
        if (ends.old_model, ends.new_model) != (rest.manifest.model, new.manifest.model):
            raise IndexBroken(
                f"The map from {ends.old} to {ends.new} was learned on other vectors than are there.",
                learn_again(ends.new),
            )
        self._new = new
        self._old = rest
        self._map = learned
        self._asked: Vector | None = None

    def asking(self, query: Vector) -> Self:
        """The same for one query, whose unit vector by the old encoder this is."""
        asked = copy.copy(self)
        asked._asked = query
        return asked

    def __len__(self) -> int:
        return len(self._new) + len(self._old)

    @property
    def manifest(self) -> Manifest:
        """That of the new vectors."""
        return self._new.manifest

    @property
    def mapped(self) -> int:
        """How many papers stand here by their old vector."""
        return len(self._old)

    @property
    def old_encoder(self) -> str:
        return self._map.ends.old

    def rows(self, keys: Keys) -> tuple[Vector, NDArray[np.bool_]]:
        """As of :class:`Vectors`, mapped ones included."""
        vectors, there = self._new.rows(keys)
        missing = np.flatnonzero(~there)
        old, held = self._old.rows(keys[missing])
        vectors[missing[held]] = self._map.forward(old[held])
        there[missing[held]] = True
        return vectors, there

    def mean(self) -> Vector:
        """The mean (d,) of all vectors, that of mapped ones by the map of their mean."""
        old = self._old.mean() @ self._map.matrix / self._map.length
        shares = np.array([len(self._new), len(self._old)]) / max(1, len(self))
        return np.asarray(shares[0] * self._new.mean() + shares[1] * old, np.float32)

    def scores(self, query: Vector, keys: Keys) -> NDArray[np.float64]:
        """The cosine of a unit query with each key's vector; NaN where there is none."""
        scores = self._new.scores(query, keys)
        missing = np.flatnonzero(np.isnan(scores))
        old, held = self._old.rows(keys[missing])
        scores[missing[held]] = self._old_scores(query, old[held])
        return scores

    def _old_scores(self, query: Vector, old: Vector) -> NDArray[np.float64]:
        if self._asked is None:
            return cosines(self._map.forward(old), query)
        return self._map.shift + self._map.factor * cosines(old, self._asked)

    def nearest(self, search: Search, ask: Callable[[Vectors, Search], Nearest]) -> Nearest:
        """The nearest of new and old vectors together, each asked in its own space.

        Without the old encoder's vector of the query, the query is taken back to the old vectors, which
        are scanned as they are, and what is found is scored by the map.
        """
        new = ask(self._new, search)
        asked, enough = self._asked, (search.threshold - self._map.shift) / self._map.factor
        if asked is None:
            asked, scale = self._map.back(search.vector)
            enough = search.threshold / scale
        old = ask(self._old, Search(asked, search.count + _SPARE, enough))
        only_old = old.keys[~self._new.dated(old.keys)[0]]
        keys = np.append(new.keys, only_old)
        old_scores = self._old_scores(search.vector, self._old.rows(only_old)[0])
        scores = np.append(new.scores, old_scores)
        order = np.lexsort((keys, -scores))[: search.count]
        return Nearest(keys[order], scores[order], new.reaching + old.reaching, _some((new, old)))


Meaning = Vectors | Mixed


def nearest(words: Words, vectors: Meaning, search: Search, restriction: Restriction) -> Nearest:
    """The papers nearest to a vector among those that a restriction leaves, by whatever vectors there are."""
    if isinstance(vectors, Vectors):
        return narrowing.nearest(words, vectors, search, restriction)
    return vectors.nearest(search, lambda part, asked: narrowing.nearest(words, part, asked, restriction))


def _some(found: Sequence[Nearest]) -> Keys:
    """Keys of what reaches the threshold, of each part as large a share as of the other."""
    share = min((len(near.some) / near.reaching for near in found if near.reaching), default=0.0)
    parts = []
    for near in found:
        wanted = round(share * near.reaching)
        parts.append(near.some[np.linspace(0, len(near.some) - 1, wanted).astype(np.int64)])
    return np.concatenate(parts)
