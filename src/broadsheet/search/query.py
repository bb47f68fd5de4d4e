"""The query language: words, "phrases", -not, field:value, identifiers. Any text at all is a query.

What cannot be meant as an operator is taken as words: ``author:`` without a name, ``since:`` without
a day, a lone quotation mark.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from broadsheet.errors import InvalidIdentifier
from broadsheet.papers import normal_id
from broadsheet.search.text import spaced

Field = Literal["text", "title", "author", "category", "id"]

_FIELDS: dict[str, Field] = {
    "author": "author",
    "au": "author",
    "title": "title",
    "ti": "title",
    "category": "category",
    "cat": "category",
    "id": "id",
}
_MAXIMUM_LENGTH = 20_000
_PIECE = re.compile(
    r"""(?P<not>-)?
        (?:(?P<field>author|au|title|ti|category|cat|id|since|until):)?
        (?:"(?P<phrase>[^"]*)(?:"|\Z)|(?P<bare>[^\s"]+))""",
    re.VERBOSE | re.IGNORECASE,
)
_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition on papers: what must, or must not, stand in a field. ``text`` keeps its form."""

    field: Field
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """A query as understood.

    ``words`` is the free text, operators taken out, phrases' words included: what is scored and
    what the encoder reads. ``ids`` are identifiers in normal form that stood free in the text.
    ``since`` and ``until`` are inclusive days.
    """

    text: str
    words: str = ""
    ids: tuple[str, ...] = ()
    required: tuple[Clause, ...] = ()
    excluded: tuple[Clause, ...] = ()
    since: date | None = None
    until: date | None = None


def parse(text: str) -> Query:
    """Never fails: see the module's text."""
    text = text[:_MAXIMUM_LENGTH].strip()
    if whole := _identifier(text):
        return Query(text, ids=(whole,))
    reading = _Reading()
    for piece in _PIECE.finditer(text):
        reading.take(piece)
    return Query(
        text,
        " ".join(reading.words),
        tuple(dict.fromkeys(reading.ids)),
        tuple(dict.fromkeys(reading.required)),
        tuple(dict.fromkeys(reading.excluded)),
        reading.since,
        reading.until,
    )


class _Reading:
    """What has been understood so far."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.ids: list[str] = []
        self.required: list[Clause] = []
        self.excluded: list[Clause] = []
        self.since: date | None = None
        self.until: date | None = None

    def take(self, piece: re.Match[str]) -> None:
        field = (piece["field"] or "").lower()
        value = piece["phrase"] if piece["phrase"] is not None else piece["bare"]
        if field in ("since", "until"):
            self._take_day(field, value, piece[0])
        elif field and spaced(value):
            self._clauses(piece).append(_field_clause(_FIELDS[field], value))
        elif piece["phrase"] is not None:
            self._take_phrase(piece, value)
        else:
            self._take_bare(piece)

    def _clauses(self, piece: re.Match[str]) -> list[Clause]:
        return self.excluded if piece["not"] else self.required

    def _take_day(self, field: str, value: str, whole: str) -> None:
        day = _day(value, last=field == "until")
        if day is None:
            self.words.append(whole)
        elif field == "since":
            self.since = max(day, self.since or day)
        else:
            self.until = min(day, self.until or day)

    def _take_phrase(self, piece: re.Match[str], value: str) -> None:
        if not spaced(value):
            return
        self._clauses(piece).append(Clause("text", value))
        if not piece["not"]:
            self.words.append(value)

    def _take_bare(self, piece: re.Match[str]) -> None:
        bare = piece["bare"]
        if found := _identifier(piece[0]):
            self.ids.append(found)
        elif piece["not"] and not piece["field"] and spaced(bare):
            self.excluded.append(Clause("text", bare))
        else:
            self.words.append(piece[0])


def _field_clause(field: Field, value: str) -> Clause:
    return Clause(field, (_identifier(value) or value) if field == "id" else value)


def _identifier(text: str) -> str | None:
    try:
        return normal_id(text)
    except InvalidIdentifier:
        return None


def _day(text: str, last: bool) -> date | None:
    """A day from 2031, 2031-05 or 2031-05-17: the first or the last one that is meant."""
    matched = _DAY.fullmatch(text)
    if not matched:
        return None
    year = int(matched[1])
    month = int(matched[2]) if matched[2] else (12 if last else 1)
    if year == 0 or not 1 <= month <= 12:
        return None
    length = calendar.monthrange(year, month)[1]
    number = int(matched[3]) if matched[3] else (length if last else 1)
    return date(year, month, number) if 1 <= number <= length else None
