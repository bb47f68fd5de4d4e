"""Faults that the made-up sources commit, drawn by a seed."""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import format_datetime
from typing import Literal

Route = Literal["listing", "catchup", "feed", "oai", "api", "other"]

STATUS_FAULTS = (
    "429",
    "429 seconds",
    "429 date",
    "429 long",
    "503",
    "503 seconds",
    "dropped",
    "cut",
    "chopped",
    "blank",
)
ROUTE_FAULTS: dict[str, tuple[str, ...]] = {
    "listing": ("stale", "bare", "repeated", "404"),
    "catchup": ("bare", "repeated", "400", "short"),
    "feed": ("stale", "bare", "repeated", "shuffled"),
    "oai": ("expired", "short", "repeated", "shuffled"),
    "api": ("empty page", "error entry", "repeated", "shuffled"),
    "other": ("bare",),
}


@dataclass(frozen=True)
class Reply:
    """What goes over the wire. ``dropped`` closes the connection unanswered, ``cut`` inside the body."""

    status: int = 200
    body: bytes = b""
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    dropped: bool = False
    cut: bool = False


@dataclass
class Faults:
    """``rate`` is the share of requests that go wrong; routes in ``dead`` refuse everything with 503."""

    seed: int = 0
    rate: float = 0.0
    dead: frozenset[str] = frozenset()
    only: tuple[str, ...] = ()
    told: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    def draw(self, route: Route) -> str | None:
        """The fault of this request, or None."""
        if route in self.dead:
            return "503"
        if self._rng.random() >= self.rate:
            return None
        able = STATUS_FAULTS + ROUTE_FAULTS[route]
        if self.only:
            able = tuple(f for f in able if f in self.only)
        if not able:
            return None
        fault = self._rng.choice(able)
        if fault == "429 long" and self._rng.random() < 0.8:
            fault = "429"
        self.told[fault] = self.told.get(fault, 0) + 1
        return fault

    def shuffle(self, items: list[str]) -> None:
        self._rng.shuffle(items)

    def pick(self, items: list[str]) -> str:
        return self._rng.choice(items)


@dataclass
class Scripted(Faults):
    """Faults that a test names: for each route a fault for all its requests, or a list that is used up."""

    script: dict[str, str | list[str]] = field(default_factory=dict)

    def draw(self, route: Route) -> str | None:
        planned = self.script.get(route)
        if isinstance(planned, list):
            return planned.pop(0) if planned else None
        return planned


def refusal(fault: str, now: datetime) -> Reply | None:
    """The reply of a fault that has nothing to do with what was asked, or None."""
    if fault == "dropped":
        return Reply(dropped=True)
    if fault == "blank":
        return Reply()
    if fault in ("400", "404"):
        text = b"Catchup only allowed for past 90 days" if fault == "400" else b"Not found"
        return Reply(int(fault), text, "text/plain")
    status, _, form = fault.partition(" ")
    if status not in ("429", "503"):
        return None
    waits = {"seconds": "2", "long": "5400", "date": format_datetime(now + timedelta(seconds=3), usegmt=True)}
    headers = (("Retry-After", waits[form]),) if form in waits else ()
    return Reply(int(status), b"Rate limited, please wait", "text/plain", headers)


def damaged(reply: Reply, fault: str) -> Reply:
    """A good reply with its body cut: the connection breaks, or the text is short but the length says so."""
    half = reply.body[: len(reply.body) // 2]
    if fault == "cut":
        return Reply(reply.status, reply.body, reply.content_type, reply.headers, cut=True)
    return Reply(reply.status, half, reply.content_type, reply.headers)
