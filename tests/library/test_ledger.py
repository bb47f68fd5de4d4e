"""The ledger keeps what was announced, what is pending and where each job stands, in both databases."""

from datetime import date, timedelta

from making import NOW

from broadsheet.library import arrivals, ledger
from broadsheet.library.database import Library
from broadsheet.library.ledger import Job, LedgerDay, PendingPaper
from broadsheet.papers import Announcement, Arrival, KindCounts, Paper

DAY = date(2026, 11, 10)
BEFORE = DAY - timedelta(days=1)


def day_row(day: date = DAY, **changes: object) -> LedgerDay:
    values = {"announced": KindCounts(2, 1, 3, None), "state": "partial", "checked_at": NOW, **changes}
    return LedgerDay("arxiv", "cs.LG", day, **values)  # type: ignore[arg-type]


def pending(number: int, kind: str = "new", category: str = "cs.LG") -> PendingPaper:
    return PendingPaper("arxiv", category, DAY, f"arxiv:2611.0000{number}", kind, None, NOW)  # type: ignore[arg-type]


def announced(number: int, kind: str, day: date = DAY) -> Arrival:
    paper = Paper(f"arxiv:2611.0000{number}", f"Paper {number}", f"Text {number}.", categories=("cs.LG",))
    announcement = Announcement(paper.id, "arxiv", "cs.LG", day, kind, 1, NOW)  # type: ignore[arg-type]
    return Arrival(paper, (announcement,))


def test_a_days_row_comes_back_as_it_was_written(library: Library) -> None:
    """Counts, the sum of replacements and moments survive; writing again replaces the row."""
    first, second = day_row(), day_row(state="complete", note="as of noon", taken_in_at=NOW)
    with library.write() as conn:
        ledger.write_days(conn, [first, day_row(BEFORE, announced=None, state="unknown")])
        assert ledger.days(conn, "arxiv", DAY, DAY) == {("cs.LG", DAY): first}
        ledger.write_days(conn, [second])
        found = ledger.days(conn, "arxiv", BEFORE, DAY, ["cs.LG"])
    assert found[("cs.LG", DAY)] == second
    assert found[("cs.LG", BEFORE)].announced is None
    assert ledger_elsewhere(library) == {}


def ledger_elsewhere(library: Library) -> dict[tuple[str, date], LedgerDay]:
    with library.read() as conn:
        return ledger.days(conn, "arxiv", BEFORE, DAY, ["hep-th"])


def test_pending_papers_are_found_by_day_and_by_identifier(library: Library) -> None:
    """One identifier may wait in two categories; dropping one leaves the other."""
    rows = [pending(1), pending(2, "replace"), pending(1, "cross", "stat.ML")]
    with library.write() as conn:
        ledger.write_pending(conn, rows)
        ledger.write_pending(conn, rows[:1])
        assert ledger.pending(conn, "arxiv", "cs.LG", DAY) == rows[:2]
        assert ledger.pending_counts(conn, "arxiv")[("cs.LG", DAY)] == {"new": 1, "replace": 1}
        both = ledger.pending_of(conn, "arxiv", ["arxiv:2611.00001"])
        assert sorted(row.category for row in both) == ["cs.LG", "stat.ML"]
        ledger.drop_pending(conn, rows[:1])
        assert ledger.pending_of(conn, "arxiv", ["arxiv:2611.00001"]) == rows[2:]


def test_what_is_held_is_counted_by_kind_and_lateness(library: Library) -> None:
    """Counted from the announcements themselves, so that it cannot differ from them."""
    with library.write() as conn:
        arrivals.store(conn, [announced(1, "new"), announced(2, "new"), announced(3, "cross")], NOW)
        ledger.mark_late(conn, "arxiv", "cs.LG", DAY, NOW, late=True)
        arrivals.store(conn, [announced(4, "new", BEFORE)], NOW)
        counts = ledger.held_counts(conn, "arxiv", BEFORE, DAY)
        held = ledger.held(conn, "arxiv", "cs.LG", DAY)
        before = ledger.announced_before(conn, "arxiv", "cs.LG", ["arxiv:2611.00004", "arxiv:2611.00009"])
    assert counts[("cs.LG", DAY)] == {"new": (2, 2), "cross": (1, 1)}
    assert counts[("cs.LG", BEFORE)] == {"new": (1, 0)}
    assert held["arxiv:2611.00003"] == "cross"
    assert before == {"arxiv:2611.00004"}


def test_when_days_were_taken_in_is_known_by_category(library: Library) -> None:
    """The day's own moment, and those of later days."""
    later = NOW + timedelta(days=1)
    with library.write() as conn:
        ledger.write_days(conn, [day_row(BEFORE, taken_in_at=NOW), day_row(taken_in_at=later)])
        assert ledger.taken_in(conn, "arxiv", "cs.LG", BEFORE) == (NOW, [later])
        assert ledger.newest_taken_in(conn, "arxiv") == {"cs.LG": DAY}


def test_a_job_stands_where_it_was_left(library: Library) -> None:
    """Its state and pause come back; a job that is done is forgotten."""
    job = Job('{"token":"x"}', NOW + timedelta(hours=1), NOW)
    with library.write() as conn:
        ledger.write_job(conn, "arxiv", "oai cs.LG", job)
        ledger.write_job(conn, "arxiv", "oai cs.LG", job)
        assert ledger.jobs(conn, "arxiv") == {"oai cs.LG": job}
        ledger.drop_job(conn, "arxiv", "oai cs.LG")
        assert ledger.job(conn, "arxiv", "oai cs.LG") is None
