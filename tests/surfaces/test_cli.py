"""The command line keeps its contract: documents, exit codes, errors that say the next step."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from three_papers import PAPERS, Run


def test_adding_a_file_tells_what_each_record_became(run: Run, papers_file: Path) -> None:
    first = run("add", str(papers_file), "--json")
    assert first.code == 0
    counts = {
        key: first.document[key] for key in ("read", "new", "changed", "merged", "unchanged", "skipped")
    }
    assert counts == {"read": 3, "new": 3, "changed": 0, "merged": 0, "unchanged": 0, "skipped": []}
    again = run("add", str(papers_file), "--json").document
    assert (again["read"], again["new"], again["unchanged"]) == (3, 0, 3)


def test_a_broken_line_is_named_and_the_rest_is_taken_in(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "half.jsonl"
    file.write_text(json.dumps(PAPERS[0]) + '\n{"id": "2604.0\n' + json.dumps(PAPERS[1]) + "\n", "utf-8")
    added = run("add", str(file), "--json")
    assert added.code == 3
    assert (added.document["new"], len(added.document["skipped"])) == (2, 1)
    assert (added.document["skipped"][0]["path"], added.document["skipped"][0]["line"]) == (str(file), 2)


def test_a_file_that_is_not_there_fails_and_is_named(run: Run, tmp_path: Path) -> None:
    added = run("add", str(tmp_path / "none.bib"), "--json")
    assert added.code == 1
    assert added.document["skipped"][0]["path"] == str(tmp_path / "none.bib")


def test_an_added_paper_is_found_at_once_by_its_words(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    found = run("search", "cosmic rays in galaxies", "--json")
    assert found.code == 0
    assert found.document["results"][0]["id"] == "arxiv:2604.00001"
    assert found.document["results"][0]["announced"] == "2026-04-23"
    assert found.document["results"][0]["submitted"] == "2026-04-21"


def test_reasons_of_a_result_add_up_to_its_score(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    for query in ("kernels", "arXiv:2604.00002v3", "A linear combination of kernels for ranking"):
        for result in run("search", query, "--json").document["results"]:
            assert sum(r["share"] for r in result["reasons"]) == pytest.approx(result["score"], abs=1e-6)


def test_nothing_found_is_an_empty_list_and_no_failure(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    found = run("search", "author:nobody", "--json")
    assert (found.code, found.document["results"]) == (0, [])


def test_suggestions_go_on_from_what_is_typed(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    told = run("suggest", "cosm", "--json").document
    assert told["query"] == "cosm"
    assert {"text": "cosmic", "kind": "word", "papers": 1} in told["suggestions"]
    assert "cosmic" in run("suggest", "cosm").out


def test_a_misspelt_word_is_told_with_what_may_be_meant(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    found = run("search", "cosmix", "--json").document
    assert (found["did_you_mean"], found["results"]) == ("cosmic", [])


def test_a_filter_that_no_paper_can_pass_is_wrong_usage(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    refused = run("search", "rays since:2031-02-30", "--json")
    assert (refused.code, refused.document["error"]["code"]) == (2, "bad_query")
    assert "since:2031-02-30" in refused.document["error"]["message"]


def test_a_search_in_an_empty_home_finds_nothing(run: Run) -> None:
    found = run("search", "anything", "--json")
    assert (found.code, found.document["total"]) == (0, 0)


def test_saving_makes_a_library_that_search_and_export_can_keep_to(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    saved = run("save", "2604.00002", "--json")
    assert saved.document["recorded"] == [
        {"number": 1, "id": "arxiv:2604.00002", "kind": "saved", "undoes": None}
    ]
    kept = run("search", "kernels", "--saved", "--json").document["results"]
    assert [result["id"] for result in kept] == ["arxiv:2604.00002"]
    exported = run("export", "--format", "csl-json", "--saved").document
    assert [record["id"] for record in exported] == ["arxiv:2604.00002"]
    undone = run("save", "2604.00002", "--undo", "--json").document["recorded"]
    assert undone == [{"number": 2, "id": "arxiv:2604.00002", "kind": "undone", "undoes": 1}]
    assert run("export", "--format", "jsonl", "--saved").out == ""


def test_all_papers_of_one_command_are_recorded_or_none(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    assert run("save", "2604.00001", "2604.09999", "--json").code == 1
    assert run("export", "--format", "jsonl", "--saved").out == ""


def test_opening_prints_the_address(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    assert run("open", "2604.00001").out == "https://arxiv.org/abs/2604.00001\n"


def test_a_library_is_added_as_a_readers_own(run: Run, papers_file: Path) -> None:
    assert run("add", str(papers_file), "--reader", "ada").code == 0
    exported = run("reader", "export", "ada", "--json").document
    assert [(entry["kind"], entry["paper_id"]) for entry in exported["interactions"]] == [
        ("saved", f"arxiv:{paper['id']}") for paper in PAPERS
    ]
    run("add", str(papers_file), "--reader", "ada")
    assert len(run("reader", "export", "ada", "--json").document["interactions"]) == 3
    assert run("reader", "forget", "ada", "--json").code == 2
    assert run("reader", "forget", "ada", "--yes", "--json").document["forgotten"]["interactions"] == 3


def test_following_and_blocking_stand_until_removed(run: Run) -> None:
    run("follow", "--category", "cs.LG", "--author", "Ada Quillfeather")
    stood = run("block", "--word", "blockchain", "--json").document["following"]
    assert {(entry["kind"], entry["value"], entry["wanted"]) for entry in stood} == {
        ("category", "cs.LG", True),
        ("author", "Ada Quillfeather", True),
        ("word", "blockchain", False),
    }
    left = run("follow", "--category", "cs.LG", "--remove", "--json").document["following"]
    assert {entry["kind"] for entry in left} == {"author", "word"}


def test_topics_are_made_listed_and_removed(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    made = run(
        "reader", "topics", "me", "--add", "Dwarfs", "--query", "dwarf", "--seed", "2604.00001", "--json"
    )
    assert made.document["topics"] == [
        {"id": 1, "reader_id": 1, "name": "Dwarfs", "query": "dwarf", "seeds": ["arxiv:2604.00001"]}
    ]
    assert run("reader", "topics", "me", "--remove", "Dwarfs", "--json").document["topics"] == []
    assert run("reader", "topics", "me", "--remove", "Dwarfs", "--json").code == 1


def test_an_unknown_reader_is_wrong_usage_and_the_known_ones_are_named(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    refused = run("save", "2604.00001", "--reader", "nobody", "--json")
    assert refused.code == 2
    assert refused.document["error"]["code"] == "unknown_reader"
    assert "me" in refused.document["error"]["next_step"]


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [
        (("show", "../outside"), 2),
        (("show", "2604.09999"), 1),
        (("search", "x", "--limit", "0"), 2),
        (("search", "x", "--since", "yesterday"), 2),
        (("search", "x", "--since", "2026-02-02", "--until", "2026-01-01"), 2),
        (("bogus",), 2),
        (("reader", "add", ""), 2),
        (("reader", "add", "ada", "--timezone", "Mars/Olympus"), 2),
        (("reader", "topics", "me", "--query", "x"), 2),
        (("add", "x", "--format", "docx"), 2),
    ],
)
def test_a_failure_says_what_to_do_next_as_one_json_document(
    run: Run, arguments: tuple[str, ...], exit_code: int
) -> None:
    failed = run(*arguments, "--json")
    assert failed.code == exit_code
    error = failed.document["error"]
    assert set(error) == {"code", "message", "next_step"}
    assert error["message"]
    assert error["next_step"]


def test_a_hostile_title_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "hostile.jsonl"
    paper = {**PAPERS[0], "title": "Red \u001b[31malert\u0007 and \u009b2J wiped"}
    file.write_text(json.dumps(paper) + "\n", "utf-8")
    run("add", str(file))
    shown = run("show", "2604.00001").out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\x9b" not in shown


def test_every_command_explains_itself(run: Run) -> None:
    told = run("--help")
    assert told.code == 0
    assert "search" in told.out


def test_python_m_broadsheet_is_the_same_command() -> None:
    told = subprocess.run([sys.executable, "-m", "broadsheet", "--help"], capture_output=True, text=True)
    assert (told.returncode, told.stdout.splitlines()[0]) == (
        0,
        "Usage: broadsheet [OPTIONS] COMMAND [ARGS]...",
    )


LIGHT_COMMANDS = ("broadsheet.cli.papers", "broadsheet.cli.interactions")
HEAVY = ("sklearn", "scipy", "httpx", "lxml", "feedparser", "bibtexparser", "starlette", "uvicorn", "onnx")


@pytest.mark.parametrize("module", LIGHT_COMMANDS)
def test_search_and_show_load_nothing_that_they_do_not_need(module: str) -> None:
    program = f"import sys, {module}; print([m for m in {HEAVY!r} if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def test_a_very_long_title_names_no_file(run: Run, tmp_path: Path) -> None:
    """300 letters, 200 of them of four bytes: longer in bytes than any file's name may be."""
    file = tmp_path / "long.jsonl"
    title = "x" * 100 + "\U0001d49c" * 200
    file.write_text(json.dumps({**PAPERS[0], "title": title}) + "\n", "utf-8")
    assert run("add", str(file), "--json").document["new"] == 1
    run("save", "2604.00001")
    assert run("index", "--json").code == 0
    assert run("show", "2604.00001", "--json").document["paper"]["title"] == title
    assert json.loads(run("export", "--saved", "--format", "jsonl").out)["title"] == title
    names = [path.name for path in (tmp_path / "home").rglob("*")]
    assert all(len(name.encode()) < 100 and "x" * 50 not in name for name in names)


