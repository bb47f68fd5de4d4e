"""Real papers: a quarter of arXiv's computer science, stored twice."""

import gzip
from collections import Counter
from datetime import date
from pathlib import Path

import orjson
import pytest
from making import on, outcomes, paper

from broadsheet.library import announcements, papers
from broadsheet.library.database import Library
from broadsheet.papers import Arrival

pytestmark = pytest.mark.data


def arrival(line: bytes) -> Arrival:
    record = orjson.loads(line)
    categories = tuple(record["categories"])
    told = paper(
        f"arxiv:{record['id']}",
        record["title"],
        record["abstract"],
        authors=record["authors"],
        categories=categories,
    )
    return on(told, date.fromisoformat(record["announced"]), category=categories[0])


def test_real_papers_are_new_once_and_stand_on_their_days(library: Library, evaluation_data: Path):
    with gzip.open(evaluation_data / "arxiv" / "cs-2025q1.jsonl.gz") as lines:
        told = [arrival(line) for line in lines]
    assert Counter(outcomes(library, *told)) == {"new": 2327}
    assert Counter(outcomes(library, *told)) == {"unchanged": 2327}
    with library.read() as connection:
        assert papers.count(connection) == 2327
        assert announcements.newest_day(connection, date(2025, 12, 31), ["arxiv"]) == date(2025, 3, 31)
        days = {a.announcements[0].day for a in told}
        held = sum(len(announcements.announced_on(connection, day)) for day in days)
        assert held == 2327
