"""Suggestions as one types: how the text may go on, from what titles and authors are called here."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection

from broadsheet.errors import UsageError
from broadsheet.library import papers as library
from broadsheet.search import matching
from broadsheet.search.opening import terms_at, words_at, words_made
from broadsheet.search.terms import Completion, Kind, Terms
from broadsheet.search.text import glued, spaced

MOST_SUGGESTIONS = 50
_AUTHOR = re.compile(r'(?P<head>(?:.*\s)?-?(?:author|au):)"?(?P<name>[^"]*)\Z', re.IGNORECASE | re.DOTALL)
_LONGEST = 300
_MOST_TITLES = 3
_SHORTEST_TITLE = 8
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A whole query that goes on from what was typed; ``papers`` is about how many papers have the term."""

    text: str
    kind: Literal["word", "phrase", "author", "title"]
    papers: int


def is_ready(directory: Path) -> bool:
    """Whether terms were gathered for this index."""
    return terms_at(directory) is not None


def suggest(connection: Connection, directory: Path, text: str, limit: int = 10) -> list[Suggestion]:
    """How a query may go on: words, phrases and authors by how many papers have them, then whole titles.

    Empty where nothing begins so, or nothing is indexed yet. Raises UsageError for a limit outside
    1..50 and IndexBroken where the index must be made again.
    """
    if not 1 <= limit <= MOST_SUGGESTIONS:
        raise UsageError(f"The limit must lie between 1 and {MOST_SUGGESTIONS}, not {limit}.")
    text = text.lstrip()
    terms = terms_at(directory)
    if terms is None or len(text) > _LONGEST or not spaced(text):
        return []
    if asked := _AUTHOR.fullmatch(text):
        found = [
            Suggestion(f'{asked["head"]}"{author.shown}"', "author", author.papers)
            for author in _authors(terms, asked["name"], limit)
        ]
    else:
        titles = _titles(connection, directory, text)
        found = [*_continued(terms, text, limit)[: max(1, limit - len(titles))], *titles]
    typed = spaced(text)
    return [one for one in dict.fromkeys(found) if spaced(one.text) != typed or one.kind == "author"][:limit]


def _continued(terms: Terms, text: str, limit: int) -> list[Suggestion]:
    """The last words of the text as the beginning of a term: two to four of them together, else the last."""
    head, quote, tail = _split_at_quote(text)
    chunks = tail.split()
    end = " " if tail[-1:].isspace() else ""
    found: list[Suggestion] = []
    for count in range(min(_MOST_WORDS, len(chunks)), 0, -1):
        if count == 1 and found:
            break
        before = "".join(f"{chunk} " for chunk in chunks[: len(chunks) - count])
        typed = " ".join(chunks[len(chunks) - count :]) + end
        found += [
            Suggestion(f"{head}{before}{c.shown}{quote}", c.kind, c.papers)
            for c in _completions(terms, typed, limit)
        ]
    found.sort(key=lambda one: -one.papers)
    names = _authors(terms, tail, limit) if not head and _may_be_a_name(chunks) else []
    names = names[: max(limit - len(found), -(-limit // 3))]
    return [*found[: limit - len(names)], *(Suggestion(c.shown, "author", c.papers) for c in names)]


def _may_be_a_name(chunks: list[str]) -> bool:
    """One or two words, or an initial between two."""
    return len(chunks) <= 2 or (len(chunks) == 3 and len(spaced(chunks[1])) == 1)


def _split_at_quote(text: str) -> tuple[str, str, str]:
    """Text before a phrase that is still open, its closing mark, and the phrase."""
    if text.count('"') % 2:
        head, _, tail = text.rpartition('"')
        return f'{head}"', '"', tail
    return "", "", text


def _completions(terms: Terms, typed: str, limit: int) -> list[Completion]:
    kinds: tuple[Kind, ...] = ("word", "phrase")
    return [found for kind in kinds for found in terms.completions(_prefix(typed), kind, limit)]


def _authors(terms: Terms, typed: str, limit: int) -> list[Completion]:
    """Authors whose name begins so, family name first or as printed, or whose two parts do."""
    prefix = _prefix(typed)
    found = terms.completions(prefix, "author", limit)
    given, _, family = prefix.strip().rpartition(" ")
    if given and len(found) < limit:
        found += terms.completions(family, "author", limit, holding=given.split()[0])
    return list({name.shown: name for name in found}.values())[:limit]


def _prefix(typed: str) -> str:
    """Folded text; a space at its end stays, since the word before it is whole."""
    folded = spaced(typed)
    return f"{folded} " if folded and typed[-1:].isspace() else folded


def _titles(connection: Connection, directory: Path, text: str) -> list[Suggestion]:
    """Whole titles that begin with the text, once it is long enough to mean one."""
    begun = glued(text)
    if len(begun) < _SHORTEST_TITLE or len(text.split()) < 2 or not words_made(directory):
        return []
    words = words_at(directory)
    keys, _ = words.top(matching.title_beginning(words.schema, begun), _MOST_TITLES)
    papers = library.load(connection, keys.tolist())
    return [Suggestion(paper.title, "title", 1) for paper in papers.values()]
