"""The stages of a search: what both parts retrieve, exact scores of all candidates, their fusion.

Nothing here knows the library; the measuring of retrieval runs through the same functions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tantivy import Query as Match

from broadsheet.search import matching, mixed
from broadsheet.search.fusion import CANDIDATES, Shares, fuse, leaders, supported, with_phrase
from broadsheet.search.mixed import Meaning
from broadsheet.search.narrowing import Restriction, Search
from broadsheet.search.vectors import Vector
from broadsheet.search.words import Keys, Words

# Measured on scifact's train split: of the papers that answer a claim 92 in 100 reach it, of all others
# 2 in 100 (docs/decisions/0013-fusion.md).
MEANING_THRESHOLD = 0.35


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: words to score, a unit vector where an encoder took part, and a phrase whose
    holders rank above all others."""

    match: Match
    vector: Vector | None = None
    phrase: Match | None = None


def wanted(words: Words, text: str, vector: Vector | None) -> Wanted:
    """What a query's free text asks for."""
    return Wanted(matching.scored(words.schema, text), vector, matching.whole_phrase(words.schema, text))


@dataclass(frozen=True, slots=True)
class Candidates:
    """The union of what each part retrieves first, and how many papers match a word or reach the
    meaning threshold in all."""

    keys: Keys
    total: int


def candidates(
    words: Words, vectors: Meaning | None, wanted: Wanted, restriction: Restriction, count: int = CANDIDATES
) -> Candidates:
    """Retrieve ``count`` papers by each part, and as many that hold the phrase."""
    required = restriction.matches(words)
    match = matching.restricted(wanted.match, required, restriction.excluded)
    found, _ = words.top(match, count)
    if wanted.phrase is not None:
        holding = matching.restricted(wanted.phrase, required, restriction.excluded)
        found = np.union1d(found, words.top(holding, count)[0])
    matched = words.count(match)
    if vectors is None or wanted.vector is None:
        return Candidates(np.sort(found), matched)
    search = Search(wanted.vector, count, MEANING_THRESHOLD)
    near = mixed.nearest(words, vectors, search, restriction)
    some = matching.with_keys(words.schema, near.some)
    # Of those that reach the threshold, as large a share matches no word as of some of them.
    alone = 1 - words.count(matching.restricted(match, [some], ())) / max(1, len(near.some))
    return Candidates(np.union1d(found, near.keys), matched + round(near.reaching * alone))


def word_scores(words: Words, match: Match, keys: Keys) -> NDArray[np.float64]:
    """The exact words score of each of these keys; 0 where no word matches."""
    if not len(keys):
        return np.zeros(0)
    members = matching.with_keys(words.schema, keys)
    found, scores = words.top(matching.restricted(match, [members], ()), len(keys))
    held = dict(zip(found.tolist(), scores.tolist(), strict=True))
    return np.array([held.get(key, 0.0) for key in keys.tolist()])


def meaning_scores(vectors: Meaning | None, wanted: Wanted, keys: Keys) -> NDArray[np.float64] | None:
    """The cosine of each of these keys, NaN without a vector; None where meaning takes no part."""
    if vectors is None or wanted.vector is None:
        return None
    return vectors.scores(wanted.vector, keys)


def ranked(
    words: Words,
    vectors: Meaning | None,
    wanted: Wanted,
    keys: Keys,
    threshold: float = MEANING_THRESHOLD,
) -> Shares:
    """Order candidates by both parts' exact scores and the support that the best lend each other.

    Those that match no word and whose meaning lies below the threshold fall out.
    """
    by_words = word_scores(words, wanted.match, keys)
    by_meaning = meaning_scores(vectors, wanted, keys)
    relevant = by_words > 0
    if by_meaning is not None:
        relevant |= np.nan_to_num(by_meaning, nan=-1.0) >= threshold
    found = fuse(keys, by_words, by_meaning)
    if vectors is not None and by_meaning is not None:
        found = supported(found, vectors.rows(found.keys[leaders(found)])[0])
    if wanted.phrase is not None:
        found = with_phrase(found, _holding(words, wanted.phrase, keys))
    return found.taken(np.flatnonzero(np.isin(found.keys, keys[relevant])))


def _holding(words: Words, phrase: Match, keys: Keys) -> Keys:
    return words.keys(matching.restricted(phrase, [matching.with_keys(words.schema, keys)], ()))
