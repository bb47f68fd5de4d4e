"""Papers and what is said of them: the records that every room speaks in, and how papers are named.

Instants are aware datetimes in UTC; an announcement day is a date in the source's own calendar.
This module imports nothing of ours but the errors.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal
from urllib.parse import quote, unquote

from broadsheet.errors import InvalidIdentifier

AnnouncementKind = Literal["new", "cross", "replace", "replace-cross", "featured"]
DayState = Literal["complete", "partial", "none_expected", "missing", "stale", "unknown"]
NoneReason = Literal["weekend", "holiday", "inferred"]


@dataclass(frozen=True, slots=True)
class Author:
    """A name as printed, with its parts where the source gave them."""

    name: str
    family: str | None = None
    given: str | None = None
    orcid: str | None = None
    affiliation: str | None = None


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of a paper, http or https only."""

    abs: str | None = None
    pdf: str | None = None
    code: str | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """One work in its newest known version.

    ``id`` is a normal form (:func:`normal_id`) and never carries a version. ``announced`` is the
    earliest day of an announcement of kind new. ``original_title`` and ``original_abstract`` hold
    the text as the source sent it where cleaning changed more than white space, else None.
    """

    id: str
    title: str
    abstract: str
    authors: tuple[Author, ...] = ()
    submitted: datetime | None = None
    updated: datetime | None = None
    announced: date | None = None
    categories: tuple[str, ...] = ()
    version: int = 1
    withdrawn: bool = False
    comment: str | None = None
    journal_ref: str | None = None
    doi: str | None = None
    identifiers: tuple[str, ...] = ()
    links: Links = field(default_factory=Links)
    source: str = "file"
    original_title: str | None = None
    original_abstract: str | None = None


@dataclass(frozen=True, slots=True)
class Announcement:
    """One paper's appearance in a source's batch for a category and day."""

    paper_id: str
    source: str
    category: str
    day: date
    kind: AnnouncementKind
    version: int | None
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Signal:
    """A count that others gave a paper (upvotes, stars, citations), as it stood at an instant."""

    paper_id: str
    name: str
    value: float
    observed_at: datetime


@dataclass(frozen=True, slots=True)
class Arrival:
    """A paper as one source told it, with all that was said beside it.

    ``kept`` is the day on which the owner of an imported library took the paper in, where the file
    says so; ``line`` is the 1-based line of the file it stood on.
    """

    paper: Paper
    announcements: tuple[Announcement, ...] = ()
    signals: tuple[Signal, ...] = ()
    kept: date | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that was refused: where it stood and why."""

    path: str
    line: int | None
    why: str


@dataclass(frozen=True, slots=True)
class KindCounts:
    """How many papers of each kind; ``replace_cross`` is None where a source tells only the sum."""

    new: int
    cross: int
    replace: int
    replace_cross: int | None

    @property
    def total(self) -> int:
        return self.new + self.cross + self.replace + (self.replace_cross or 0)


@dataclass(frozen=True, slots=True)
class AnnouncementCount:
    """What a source announced for a category and day, what is held of it, and how that stands.

    ``pending`` are identifiers known to be announced and not yet held; ``late`` counts papers of
    that day first held after a later announcement had been taken in; ``text`` is the sentence shown.
    """

    source: str
    category: str
    day: date
    announced: KindCounts | None
    held: KindCounts
    late: int
    pending: int
    state: DayState
    reason: NoneReason | None
    next_try: datetime | None
    text: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One feature's part in a score; ``text`` is what people read."""

    feature: str
    text: str
    share: float


@dataclass(frozen=True, slots=True)
class RankedPaper:
    """A paper in a ranked list. Larger scores are better, comparable only inside their list.

    ``also`` are the ids of other records of the same work that the list would hold further down.
    """

    paper: Paper
    score: float
    rank: int
    reasons: tuple[Reason, ...]
    also: tuple[str, ...] = ()


_ADDRESSES = {
    "arxiv": "https://arxiv.org/abs/",
    "doi": "https://doi.org/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "openreview": "https://openreview.net/forum?id=",
}


def implied_address(paper_id: str) -> str | None:
    """Where a paper is read, by its id (in normal form) alone; None for records without an identifier.

    >>> implied_address("doi:10.1101/2031.01.01.573901")
    'https://doi.org/10.1101/2031.01.01.573901'
    """
    scheme, _, rest = paper_id.partition(":")
    return _ADDRESSES[scheme] + quote(rest, safe="/") if scheme in _ADDRESSES else None


