"""The query language: words, "phrases", -not, field:value, identifiers. Any text at all is a query.

What cannot be meant as an operator is taken as words: ``author:`` without a name, ``since:`` before a
blank, a lone quotation mark, TeX between dollars. Only a filter that no paper can pass is refused.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from broadsheet.errors import BadQuery, InvalidIdentifier
from broadsheet.papers import normal_id
from broadsheet.search.text import spaced

Field = Literal["text", "title", "author", "category", "id", "has"]

HELD = ("code",)

_FIELDS: dict[str, Field] = {
    "author": "author",
    "au": "author",
    "title": "title",
    "ti": "title",
    "category": "category",
    "cat": "category",
    "id": "id",
    "has": "has",
}
_MAXIMUM_LENGTH = 20_000
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))
_PIECE = re.compile(
    r"""(?P<named>(?:arxiv|doi|pmid|pubmed|openreview):\s+[^\s"]+)
      | (?P<not>(?<!\S)-(?!-))?
        (?:(?P<field>author|au|title|ti|category|cat|id|since|until|has)[:：])?
        (?: (?<![^\s"(\[:：-])"(?P<phrase>(?:\\.|[^"\\])*)(?(field)(?:"|\Z)|")
          | (?P<bare>(?:\$(?=\S)[^$"]*(?<=\S)\$(?!\d)|\\\S|[^\s"\\$]|[\\$])+)
        )
      | "
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_DAY = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?", re.ASCII)
_LABELLED = re.compile(r"[a-z]+:\s+\S+", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}/", re.ASCII | re.IGNORECASE)
# What stands around an identifier in running text.
_AROUND = "<>[]{}(),;.!?'\"’”“…"


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
    """The query in a text. Raises BadQuery for a filter that no paper can pass, and for nothing else."""
    # Half of a surrogate pair, as a terminal's broken bytes become, is no text that an encoder reads.
    text = text[:_MAXIMUM_LENGTH].encode("utf-8", "replace").decode("utf-8").strip()
    if whole := identifier(text):
        return Query(text, ids=(whole,))
    reading = _Reading()
    for piece in _PIECE.finditer(text.translate(_QUOTES)):
        reading.take(piece)
    check_order(reading.since, reading.until)
    return Query(
        text,
        " ".join(reading.words),
        tuple(dict.fromkeys(reading.ids)),
        tuple(dict.fromkeys(reading.required)),
        tuple(dict.fromkeys(reading.excluded)),
        reading.since,
        reading.until,
    )


def as_words(text: str) -> Query:
    """A text that is words and nothing else, whatever it looks like."""
    text = text[:_MAXIMUM_LENGTH].strip()
    return Query(text, text)


def check_order(since: date | None, until: date | None) -> None:
    """Raises BadQuery where a range of days ends before it begins."""
    if since and until and since > until:
        raise BadQuery(
            f"No day is both in since:{since} and in until:{until}.",
            f"Write the days the other way round: since:{until} until:{since}.",
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
        if value is None or (field and not spaced(value)):
            self._take_free(piece[0])
        elif field:
            self._take_field(piece, field, value)
        elif piece["phrase"] is not None:
            self._take_phrase(piece, value)
        elif piece["not"] and spaced(value) and identifier(value) is None:
            self.excluded.append(Clause("text", value))
        else:
            self._take_free(piece[0])

    def _clauses(self, piece: re.Match[str]) -> list[Clause]:
        return self.excluded if piece["not"] else self.required

    def _take_field(self, piece: re.Match[str], field: str, value: str) -> None:
        if field in ("since", "until"):
            self._take_day(field, value, bool(piece["not"]))
        else:
            self._clauses(piece).append(_field_clause(_FIELDS[field], value))

    def _take_day(self, field: str, value: str, outside: bool) -> None:
        """``-since:D`` is all before D, and ``-until:D`` all after it."""
        day = _day(value, last=field == "until")
        if day is None:
            raise BadQuery(
                f"{field}:{value} is no day.",
                f"Write a day, a month or a year: {field}:2031-02-28, {field}:2031-02, {field}:2031."
                " In quotation marks it is looked for as words.",
            )
        if outside and field == "since":
            field, day = "until", day - timedelta(1) if day > date.min else day
        elif outside:
            field, day = "since", day + timedelta(1) if day < date.max else day
        if field == "since":
            self.since = max(day, self.since or day)
        else:
            self.until = min(day, self.until or day)

    def _take_phrase(self, piece: re.Match[str], value: str) -> None:
        if not spaced(value):
            return
        self._clauses(piece).append(Clause("text", value))
        if not piece["not"]:
            self.words.append(value)

    def _take_free(self, text: str) -> None:
        if found := identifier(text):
            self.ids.append(found)
        elif text != '"':
            self.words.append(text)


def _field_clause(field: Field, value: str) -> Clause:
    if field == "has":
        word = spaced(value)
        if word not in HELD:
            raise BadQuery(
                f"has:{value} is nothing that papers are known to have.",
                f"Write {' or '.join(f'has:{held}' for held in HELD)}."
                " In quotation marks it is looked for as words.",
            )
        return Clause("has", word)
    return Clause(field, (identifier(value) or value) if field == "id" else value)


def identifier(text: str) -> str | None:
    """The normal form of an identifier or address, also inside brackets or before a full stop."""
    inner = text.strip().strip(_AROUND)
    # A DOI may end in a bracket of its own.
    forms = (
        [f"{inner})"] if text.rstrip(",;.!?").endswith(")") and inner.count("(") > inner.count(")") else []
    )
    forms.append(inner)
    if len(inner.split()) > 1 and not _LABELLED.fullmatch(inner):
        return None
    if _ADDRESS.match(inner):
        forms = [f"https://{form}" for form in forms]
    for form in forms:
        try:
            return normal_id(form)
        except InvalidIdentifier:
            continue
    return None


def _day(text: str, last: bool) -> date | None:
    """A day from 2031, 2031-05 or 2031-05-17: the first or the last one that is meant."""
    matched = _DAY.fullmatch(text.strip())
    if not matched:
        return None
    year = int(matched[1])
    month = int(matched[2]) if matched[2] else (12 if last else 1)
    if year == 0 or not 1 <= month <= 12:
        return None
    length = calendar.monthrange(year, month)[1]
    number = int(matched[3]) if matched[3] else (length if last else 1)
    return date(year, month, number) if 1 <= number <= length else None
