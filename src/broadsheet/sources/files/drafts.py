"""From what a file says of a record to the paper: cleaning, identifiers, links, all in one place."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from broadsheet.errors import InvalidIdentifier
from broadsheet.papers import Announcement, Arrival, Author, Links, Paper, Signal, Skipped, file_id, parse_id
from broadsheet.sources.text import clean, clean_bibtex, code_link, is_withdrawn, original

logger = logging.getLogger(__name__)

UNTITLED = "(untitled)"
_TITLE_LENGTH = 120
_LONGEST_TEXT = 200_000
_MOST_AUTHORS = 20_000
_STRENGTH = {"arxiv": 0, "doi": 1, "pmid": 2, "openreview": 3, "file": 4}
_SENTENCE_END = re.compile(r"[.!?](?=[\s\"'”’)])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|al|vs|cf|Fig|Figs|Eq|Eqs|Dr|Mr|Ms|St|No|resp|approx|ca)|\b[A-Z])\Z"
)
_ADDRESS = re.compile(r"https?://[^\s<>\"{}]{3,2000}\Z", re.IGNORECASE)


@dataclass(slots=True)
class Draft:
    """What one record says, as it was typed; :func:`arrival` makes the paper of it.

    ``identifiers`` are in any form, the strongest names the paper and what is no identifier is left
    out; ``is_bibtex`` says that braces in the texts are BibTeX's.
    """

    title: str = ""
    abstract: str = ""
    authors: Sequence[Author] = ()
    identifiers: list[str] = field(default_factory=list)
    doi: str = ""
    submitted: datetime | None = None
    updated: datetime | None = None
    announced: date | None = None
    categories: Sequence[str] = ()
    version: int | None = None
    comment: str = ""
    journal_ref: str = ""
    address: str = ""
    pdf: str = ""
    code: str = ""
    project: str = ""
    source: str = "file"
    withdrawn: bool = False
    is_bibtex: bool = False
    kept: date | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class SignalsOnly:
    """Counts for a paper that the file itself does not hold: only a paper already known can take them."""

    paper_id: str
    signals: tuple[Signal, ...]
    line: int | None = None


def arrival(draft: Draft, path: str) -> Arrival | Skipped:
    """The paper that a draft tells of, or why there is none; announcements and signals come later."""
    if len(draft.title) + len(draft.abstract) > _LONGEST_TEXT or len(draft.authors) > _MOST_AUTHORS:
        return Skipped(path, draft.line, "longer than any paper's title, abstract or list of authors")
    cleaned = clean_bibtex if draft.is_bibtex else clean
    abstract = cleaned(draft.abstract)
    title = cleaned(draft.title) or first_sentence(abstract)
    scheme, others, version = _names(draft)
    if not title and not scheme:
        return Skipped(path, draft.line, "has neither a title, an abstract nor an identifier")
    title = title or UNTITLED
    if not draft.title and scheme:
        logger.warning("%s, line %s: no title; %r stands in its place", path, draft.line or "?", title)
    paper_id = scheme or file_id(title, abstract)
    doi, others = _journal_doi(paper_id, draft.doi, others)
    comment = cleaned(draft.comment)
    paper = Paper(
        paper_id,
        title,
        abstract,
        tuple(draft.authors),
        draft.submitted,
        draft.updated,
        draft.announced,
        tuple(draft.categories),
        draft.version or version or 1,
        draft.withdrawn or is_withdrawn(comment, abstract),
        comment or None,
        cleaned(draft.journal_ref) or None,
        doi,
        others,
        _links(draft),
        draft.source,
        original(draft.title, title) if draft.title else None,
        original(draft.abstract, abstract),
    )
    return Arrival(paper, (), (), draft.kept, draft.line)


def told(arrived: Arrival, announcements: Sequence[Announcement], signals: Sequence[Signal]) -> Arrival:
    """The same arrival with what was said beside the paper."""
    if not announcements and not signals:
        return arrived
    return Arrival(arrived.paper, tuple(announcements), tuple(signals), arrived.kept, arrived.line)


def _names(draft: Draft) -> tuple[str | None, tuple[str, ...], int | None]:
    """As :func:`identifiers_of`; the DOI names the paper only where nothing as strong does."""
    named = identifiers_of(draft.identifiers)
    if draft.doi and (named[0] is None or not named[0].startswith(("arxiv:", "doi:"))):
        return identifiers_of([_doi(draft.doi) or "", *draft.identifiers])
    return named


def cited(arrived: Arrival | Skipped, count: float | None, now: datetime) -> Arrival | Skipped:
    """The same with its citations as counted at ``now``, where there is a count."""
    if isinstance(arrived, Skipped) or count is None:
        return arrived
    return told(arrived, (), [Signal(arrived.paper.id, "citations", count, now)])


def identifiers_of(texts: Sequence[str]) -> tuple[str | None, tuple[str, ...], int | None]:
    """The strongest identifier among texts in any form, the others in order, and a version it named."""
    if len(texts) == 1:
        found = _parsed(texts[0])
        return (found[0], (), found[1]) if found else (None, (), None)
    parsed = dict(filter(None, map(_parsed, reversed(texts))))
    ordered = sorted(reversed(parsed), key=lambda one: _STRENGTH[one.partition(":")[0]])
    if not ordered:
        return None, (), None
    return ordered[0], tuple(ordered[1:]), parsed[ordered[0]]


def first_sentence(text: str) -> str:
    """The first sentence of a text without its full stop, cut at 120 characters."""
    for found in _SENTENCE_END.finditer(text[: _TITLE_LENGTH + 2]):
        if not _ABBREVIATED.search(text[: found.start()]):
            end = found.start() if found[0] == "." else found.end()
            return text[: min(end, _TITLE_LENGTH)].rstrip()
    return text[:_TITLE_LENGTH].rstrip().removesuffix(".")


def address(text: str) -> str | None:
    """An http or https address, or None for anything else."""
    text = text.strip()
    return text if text and _ADDRESS.match(text) else None


def _parsed(text: str) -> tuple[str, int | None] | None:
    if not text:
        return None
    try:
        return parse_id(text)
    except InvalidIdentifier:
        return None


def _journal_doi(paper_id: str, text: str, others: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The DOI that the record states, else the paper's own.

    That of a preprint may be its published twin's, so an arXiv paper has no DOI among its identifiers.
    """
    stated = _doi(text) if text else None
    dois = [one for one in (stated, paper_id, *others) if one and one.startswith("doi:")]
    if paper_id.startswith("arxiv:"):
        others = tuple(one for one in others if not one.startswith("doi:"))
    return dois[0].removeprefix("doi:") if dois else None, others


def _doi(text: str) -> str | None:
    found = _parsed(text if text.lower().startswith(("doi:", "http")) else f"doi:{text}")
    return found[0] if found else None


def _links(draft: Draft) -> Links:
    code = code_link(draft.code) or address(draft.code) if draft.code else None
    code = code or code_link(draft.comment) or code_link(draft.abstract)
    if not (code or draft.address or draft.pdf or draft.project):
        return _NO_LINKS
    return Links(address(draft.address), address(draft.pdf), code, address(draft.project))


_NO_LINKS = Links()
