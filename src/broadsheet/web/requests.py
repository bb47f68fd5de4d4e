"""What a request asks for, checked once: days, numbers, texts, and where to go back to."""

import re
from datetime import date

from starlette.requests import Request

from broadsheet.errors import UsageError

READER = "me"

_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], " ")

_OWN_PATH = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*\Z")


def asked_text(request: Request, name: str) -> str:
    """A field of the query, stripped and without control characters; empty and absent are the same."""
    return request.query_params.get(name, "").translate(_CONTROLS).strip()


def asked_day(request: Request, name: str) -> date | None:
    text = asked_text(request, name)
    return as_day(text) if text else None


def as_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no day.", "Write a day as 2026-04-24.") from error


def asked_limit(request: Request) -> int | None:
    """How many papers are wanted, 1 to 1,000, or None."""
    text = asked_text(request, "limit")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= 1000):
        raise UsageError(f"limit is {text!r}.", "Give a number from 1 to 1000.")
    return int(text)


def own_path(text: str) -> str:
    """A path on this server to go back to, or the first page for anything else.

    >>> own_path("/day/2026-04-24#paper-3"), own_path("//elsewhere.example")
    ('/day/2026-04-24#paper-3', '/')
    """
    return text if _OWN_PATH.match(text) else "/"
