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

    ``not_before`` is when the source may be asked again, ``left_alone`` that it was not asked at all for
    an earlier such moment.
    """

    library: Library
    source: str
    now: datetime
    tell: Callable[[str], None]
    reached: bool = False
    left_alone: bool = False
    not_before: datetime | None = None
    notices: list[str] = field(default_factory=list)

    def ask(self, question: Callable[[], T]) -> T | None:
        """A source's answer, or None with the reason kept for the report.

        A fault of one request never ends the run: what it would have told is owed still.
        """
        try:
            answer = question()
        except SourceError as fault:
            self.refused(fault)
            return None
        self.reached = True
        return answer

    def refused(self, fault: SourceError) -> None:
        """Remember that a request gave nothing, and until when the source wants to be left alone."""
        if isinstance(fault, NotBefore):
            self.not_before = max(fault.until, self.not_before or fault.until)
        elif isinstance(fault, BadAnswer):
            self.reached = True
        self.notice(fault.message)

    def notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)