@pytest.fixture
def with_encoder(minilm: Path, tmp_path: Path) -> None:
    """A home that has its encoder, so that nothing is fetched."""
    encoders = tmp_path / "home" / "encoders"
    shutil.copytree(minilm, encoders / "minilm")
    (encoders / "in-use.json").write_text('{"name": "minilm"}', "utf-8")


@pytest.mark.weights
@pytest.mark.usefixtures("with_encoder")
def test_start_names_what_it_could_not_take_in_as_add_does(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "half.jsonl"
    file.write_text(json.dumps(PAPERS[0]) + '\n{"id": "2604.0\n', "utf-8")
    begun = run("start", "--no-serve", str(file))
    assert begun.code == 3
    assert f"skipped {file}, line 2:" in begun.err
    assert f"Took in 1 of 2 records from {file}." in begun.err


@pytest.mark.weights
@pytest.mark.usefixtures("with_encoder")
def test_start_stops_where_nothing_that_was_named_can_be_read(run: Run, tmp_path: Path) -> None:
    begun = run("start", "--no-serve", str(tmp_path / "none.bib"))
    assert begun.code == 1
    assert f"skipped {tmp_path / 'none.bib'}: no such file" in begun.err
    assert "Nothing could be read from" in begun.err


def test_papers_without_a_day_are_not_called_missing(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.bib"
    file.write_text("@book{a, title = {Star formation}, author = {Ost, Cy}, year = 2031}\n", "utf-8")
    run("add", str(file))
    today = run("today", "--json").document
    assert (today["day"], today["results"]) == (None, [])
    assert today["notices"][0].startswith("None of the 1 papers held has an announcement day")
    assert run("today").out == today["notices"][0] + "\n"


def test_a_day_that_holds_nothing_of_what_is_followed_is_still_a_day(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    run("follow", "--category", "math.AG")
    today = run("today", "--json").document
    assert (today["day"], today["results"]) == ("2026-04-24", [])


def test_a_query_of_signs_alone_says_that_it_holds_no_word(run: Run, papers_file: Path) -> None:
    run("add", str(papers_file))
    notices = run("search", '"((', "--json").document["notices"]
    assert any("no word" in notice for notice in notices)


def test_today_is_made_though_the_words_index_is_damaged(run: Run, papers_file: Path, tmp_path: Path) -> None:
    run("add", str(papers_file))
    for file in (tmp_path / "home" / "index" / "words").iterdir():
        file.write_bytes(b"damaged")
    assert len(run("today", "--json").document["results"]) == 1
    assert run("check", "--json").code == 1
