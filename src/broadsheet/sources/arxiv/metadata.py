"""From arXiv's fields as sent to a Paper as kept: one place for all four routes."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from broadsheet.papers import Author, Links, Paper
from broadsheet.sources.text import clean, clean_name, code_link, is_withdrawn, original

NO_TITLE = "(no title)"

_GIVEN_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|Ph\.?D|M\.?D)\.?\Z", re.IGNORECASE)
_COLLABORATION = re.compile(r"(collaborations?|consortium|team|group)\s*:", re.IGNORECASE)


def finished(paper: Paper) -> Paper:
    """A paper made from fields as sent, cleaned: text, placeholder title, withdrawal, code link.

    ``paper.title`` and the other texts are as arXiv sent them; ``doi`` may hold several, of which the
    first stays and the others become identifiers.
    """
    title, abstract = clean(paper.title), clean(paper.abstract)
    comment = clean(paper.comment or "") or None
    dois = (paper.doi or "").lower().replace("doi:", "").split()
    links = Links(abs=_address("abs", paper.id), pdf=_address("pdf", paper.id), code=paper.links.code)
    if links.code is None:
        links = replace(links, code=code_link(abstract) or code_link(comment))
    return replace(
        paper,
        title=title or NO_TITLE,
        abstract=abstract,
        comment=comment,
        journal_ref=clean(paper.journal_ref or "") or None,
        doi=dois[0] if dois else None,
        identifiers=(*paper.identifiers, *(f"doi:{doi}" for doi in dois[1:] if doi.startswith("10."))),
        links=links,
        withdrawn=paper.withdrawn or is_withdrawn(comment, abstract),
        original_title=original(paper.title, title) if title else None,
        original_abstract=original(paper.abstract, abstract),
    )


def _address(kind: str, paper_id: str) -> str:
    return f"https://arxiv.org/{kind}/{paper_id.removeprefix('arxiv:')}"


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


def instant(text: str) -> datetime | None:
    """An ISO date or instant in UTC; a day alone is its first moment. None for what is no date."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
