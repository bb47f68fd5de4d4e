"""How a day stands at a source: the one function that judges it and the one that puts it into words.

A day's state goes by what the source said, never by what we hope:

    weekend, holiday ........................ none_expected
    expected, nothing came .................. missing  (stale: the batch before it still stands there)
    a later mailing came, the day is empty .. none_expected (inferred)
    announced, not all held ................. partial
    announced, all held ..................... complete
    too old to be asked about ............... unknown
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from broadsheet.papers import AnnouncementCount, AnnouncementKind, DayState, KindCounts, NoneReason

NOTHING = KindCounts(0, 0, 0, 0)
UNSETTLED = frozenset({"partial", "missing", "stale"})

Expected = Literal["expected", "weekend", "holiday", "open"]

_RETRY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class DayFacts:
    """What is known of a category and day.

    Of a source that promises nothing the expectation is "open". ``announced`` is None where the source
    never said. ``mailed``: some followed category has papers on
    this day. ``overtaken``: a later day has papers, and this one was asked about and is empty in all that
    is followed. ``stale``: the source still showed an earlier batch. ``askable``: the source still tells
    what it announced on this day.
    """

    expectation: Expected
    announced: KindCounts | None
    held: KindCounts
    pending: int
    mailed: bool = False
    overtaken: bool = False
    stale: bool = False
    askable: bool = True


def judge(facts: DayFacts) -> tuple[DayState, NoneReason | None]:
    """The state of a day, and the reason where nothing was announced."""
    announced = facts.announced
    if (announced and announced.total) or facts.pending or facts.held.total:
        return _of_papers(facts), None
    if facts.expectation == "open":
        return "none_expected", None
    if facts.expectation != "expected":
        return "none_expected", facts.expectation
    if announced is not None and facts.mailed:
        return "complete", None
    if facts.overtaken:
        return "none_expected", "inferred"
    if not facts.askable:
        return "unknown", None
    return ("stale" if facts.stale else "missing"), None


def _of_papers(facts: DayFacts) -> DayState:
    if facts.announced is None:
        return "partial" if facts.pending and facts.askable else "unknown"
    whole = facts.pending == 0 and facts.held.total >= facts.announced.total
    return "complete" if whole else "partial"


def next_try(state: DayState, not_before: datetime | None, now: datetime) -> datetime | None:
    """When a day that is not settled should be asked for again: in an hour, or when the source allows."""
    if state not in UNSETTLED:
        return None
    later = max(now + _RETRY, not_before or now)
    return later.replace(second=0, microsecond=0) + timedelta(minutes=1 if later.second else 0)


def sentence(count: AnnouncementCount) -> str:
    """The sentence shown for a day, on every surface.

    >>> counts = KindCounts(200, 39, 0, None)
    >>> row = AnnouncementCount("arxiv", "cs.LG", date(2026, 11, 2), counts, counts, 0, 0, "complete", None,
    ...     None, "")
    >>> sentence(row)
    'complete: announced 239, held 239'
    """
    if count.state == "none_expected":
        return f"no announcement: {_REASONS[count.reason]}" if count.reason else "no announcement"
    if count.state in ("missing", "stale"):
        got = "got none" if count.state == "missing" else "got only the batch before it (stale)"
        return f"expected one, {got}{_when(count)}"
    if count.announced is None:
        return f"{count.state}: held {count.held.total}, the source does not say how many it announced"
    told = f"{count.state}: announced {count.announced.total}, held {count.held.total}"
    if count.pending:
        told += f", {count.pending} pending"
    if count.late:
        told += f" ({count.late} came late)"
    return told + _when(count)


_REASONS: dict[NoneReason, str] = {
    "weekend": "weekend",
    "holiday": "arXiv holiday",
    "inferred": "inferred, since the next mailing came and this day is empty",
}


def _when(count: AnnouncementCount) -> str:
    if count.next_try is None:
        return ""
    moment = count.next_try.astimezone(UTC)
    return f", next try at {moment:%H:%M} UTC"


def counted(kinds: dict[AnnouncementKind, int], split: bool) -> KindCounts:
    """Counts by kind; without ``split`` replacements are told as one sum, as the source tells them.

    A source that only features papers tells them as new.
    """
    new = kinds.get("new", 0) + kinds.get("featured", 0)
    replaced, crossed = kinds.get("replace", 0), kinds.get("replace-cross", 0)
    if split:
        return KindCounts(new, kinds.get("cross", 0), replaced, crossed)
    return KindCounts(new, kinds.get("cross", 0), replaced + crossed, None)


def at_least(told: KindCounts | None, seen: KindCounts) -> KindCounts:
    """The larger of two counts in each kind: a published day never shrinks."""
    if told is None:
        return seen
    if told.replace_cross is None or seen.replace_cross is None:
        sums = [c.replace + (c.replace_cross or 0) for c in (told, seen)]
        return KindCounts(max(told.new, seen.new), max(told.cross, seen.cross), max(sums), None)
    return KindCounts(
        max(told.new, seen.new),
        max(told.cross, seen.cross),
        max(told.replace, seen.replace),
        max(told.replace_cross, seen.replace_cross),
    )
