"""Documents as HTML: the templates, and how days, authors, shares and addresses are written."""

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from broadsheet.api.documents import PaperDocument, ReasonDocument
from broadsheet.papers import implied_address

_COMMAND = re.compile(r"[`'](broadsheet [^`'\n]*)[`']")
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


class Bar(NamedTuple):
    """A reason with its bar: ``width`` is 0 to 100, the largest share of the paper being 100."""

    text: str
    share: float
    width: float


def environment() -> Environment:
    made = Environment(
        loader=PackageLoader("broadsheet.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        anchor=anchor,
        bars=bars,
        byline=byline,
        counted=counted,
        long_day=long_day,
        opening=opening,
        paper_path=paper_path,
        places=places,
        prose=prose,
        short_day=short_day,
        signed=signed,
    )
    made.globals.update(search_path=search_path)
    return made


def long_day(day: str) -> str:
    """
    >>> long_day("2026-04-24")
    'Friday, 24 April 2026'
    """
    at = date.fromisoformat(day)
    return f"{_WEEKDAYS[at.weekday()]}, {at.day} {_MONTHS[at.month - 1]} {at.year}"


def short_day(day: str) -> str:
    """A day, or the day of an instant, without its weekday.

    >>> short_day("2026-04-24T01:02:03Z")
    '24 April 2026'
    """
    at = date.fromisoformat(day[:10])
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def counted(number: int, one: str, many: str) -> str:
    """
    >>> counted(1, "paper", "papers"), counted(1200, "paper", "papers")
    ('1 paper', '1,200 papers')
    """
    return f"{number:,} {one if number == 1 else many}"


def byline(authors: Sequence[str], shown: int = 4) -> str:
    """
    >>> byline(["A. Nord", "B. Sued", "C. Ost"], 2)
    'A. Nord, B. Sued and 1 other'
    """
    if len(authors) <= shown:
        return " and ".join(part for part in (", ".join(authors[:-1]), *authors[-1:]) if part)
    rest = len(authors) - shown
    return f"{', '.join(authors[:shown])} and {counted(rest, 'other', 'others')}"


def opening(text: str, length: int) -> str:
    """The beginning of a text, cut between words with an ellipsis when it is longer than ``length``."""
    if len(text) <= length:
        return text
    head = text[: length + 1]
    return (head.rsplit(None, 1)[0] if " " in head else head[:length]).rstrip(" ,;:") + " …"


def bars(reasons: Sequence[ReasonDocument]) -> list[Bar]:
    """Reasons, the largest share first whatever its sign, without those too small to be seen beside it."""
    ordered = sorted(reasons, key=lambda reason: -abs(reason["share"]))
    largest = abs(ordered[0]["share"]) if ordered else 0.0
    return [
        Bar(reason["text"], reason["share"], round(100 * abs(reason["share"]) / (largest or 1.0), 1))
        for reason in ordered
        if abs(reason["share"]) >= largest / 200
    ]


def signed(share: float) -> str:
    """A share with its sign, to two places.

    >>> signed(0.314), signed(-0.5)
    ('+0.31', '−0.50')
    """
    return f"{round(share, 2) + 0.0:+.2f}".replace("-", "−")


def prose(text: str) -> Markup:
    """A sentence of ours, with the commands that it names set as commands.

    >>> prose("Run 'broadsheet check' & see.")
    Markup('Run <code>broadsheet check</code> &amp; see.')
    """
    pieces = _COMMAND.split(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if number % 2 else piece
        for number, piece in enumerate(pieces)
    )


def address(link: str | None) -> str | None:
    """A link that may stand on a page: http or https, else None."""
    if link is None:
        return None
    parts = urlsplit(link)
    return link if parts.scheme in ("http", "https") and parts.netloc else None


def places(paper: PaperDocument) -> list[tuple[str, str]]:
    """The names and addresses of where a paper can be read, its own links before implied ones."""
    links = paper["links"]
    pdf = f"https://arxiv.org/pdf/{paper['id'][6:]}" if paper["id"].startswith("arxiv:") else None
    offered = (
        ("Abstract page", links["abs"] or implied_address(paper["id"])),
        ("PDF", links["pdf"] or pdf),
        ("Code", links["code"]),
        ("Project", links["project"]),
    )
    return [(name, link) for name, told in offered if (link := address(told))]


def anchor(rank: int) -> str:
    return f"paper-{rank}"


def paper_path(paper_id: str) -> str:
    """Where a paper's own page lies.

    >>> paper_path("doi:10.1101/a#b")
    '/paper/doi:10.1101/a%23b'
    """
    return f"/paper/{quote(paper_id, safe=':/')}"


def search_path(**fields: str) -> str:
    return f"/search?{urlencode(fields)}"