_ARXIV_NEW = re.compile(r"(\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(?:v(\d+))?\Z", re.ASCII)
_ARXIV_OLD = re.compile(
    r"([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?/(\d{2}(?:0[1-9]|1[0-2])\d{3})(?:v(\d+))?\Z", re.ASCII
)
_DOI = re.compile(r"10\.\d{1,9}(?:\.\d{1,9})*/\S+\Z", re.ASCII)
_PMID = re.compile(r"\d{1,9}\Z", re.ASCII)
_OPENREVIEW = re.compile(r"[A-Za-z0-9_-]{4,40}\Z", re.ASCII)
_FILE = re.compile(r"[0-9a-f]{16}\Z", re.ASCII)
_ARXIV_DOI = "10.48550/arxiv."
_PREFIXES = (
    (re.compile(r"https?://(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf|html|format|ps|e-print|src)/", re.I), "arxiv"),
    (re.compile(r"https?://huggingface\.co/papers/", re.I), "arxiv"),
    (re.compile(r"https?://(?:dx\.)?doi\.org/", re.I), "doi"),
    (re.compile(r"https?://(?:www\.)?(?:bio|med)rxiv\.org/content/", re.I), "rxiv"),
    (re.compile(r"https?://pubmed\.ncbi\.nlm\.nih\.gov/", re.I), "pmid"),
    (re.compile(r"https?://openreview\.net/(?:forum|pdf)\?id=", re.I), "openreview"),
    (re.compile(r"oai:arxiv\.org:", re.I), "arxiv"),
    (re.compile(r"arxiv:\s*", re.I), "arxiv"),
    (re.compile(r"doi:\s*", re.I), "doi"),
    (re.compile(r"(?:pmid|pubmed):\s*", re.I), "pmid"),
    (re.compile(r"openreview:\s*", re.I), "openreview"),
    (re.compile(r"file:", re.I), "file"),
)


def parse_id(text: str) -> tuple[str, int | None]:
    """The normal form of an identifier in any form that people paste, and the version it named.

    >>> parse_id("https://arxiv.org/pdf/2404.01647v2.pdf")
    ('arxiv:2404.01647', 2)

    Raises InvalidIdentifier for anything else, paths and control characters included.
    """
    found = _match_id(text.strip())
    if found is None:
        shown = text if len(text) <= 80 else text[:77] + "…"
        raise InvalidIdentifier(
            f"{shown!r} is no identifier of a paper.",
            "Give an arXiv id (2404.01647), a DOI (10.1101/…), pmid:…, openreview:… or the paper's address.",
        )
    return found


def normal_id(text: str) -> str:
    """The normal form of an identifier, without its version; raises InvalidIdentifier."""
    return parse_id(text)[0]


def _match_id(text: str) -> tuple[str, int | None] | None:
    if len(text) > 400:
        return None
    if text[:1].isdigit():
        return _of_scheme("arxiv", text) or _of_scheme("doi", text)
    for prefix, scheme in _PREFIXES:
        if matched := prefix.match(text):
            is_address = text[:4].lower() == "http"
            rest = text[matched.end() :]
            return _of_scheme(scheme, _address_tail(rest, scheme) if is_address else rest)
    return _of_scheme("arxiv", text) or _of_scheme("doi", text)


def _address_tail(rest: str, scheme: str) -> str:
    if scheme == "openreview":
        return rest.split("&", 1)[0].split("#", 1)[0]
    rest = unquote(rest.split("?", 1)[0].split("#", 1)[0]).rstrip("/")
    return re.sub(r"\.pdf\Z", "", rest, flags=re.I) if scheme == "arxiv" else rest


def _of_scheme(scheme: str, text: str) -> tuple[str, int | None] | None:
    if scheme == "arxiv":
        return _arxiv(text)
    if scheme == "rxiv":
        text = re.sub(r"v\d+(?:\.[a-z.-]+)*\Z", "", text)
        scheme = "doi"
    if scheme == "doi":
        return _doi(text)
    pattern = {"pmid": _PMID, "openreview": _OPENREVIEW, "file": _FILE}[scheme]
    return (f"{scheme}:{text}", None) if pattern.match(text) else None


def _arxiv(text: str) -> tuple[str, int | None] | None:
    if matched := _ARXIV_NEW.match(text):
        return f"arxiv:{matched[1]}", int(matched[2]) if matched[2] else None
    if matched := _ARXIV_OLD.match(text.lower()):
        return f"arxiv:{matched[1]}/{matched[2]}", int(matched[3]) if matched[3] else None
    return None


def _doi(text: str) -> tuple[str, int | None] | None:
    lowered = text.lower()
    if lowered.startswith(_ARXIV_DOI):
        return _arxiv(lowered[len(_ARXIV_DOI) :])
    if not _DOI.match(lowered) or ".." in lowered.split("/"):
        return None
    return f"doi:{lowered}", None


def fold(text: str) -> str:
    """Text for comparing: compatibility forms, case, accents, punctuation and white space folded.

    >>> fold("  Lévy–flights:\\n a Ｒeview ")
    'levy flights a review'
    """
    if text.isascii():
        return _fold_ascii(text)
    folded = _bare(_bare(text).casefold())
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


def _bare(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


_ASCII_SPACES = str.maketrans({c: " " for c in map(chr, range(128)) if not c.isalnum()})


def _fold_ascii(text: str) -> str:
    return " ".join(text.lower().translate(_ASCII_SPACES).split())


def file_id(title: str, abstract: str) -> str:
    """The id of a record without any identifier: a digest of its folded title and abstract."""
    folded = f"{fold(title)}\n{fold(abstract)}"
    return f"file:{hashlib.sha256(folded.encode()).hexdigest()[:16]}"
