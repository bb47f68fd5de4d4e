"""The order for a reader of whom nothing is known: what others marked, and how new a paper is."""

from collections.abc import Mapping
from datetime import date
from math import log2

from broadsheet.papers import Paper, Reason

DAY_SHARE = 0.1
OLDEST = 10


def signal_reasons(key: int, paper: Paper, upvotes: Mapping[int, float], day: date) -> tuple[Reason, ...]:
    """The logarithm of the upvotes, less a tenth for each day since the paper first stood somewhere."""
    votes = upvotes.get(key, 0.0)
    reasons = [Reason("date", *_of_age(paper, day))]
    if votes > 0:
        plural = "" if votes == 1 else "s"
        reasons.insert(0, Reason("upvotes", f"{votes:.0f} upvote{plural}", log2(1 + votes)))
    return tuple(reasons)


def _of_age(paper: Paper, day: date) -> tuple[str, float]:
    known = [d for d in (paper.announced, paper.submitted.date() if paper.submitted else None) if d]
    if not known:
        return "its date is not known", -DAY_SHARE * OLDEST
    days = max(0, (day - min(known)).days)
    text = f"first seen on {min(known).isoformat()}"
    return text, -DAY_SHARE * min(days, OLDEST)
