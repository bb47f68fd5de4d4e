"""The packaged sample: one real week, in words of our own."""

import gzip
import json
import re
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from broadsheet.papers import normal_id
from broadsheet.sources.sample import read_sample

NOW = datetime(2026, 5, 1, tzinfo=UTC)
WEEK = [date(2026, 4, day) for day in range(20, 25)]


def test_the_sample_is_forty_papers_on_each_of_five_consecutive_days() -> None:
    arrivals = list(read_sample(NOW))
    assert Counter(arrival.paper.announced for arrival in arrivals) == dict.fromkeys(WEEK, 40)
    assert [arrival.line for arrival in arrivals] == list(range(1, 201))


def test_no_paper_occurs_twice_and_every_id_is_in_normal_form() -> None:
    papers = [arrival.paper for arrival in read_sample(NOW)]
    assert len({paper.id for paper in papers}) == 200
    assert len({paper.title for paper in papers}) == 200
    assert all(normal_id(paper.id) == paper.id for paper in papers)


def test_every_summary_is_one_or_two_sentences_long_enough_to_be_found_by_meaning() -> None:
    summaries = [arrival.paper.abstract for arrival in read_sample(NOW)]
    assert all(80 <= len(summary) <= 400 for summary in summaries)
    assert len(set(summaries)) == 200


def test_the_sample_can_be_recognised_wherever_it_is_shown() -> None:
    for arrival in read_sample(NOW):
        assert arrival.paper.source == "sample"
        (announcement,) = arrival.announcements
        assert (announcement.source, announcement.kind) == ("sample", "new")
        assert announcement.category == arrival.paper.categories[0]
        assert announcement.day == arrival.paper.announced


def test_a_known_paper_is_read_with_all_its_facts() -> None:
    paper = next(a.paper for a in read_sample(NOW) if a.paper.id == "arxiv:2604.20280")
    assert paper.title == "Ancient 'ghost' planetary nebulae discovered with amateur telescopes"
    assert paper.categories == ("astro-ph.SR", "astro-ph.GA")
    assert (paper.announced, paper.submitted) == (date(2026, 4, 23), None)


@pytest.mark.data
def test_facts_are_those_of_the_source_and_summaries_share_no_phrase_with_the_abstracts(
    evaluation_data: Path,
) -> None:
    wanted = {arrival.paper.id.removeprefix("arxiv:"): arrival.paper for arrival in read_sample(NOW)}
    seen = 0
    for file in ("cs-2026q2", "astro-ph-2025-2026"):
        packed = (evaluation_data / "arxiv" / f"{file}.jsonl.gz").read_bytes()
        for line in gzip.decompress(packed).splitlines():
            record = json.loads(line)
            paper = wanted.get(record["id"])
            if paper is None:
                continue
            seen += 1
            assert (paper.title, [a.name for a in paper.authors]) == (record["title"], record["authors"])
            assert not _phrases(paper.abstract) & _phrases(record["abstract"]), record["id"]
    assert seen == 200


def _phrases(text: str) -> set[tuple[str, ...]]:
    """Every run of six words."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[start : start + 6]) for start in range(len(words) - 5)}
