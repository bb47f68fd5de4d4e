"""What a harvest is asked to do for each source, and what it reports."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TypeVar

from broadsheet.errors import BadAnswer, NotBefore, SourceError
from broadsheet.library.database import Library
from broadsheet.papers import AnnouncementCount
from broadsheet.sources.http import Client

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ArxivAddresses:
    """Base addresses of arXiv's routes."""

    oai: str = "https://oaipmh.arxiv.org/oai"
    api: str = "https://export.arxiv.org/api/query"
    feed: str = "https://rss.arxiv.org"
    listing: str = "https://arxiv.org/list"
    catchup: str = "https://arxiv.org/catchup"


@dataclass(frozen=True, slots=True)
class ArxivPlan:
    """arXiv: the categories or archives that are followed, and where to ask for them."""

    client: Client
    categories: tuple[str, ...]
    addresses: ArxivAddresses = ArxivAddresses()
    source: str = "arxiv"


@dataclass(frozen=True, slots=True)
class OtherPlan:
    """``huggingface``, ``biorxiv`` or ``medrxiv`` with its base address, or ``feeds`` with many."""

    source: str
    client: Client
    urls: tuple[str, ...]


Plan = ArxivPlan | OtherPlan


@dataclass(frozen=True, slots=True)
class Span:
    """Which days are wanted: None where it goes by what was seen before, and by now."""

    since: date | None = None
    until: date | None = None


@dataclass(frozen=True, slots=True)
class SourceReport:
    """One source after a harvest: its days by category and day, and what people should know.

    ``reached`` is False where the source gave no good answer at all.
    """

    source: str
    days: tuple[AnnouncementCount, ...]
    reached: bool
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class Run:
    """One source's harvest while it goes on.

    ``closed`` are the routes that must not be asked before a moment. ``not_before`` is such a moment for
    the whole source, which is then ``left_alone``.
    """

    library: Library
    source: str
    now: datetime
    tell: Callable[[str], None]
    keep_lease: Callable[[], None]
    reached: bool = False
    left_alone: bool = False
    not_before: datetime | None = None
    closed: dict[str, datetime] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def ask(self, route: str, question: Callable[[], T]) -> T | None:
        """A source's answer, or None with the reason kept for the report.

        A fault of one request never ends the run: what it would have told is owed still. A route that
        asked for a longer pause is not asked before that is over, by this run or a later one.
        """
        until = self.closed.get(route)
        if until is not None and until > self.now:
            self.notice(f"{self.source}: {route} is not asked before {until:%Y-%m-%d %H:%M} UTC.")
            return None
        self.keep_lease()
        try:
            answer = question()
        except SourceError as fault:
            self._refused(route, fault)
            return None
        self.reached = True
        return answer

    def _refused(self, route: str, fault: SourceError) -> None:
        if isinstance(fault, NotBefore):
            self.closed[route] = fault.until
        elif isinstance(fault, BadAnswer):
            self.reached = True
        self.notice(fault.message)

    def opens(self) -> datetime | None:
        """The first moment at which a route, or the whole source, may be asked again."""
        later = [moment for moment in self.closed.values() if moment > self.now]
        return self.not_before or min(later, default=None)

    def notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)
