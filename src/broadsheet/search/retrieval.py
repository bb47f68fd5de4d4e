"""The stages of a search: what both parts retrieve, exact scores of all candidates, their fusion.

Nothing here knows the library; the measuring of retrieval runs through the same functions.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tantivy import Query as Match

from broadsheet.search import matching, mixed
from broadsheet.search.fusion import CANDIDATES, Shares, fuse, leaders, supported, with_phrase, with_title
from broadsheet.search.mixed import Meaning
from broadsheet.search.narrowing import Restriction, Search
from broadsheet.search.vectors import Nearest, Vector
from broadsheet.search.words import Keys, Scores, Words

# Measured on scifact's train split: of the papers that answer a claim 92 in 100 reach it, of all others
# 2 in 100 (docs/decisions/0013-fusion.md).
MEANING_THRESHOLD = 0.35
# A title that holds most of a query's words stands among the first by words.
_TITLED = 200
_NONE = np.empty(0, np.int64)
# Counting what matches among millions takes longer than finding the best of it. Reckoned from a sample of
# 256 of which so many match, their number has a standard error of 15 in 100; of 6 where half of it matches.
_RECKONED_FROM = 100_000
_ENOUGH = 40
_beside = ThreadPoolExecutor(thread_name_prefix="vectors")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: words to score, a unit vector where an encoder took part, a phrase whose holders
    rank above all others, and what scores titles by the part of the words that they hold."""

    match: Match
    vector: Vector | None = None
    phrase: Match | None = None
    title: Match | None = None


def wanted(words: Words, text: str, vector: Vector | None) -> Wanted:
    """What a query's free text asks for."""
    fields = words.schema
    return Wanted(
        matching.scored(fields, text),
        vector,
        matching.whole_phrase(fields, text),
        matching.title_words(fields, text),
    )


@dataclass(frozen=True, slots=True)
class Candidates:
    """The union of what each part retrieves first, with what is known of each of them.

    ``words`` are exact scores, 0 where no word matches; ``meaning`` are cosines, NaN without a vector,
    None where meaning takes no part; ``holding`` are keys that hold the phrase, ``titles`` the part of
    the words in a title, by key, of the best by words. ``total`` counts all papers that match a word or
    reach the meaning threshold, found or not.
    """

    keys: Keys
    words: Scores
    meaning: Scores | None
    holding: Keys
    titles: dict[int, float]
    total: int


def candidates(
    words: Words, vectors: Meaning | None, wanted: Wanted, restriction: Restriction, count: int = CANDIDATES
) -> Candidates:
    """Retrieve ``count`` papers by each part, and as many that hold the phrase.

    Both parts are asked at the same time: neither needs the interpreter while it searches.
    """
    nearest = None
    if vectors is not None and wanted.vector is not None:
        search = Search(wanted.vector, count, MEANING_THRESHOLD)
        nearest = _beside.submit(mixed.nearest, words, vectors, search, restriction)
    required = restriction.matches(words)
    found = _Scored(words, matching.restricted(wanted.match, required, restriction.excluded), count)
    holding = _NONE
    if wanted.phrase is not None:
        phrase = matching.restricted(wanted.phrase, required, restriction.excluded)
        holding = np.sort(words.top(phrase, count)[0])
    titles = _titles(words, wanted, found.keys[:_TITLED])
    near = nearest.result() if nearest else Nearest(_NONE, np.empty(0), 0, _NONE)
    keys = np.union1d(np.union1d(found.keys, holding), near.keys)
    found.look_up(np.concatenate([keys, near.some, near.sample]))
    # Of those that reach the threshold, as large a share matches no word as of some of them.
    alone = float(np.mean(found.of(near.some) <= 0)) if len(near.some) else 0.0
    if len(holding) == count:
        holding = _holding(words, phrase, keys)
    meaning = None
    if vectors is not None and wanted.vector is not None:
        meaning = _cosines(vectors, wanted.vector, keys, near)
    total = found.total(near, len(words) / max(1, len(vectors or ()))) + round(near.reaching * alone)
    return Candidates(keys, found.of(keys), meaning, holding, titles, total)


