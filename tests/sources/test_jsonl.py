"""JSON lines are read record by record, whatever their number, and a broken one costs only itself."""

import gzip
import json
import tracemalloc
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from broadsheet.papers import Announcement, Arrival, Author, Links, Paper, Signal, Skipped
from broadsheet.sources.files.drafts import SignalsOnly
from broadsheet.sources.files.reading import read

NOW = datetime(2031, 3, 4, 12, tzinfo=UTC)


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), encoding="utf-8")
    return path


def noon(day: int) -> datetime:
    return datetime(2031, 3, day, 12, tzinfo=UTC)


def test_a_listed_record_gives_its_paper_and_one_announcement_in_its_primary_category(tmp_path: Path) -> None:
    record = {
        "id": "3103.00007",
        "title": "Maps of\n Ir\\v{s}i\\v{c}",
        "abstract": "We map. Code at https://github.com/q/maps.",
        "authors": ["C. Ost", "A. Nord", "B. Sued"],
        "categories": ["cs.XA", "math.XX"],
        "published": "2031-03-01",
        "announced": "2031-03-03",
        "updated": "2031-03-02",
    }
    (arrived,) = read(written(tmp_path / "a.jsonl", record), now=NOW)
    assert arrived == Arrival(
        Paper(
            id="arxiv:3103.00007",
            title="Maps of Iršič",
            abstract="We map. Code at https://github.com/q/maps.",
            authors=(Author("C. Ost"), Author("A. Nord"), Author("B. Sued")),
            submitted=datetime(2031, 3, 1, tzinfo=UTC),
            updated=datetime(2031, 3, 2, tzinfo=UTC),
            announced=date(2031, 3, 3),
            categories=("cs.XA", "math.XX"),
            links=Links(code="https://github.com/q/maps"),
            source="arxiv",
            original_title="Maps of\n Ir\\v{s}i\\v{c}",
        ),
        (Announcement("arxiv:3103.00007", "arxiv", "cs.XA", date(2031, 3, 3), "new", None, NOW),),
        line=1,
    )


def test_a_daily_paper_is_featured_on_its_day_with_its_upvotes_as_they_were_read(tmp_path: Path) -> None:
    record = {
        "id": "3103.00008",
        "title": "T",
        "abstract": "A",
        "authors": ["A. Nord"],
        "published": "2031-03-01",
        "daily_date": "2031-03-02",
        "upvotes_snapshot": 7,
        "upvotes_feed_day": 9,
        "upvotes_max": 40,
        "upvotes_max_on": "2031-03-04",
        "github_stars": 12,
    }
    (arrived,) = read(written(tmp_path / "d.jsonl", record), now=NOW)
    assert isinstance(arrived, Arrival)
    assert arrived.announcements == (
        Announcement("arxiv:3103.00008", "huggingface", "daily", date(2031, 3, 2), "featured", None, NOW),
    )
    assert arrived.signals == (
        Signal("arxiv:3103.00008", "upvotes", 9.0, noon(2)),
        Signal("arxiv:3103.00008", "upvotes", 40.0, noon(4)),
        Signal("arxiv:3103.00008", "stars", 12.0, noon(2)),
    )
    assert arrived.paper.source == "huggingface"


def test_upvote_observations_give_only_signals_one_a_day_the_highest_of_the_day(tmp_path: Path) -> None:
    record = {
        "id": "3103.00008",
        "obs": [["2031-03-02", "d", 3], ["2031-03-02", "w", 5], ["2031-03-01", "d", 1]],
    }
    (found,) = read(written(tmp_path / "o.jsonl", record), now=NOW)
    counts = (
        Signal("arxiv:3103.00008", "upvotes", 1.0, noon(1)),
        Signal("arxiv:3103.00008", "upvotes", 5.0, noon(2)),
    )
    assert found == SignalsOnly("arxiv:3103.00008", counts, 1)


def test_a_library_of_a_reader_keeps_the_day_and_the_strongest_identifier(tmp_path: Path) -> None:
    record = {
        "title": "T",
        "abstract": "",
        "doi": "10.48550/arXiv.3103.00009",
        "arxiv_id": "3103.00009",
        "year": 2031,
    }
    (arrived,) = read(written(tmp_path / "l.jsonl", {**record, "added": "2031-03-02"}), now=NOW)
    assert isinstance(arrived, Arrival)
    assert (arrived.paper.id, arrived.kept) == ("arxiv:3103.00009", date(2031, 3, 2))
    assert (arrived.paper.submitted, arrived.paper.identifiers) == (datetime(2031, 1, 1, tzinfo=UTC), ())


def test_the_doi_of_an_arxiv_record_is_its_journals_and_no_identifier_of_it(tmp_path: Path) -> None:
    record = {"id": "3103.00009", "title": "T", "doi": "10.9/ABC", "pmid": "123"}
    (arrived,) = read(written(tmp_path / "l.jsonl", record), now=NOW)
    assert isinstance(arrived, Arrival)
    assert (arrived.paper.doi, arrived.paper.identifiers) == ("10.9/abc", ())


def test_broken_lines_are_named_and_the_others_read(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    first, last = '{"id": "3103.00001", "title": "A"}', '{"id": "3103.00002", "title": "0"}'
    path.write_text(f'\ufeff{first}\n{{"id": \n\n[1]\n{{}}\n{last}', encoding="utf-8")
    found = list(read(path, now=NOW))
    assert [(one.line, one.why.split(":")[0]) for one in found if isinstance(one, Skipped)] == [
        (2, "no JSON"),
        (4, "the line holds no object"),
        (5, "has neither a title, an abstract nor an identifier"),
    ]
    assert [one.paper.title for one in found if isinstance(one, Arrival)] == ["A", "0"]


def test_a_record_without_a_title_has_a_placeholder_and_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (arrived,) = read(
        written(tmp_path / "a.jsonl", {"doi": "10.9/1", "abstract": ""}), format="jsonl", now=NOW
    )
    assert isinstance(arrived, Arrival)
    assert (arrived.paper.id, arrived.paper.title) == ("doi:10.9/1", "(untitled)")
    assert "line 1: no title" in caplog.text


def test_a_cut_gzip_file_gives_what_stands_before_the_cut_and_names_the_line(tmp_path: Path) -> None:
    records = "".join(json.dumps({"id": f"3103.{n:05}", "title": f"T{n * n}"}) + "\n" for n in range(1, 2000))
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(records.encode())[:-2000])
    found = list(read(path, now=NOW))
    last = found[-1]
    assert isinstance(last, Skipped)
    assert last.line == len(found)
    assert "cut or damaged" in last.why
    assert [one.line for one in found[:-1] if isinstance(one, Arrival)] == list(range(1, len(found)))


def test_a_large_file_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl.gz"
    line = json.dumps({"id": "3103.00001", "title": "T", "abstract": "words " * 4000}).encode() + b"\n"
    with gzip.open(path, "wb", compresslevel=1) as out:
        for _ in range(1000):
            out.write(line)
    tracemalloc.start()
    count = sum(1 for _ in read(path, now=NOW))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 1000
    assert peak < 6_000_000


@pytest.mark.data
def test_the_record_files_are_read_whole(evaluation_data: Path) -> None:
    counts = {
        name: sum(
            1 for one in read(evaluation_data / name, now=NOW) if isinstance(one, Arrival | SignalsOnly)
        )
        for name in ("arxiv/cs-2025q1.jsonl.gz", "hfdaily/hf_daily_papers.jsonl.gz")
    }
    assert counts == {"arxiv/cs-2025q1.jsonl.gz": 2327, "hfdaily/hf_daily_papers.jsonl.gz": 13610}
