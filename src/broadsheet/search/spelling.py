"""Did you mean: words and authors of a query that no paper has, or next to none, and what is meant.

Near spellings come from the words of titles that begin alike, and from papers that the words index finds
within one or two changed letters: their own texts say how it is written. Of the nearest the most frequent
is offered. Nothing is corrected silently.
"""

import re
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection

from broadsheet.library import papers as library
from broadsheet.search import matching
from broadsheet.search.query import Query
from broadsheet.search.terms import Terms
from broadsheet.search.text import STOP_WORDS, is_unspaced, spaced, stems
from broadsheet.search.words import Words

Field = Literal["text", "authors"]

_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 12
_SHORTEST = 4
_LONG = 7
_PAPERS_READ = 40
_TERMS_READ = 4_000
# So few papers may have a word by mistake, where so many times more have another one near it.
_DOUBTFUL = 5
_FAR_MORE = 200


@dataclass(frozen=True, slots=True)
class Spelling:
    """A word as typed, how many papers have it, and a spelling near it that far more have, if any."""

    typed: str
    papers: int
    meant: str | None


@dataclass(frozen=True, slots=True)
class Spelt:
    """Words and names that hardly any paper has, and the whole query with those corrected that can be."""

    doubtful: tuple[Spelling, ...] = ()
    corrected: str | None = None

    def notices(self) -> list[str]:
        return [
            f"{_how_many(one.papers)} “{one.typed}”." + (f" Did you mean “{one.meant}”?" if one.meant else "")
            for one in self.doubtful
        ]


def _how_many(papers: int) -> str:
    if not papers:
        return "No paper has"
    return "Only one paper has" if papers == 1 else f"Only {papers} papers have"


@dataclass(frozen=True, slots=True)
class Held:
    """What is held, for looking up spellings."""

    connection: Connection
    words: Words
    terms: Terms | None


def spelt(held: Held, query: Query, author: str = "") -> Spelt:
    """What of a query hardly any paper has; ``author`` is a name asked for beside it.

    Long queries are texts that were pasted, and scripts without spaces have no words to misspell.
    """
    names = [clause.text for clause in query.required if clause.field == "author"]
    typed = [word for word in _words(query.words) if word.lower() not in STOP_WORDS]
    asked: list[tuple[str, Field]] = [(word, "text") for word in typed] if len(typed) <= _MOST_WORDS else []
    asked += [(part, "authors") for name in [*names, author] for part in _words(name)]
    looked_at = (_spelling(held, word, field) for word, field in dict.fromkeys(asked))
    doubtful = tuple(one for one in looked_at if one and (one.meant or not one.papers))
    corrected = query.text
    for one in doubtful:
        if one.meant:
            corrected = re.sub(rf"(?<![^\W_]){re.escape(one.typed)}(?![^\W_])", one.meant, corrected)
    return Spelt(doubtful, corrected if corrected != query.text else None)


def _words(text: str) -> list[str]:
    """The words as they stand in the text; not those of identifiers, TeX or unspaced scripts."""
    found = (word for chunk in text.split() if "\\" not in chunk for word in _WORD.findall(chunk))
    return [word for word in found if word.isalpha() and not is_unspaced(spaced(word)[:1])]


def _spelling(held: Held, word: str, field: Field) -> Spelling | None:
    """None for a word that is in use, or too short to tell."""
    papers = _papers(held.words, word, field)
    if len(word) < _SHORTEST or papers > _DOUBTFUL:
        return None
    least = max(1, papers * _FAR_MORE)
    meant = _nearest(held, word, field, least)
    if meant is None and field == "text":
        meant = _nearest(held, word, "authors", least)
    return Spelling(
        word, papers, meant.capitalize() if meant and meant.islower() and word.istitle() else meant
    )


def _papers(words: Words, word: str, field: Field) -> int:
    """How many papers have a word anywhere or, of an author's name, among their authors."""
    folded = spaced(word)
    by_name = words.papers_with("authors", folded)
    if field == "authors":
        return by_name
    return max([by_name, *(words.papers_with("text", stem) for stem in stems(folded)[:1])])


def _nearest(held: Held, word: str, field: Field, least: int) -> str | None:
    """The spelling with the fewest changed letters that so many papers have; of those the most frequent."""
    folded = spaced(word)
    stem = "".join(stems(folded))
    for most in (1, 2) if len(folded) >= _LONG else (1,):
        near = {}
        for spelling in _spellings(held, folded, field, most):
            other = spaced(spelling)
            if stem != "".join(stems(other)) and (changes := changed_letters(folded, other, most)) <= most:
                near[spelling] = changes
        known = [(near[s], -_papers(held.words, s, field), s) for s in sorted(near, key=near.__getitem__)]
        if meant := min((one for one in known if -one[1] >= least), default=None):
            return meant[2]
    return None


def _spellings(held: Held, folded: str, field: Field, most: int) -> set[str]:
    """Words that may be near: of titles and texts in small letters, of names as printed."""
    term = folded if field == "authors" else "".join(stems(folded))
    keys, _ = held.words.top(matching.nearly(held.words.schema, field, term, most), _PAPERS_READ)
    papers = library.load(held.connection, keys.tolist()).values()
    if field == "authors":
        return {part for paper in papers for author in paper.authors for part in _words(author.name)}
    found = {word.lower() for paper in papers for word in _words(f"{paper.title} {paper.abstract}")}
    alike = held.terms.completions(folded[:1], "word", _TERMS_READ) if held.terms else []
    letters = set(folded)
    for one in alike:
        is_as_long = abs(len(one.shown) - len(folded)) <= most
        if is_as_long and len(letters.symmetric_difference(one.shown)) <= 2 * most:
            found.add(one.shown)
    return {word for word in found if _WORD.fullmatch(word)}


def changed_letters(one: str, other: str, most: int) -> int:
    """How many letters to change, add, drop or swap with the next; anything above ``most`` counts alike.

    >>> changed_letters("difusoin", "diffusion", 2), changed_letters("kelp", "maps", 2)
    (2, 3)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