def of_pool(words: Words, vectors: Meaning | None, wanted: Wanted, keys: Keys) -> Candidates:
    """The same for papers that were chosen elsewhere, which are few."""
    holding = _NONE if wanted.phrase is None else _holding(words, wanted.phrase, keys)
    by_words = word_scores(words, wanted.match, keys)
    by_meaning = meaning_scores(vectors, wanted, keys)
    return Candidates(keys, by_words, by_meaning, holding, _titles(words, wanted, keys), len(keys))


class _Scored:
    """What the words index said of a match: its best papers, and papers that it was asked about."""

    def __init__(self, words: Words, match: Match, count: int) -> None:
        self._words, self._match = words, match
        self.keys, scores = words.top(match, count)
        self._complete = len(self.keys) < count
        self._known = dict(zip(self.keys.tolist(), scores.tolist(), strict=True))

    def total(self, near: Nearest, papers_a_vector: float) -> int:
        """How many papers match: counted, or reckoned from a sample of very many of which many match."""
        if self._complete:
            return len(self.keys)
        matching_ones = int(np.count_nonzero(self.of(near.sample) > 0))
        if near.asked >= _RECKONED_FROM and matching_ones >= _ENOUGH and papers_a_vector < 1.1:
            share = matching_ones / len(near.sample)
            return max(len(self.keys), round(share * near.asked * papers_a_vector))
        return self._words.count(self._match)

    def look_up(self, keys: Keys) -> None:
        """Learn the scores of further papers, by one question for all."""
        if self._complete:
            return
        self._known.update(_scored(self._words, self._match, np.setdiff1d(keys, self.keys)))

    def of(self, keys: Keys) -> Scores:
        """The scores of papers that are known; 0 where no word matches."""
        return np.array([self._known.get(key, 0.0) for key in keys.tolist()], np.float64)


def _cosines(vectors: Meaning, vector: Vector, keys: Keys, near: Nearest) -> Scores:
    cosines = np.full(len(keys), np.nan)
    cosines[np.searchsorted(keys, near.keys)] = near.scores
    unknown = np.flatnonzero(np.isnan(cosines))
    cosines[unknown] = vectors.scores(vector, keys[unknown])
    return cosines


def _holding(words: Words, phrase: Match, keys: Keys) -> Keys:
    return words.keys(matching.restricted(phrase, [matching.with_keys(words.schema, keys)], ()))


def _titles(words: Words, wanted: Wanted, keys: Keys) -> dict[int, float]:
    return {} if wanted.title is None else _scored(words, wanted.title, keys)


def word_scores(words: Words, match: Match, keys: Keys) -> NDArray[np.float64]:
    """The exact words score of each of these keys; 0 where no word matches."""
    held = _scored(words, match, keys)
    return np.array([held.get(key, 0.0) for key in keys.tolist()], np.float64)


def _scored(words: Words, match: Match, keys: Keys) -> dict[int, float]:
    """The scores of those of these papers that match, by one question for all."""
    if not len(keys):
        return {}
    members = matching.with_keys(words.schema, keys)
    found, scores = words.top(matching.restricted(match, [members], ()), len(keys))
    return dict(zip(found.tolist(), scores.tolist(), strict=True))


def meaning_scores(vectors: Meaning | None, wanted: Wanted, keys: Keys) -> NDArray[np.float64] | None:
    """The cosine of each of these keys, NaN without a vector; None where meaning takes no part."""
    if vectors is None or wanted.vector is None:
        return None
    return vectors.scores(wanted.vector, keys)


def ranked(vectors: Meaning | None, found: Candidates, threshold: float = MEANING_THRESHOLD) -> Shares:
    """Order candidates by both parts' exact scores and the support that the best lend each other.

    Those that match no word and whose meaning lies below the threshold fall out.
    """
    relevant = found.words > 0
    if found.meaning is not None:
        relevant |= np.nan_to_num(found.meaning, nan=-1.0) >= threshold
    shares = fuse(found.keys, found.words, found.meaning)
    if vectors is not None and found.meaning is not None:
        shares = supported(shares, vectors.rows(shares.keys[leaders(shares)])[0])
    if found.titles:
        shares = with_title(shares, found.titles)
    if len(found.holding):
        shares = with_phrase(shares, found.holding)
    return shares.taken(np.flatnonzero(np.isin(shares.keys, found.keys[relevant])))
