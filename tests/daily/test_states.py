"""A day's state goes by what the source said, and reads as a sentence."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from broadsheet.daily.states import DayFacts, at_least, counted, judge, next_try, sentence
from broadsheet.papers import AnnouncementCount, KindCounts

NONE = KindCounts(0, 0, 0, None)
FEW = KindCounts(2, 1, 0, None)
QUIET = DayFacts("expected", None, NONE, 0)


@pytest.mark.parametrize(
    ("facts", "state", "reason"),
    [
        (replace(QUIET, expectation="weekend"), "none_expected", "weekend"),
        (replace(QUIET, expectation="holiday"), "none_expected", "holiday"),
        (QUIET, "missing", None),
        (replace(QUIET, announced=NONE), "missing", None),
        (replace(QUIET, stale=True), "stale", None),
        (replace(QUIET, announced=NONE, overtaken=True), "none_expected", "inferred"),
        (replace(QUIET, announced=NONE, mailed=True), "complete", None),
        (replace(QUIET, mailed=True), "missing", None),
        (replace(QUIET, askable=False), "unknown", None),
        (replace(QUIET, announced=FEW, pending=3), "partial", None),
        (replace(QUIET, announced=FEW, held=KindCounts(2, 0, 0, None)), "partial", None),
        (replace(QUIET, announced=FEW, held=FEW), "complete", None),
        (replace(QUIET, announced=FEW, held=FEW, expectation="holiday"), "complete", None),
        (replace(QUIET, held=FEW), "unknown", None),
    ],
)
def test_a_day_is_judged_by_what_was_said(facts: DayFacts, state: str, reason: str | None) -> None:
    """Weekends, holidays, faults and whole days are told apart, each by its own sign."""
    assert judge(facts) == (state, reason)


def _row(**changes: object) -> AnnouncementCount:
    row = AnnouncementCount(
        "arxiv",
        "cs.LG",
        date(2026, 11, 4),
        KindCounts(200, 30, 9, None),
        KindCounts(200, 30, 9, None),
        0,
        0,
        "complete",
        None,
        None,
        "",
    )
    return replace(row, **changes)  # type: ignore[arg-type]


THREE_TEN = datetime(2026, 11, 4, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (_row(), "complete: announced 239, held 239"),
        (_row(late=2), "complete: announced 239, held 239 (2 came late)"),
        (
            _row(state="partial", held=KindCounts(190, 20, 9, None), pending=20, next_try=THREE_TEN),
            "partial: announced 239, held 219, 20 pending, next try at 03:10 UTC",
        ),
        (
            _row(state="none_expected", reason="weekend", announced=None, held=NONE),
            "no announcement: weekend",
        ),
        (
            _row(state="none_expected", reason="holiday", announced=None, held=NONE),
            "no announcement: arXiv holiday",
        ),
        (
            _row(state="missing", announced=None, held=NONE, next_try=THREE_TEN),
            "expected one, got none, next try at 03:10 UTC",
        ),
        (
            _row(state="stale", announced=None, held=NONE, next_try=THREE_TEN),
            "expected one, got only the batch before it (stale), next try at 03:10 UTC",
        ),
        (
            _row(state="unknown", announced=None, held=FEW),
            "unknown: held 3, the source does not say how many it announced",
        ),
    ],
)
def test_each_state_has_its_own_words(row: AnnouncementCount, text: str) -> None:
    """No two states read alike, and whoever reads one knows what to expect next."""
    assert sentence(row) == text


def test_the_next_try_is_in_an_hour_or_when_the_source_allows() -> None:
    """A source's own "not before" goes before our hour; a settled day has no next try."""
    now = datetime(2026, 11, 4, 2, 9, 30, tzinfo=UTC)
    until = datetime(2026, 11, 4, 9, 0, tzinfo=UTC)
    assert next_try("missing", None, now) == THREE_TEN
    assert next_try("partial", until, now) == until
    assert next_try("complete", until, now) is None


def test_replacements_are_counted_as_the_source_tells_them() -> None:
    """A source that prints one sum gets one sum; one that tells them apart keeps them apart."""
    kinds = {"new": 4, "cross": 3, "replace": 2, "replace-cross": 1}
    assert counted(kinds, split=True) == KindCounts(4, 3, 2, 1)  # type: ignore[arg-type]
    assert counted(kinds, split=False) == KindCounts(4, 3, 3, None)  # type: ignore[arg-type]
    assert counted({"featured": 5}, split=True) == KindCounts(5, 0, 0, 0)


def test_announced_counts_never_fall_below_what_is_known() -> None:
    """A page that prints fewer than the identifiers at hand does not shrink the day."""
    assert at_least(KindCounts(4, 0, 3, None), KindCounts(5, 0, 2, 2)) == KindCounts(5, 0, 4, None)
    assert at_least(None, FEW) == FEW
