"""From arXiv's fields as sent to a Paper as kept: one place for all four routes."""

import re

from broadsheet.papers import Arrival, Author, Paper
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.text import clean_name

_GIVEN_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|Ph\.?D|M\.?D)\.?\Z", re.IGNORECASE)
_COLLABORATION = re.compile(r"(collaborations?|consortium|team|group)\s*:", re.IGNORECASE)


def paper_of(paper_id: str, draft: Draft) -> Paper | None:
    """The paper that arXiv's fields tell of, cleaned and with its addresses; None for one beyond all size.

    Of several DOIs the first counts.
    """
    bare = paper_id.removeprefix("arxiv:")
    draft.identifiers = [paper_id]
    draft.address, draft.pdf = f"https://arxiv.org/abs/{bare}", f"https://arxiv.org/pdf/{bare}"
    draft.doi = next(iter(draft.doi.split()), "")
    draft.source = "arxiv"
    made = arrival(draft, paper_id)
    return made.paper if isinstance(made, Arrival) else None


def split_authors(text: str) -> tuple[Author, ...]:
    """The names in arXiv's author line, in order: commas and "and" between them, affiliations in
    parentheses left out, a suffix such as Jr. kept with its name.

    >>> [author.name for author in split_authors("A. Nord (Oslo, NO), B. Sued, Jr., and C. Ost")]
    ['A. Nord', 'B. Sued Jr.', 'C. Ost']
    """
    flat = _COLLABORATION.sub(r"\1,", _outside_parentheses(text))
    names: list[str] = []
    for piece in re.split(r",|;|\s+and\s+|\s+&\s+", f" {flat} "):
        cleaned = clean_name(piece.strip().removeprefix("and "))
        if names and _GIVEN_SUFFIX.match(cleaned):
            names[-1] = f"{names[-1]} {cleaned}"
        elif cleaned:
            names.append(cleaned)
    return tuple(Author(given) for given in names)


def _outside_parentheses(text: str) -> str:
    depth, kept = 0, []
    for character in text:
        depth += character == "("
        if depth == 0:
            kept.append(character)
        elif character == ")":
            depth -= 1
    return "".join(kept)
