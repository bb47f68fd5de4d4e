"""Measures and collections: values worked out by hand."""

import gzip
import json

import numpy as np
import pytest

from broadsheet.errors import UsageError
from broadsheet.evaluation.collections import read_collection
from broadsheet.evaluation.measures import compare, measure, summarise
from broadsheet.evaluation.retrieval import evaluate


def measured(ranking, judged) -> dict[str, float]:
    return {name: values[0] for name, values in measure({"q": ranking}, {"q": judged}).items()}


def test_ndcg_is_linear_in_the_gain_and_judged_against_the_ideal() -> None:
    judged = {"a": 3, "b": 1, "c": 0}
    ideal = 3 + 1 / np.log2(3)
    found = measured(["c", "a", "b"], judged)["ndcg@10"]
    assert found == pytest.approx((3 / np.log2(3) + 1 / 2) / ideal)
    assert measured(["a", "b"], judged)["ndcg@10"] == pytest.approx(1)


def test_only_the_relevant_among_the_first_count() -> None:
    judged = {"a": 2, "b": 1, "c": 0, "d": -1}
    found = measured(["c", "d", "a"], judged)
    assert (found["recall@100"], found["mrr@10"]) == (0.5, pytest.approx(1 / 3))
    late = measured([*(f"x{i}" for i in range(10)), "a"], judged)
    assert (late["ndcg@10"], late["mrr@10"], late["recall@100"]) == (0, 0, 0.5)


def test_a_query_that_finds_nothing_counts_as_nought() -> None:
    values = measure({"found": ["a"], "empty": []}, {"found": {"a": 1}, "empty": {"a": 1}})
    assert values["ndcg@10"].tolist() == [1, 0]


def test_a_difference_is_judged_query_by_query() -> None:
    """Of the 16 ways to give four equal differences a sign, two reach as far as all plus or all minus."""
    ahead = compare(np.array([0.3, 0.5, 0.6, 0.9]), np.array([0.2, 0.4, 0.5, 0.8]))
    assert (ahead.mean, ahead.low, ahead.high) == (pytest.approx(0.1),) * 3
    assert ahead.p == pytest.approx(2 / 16, abs=0.01)
    assert compare(np.array([0.5, 0.7]), np.array([0.5, 0.7])).p == 1


def test_the_interval_holds_the_mean_and_repeats_itself() -> None:
    values = np.random.default_rng(1).uniform(size=80)
    found = summarise(values)
    assert found.low < found.mean < found.high
    assert found == summarise(values)
    alike = summarise(np.array([0.5, 0.5]))
    assert (alike.low, alike.high) == (0.5, 0.5)


def write(folder, documents, queries, judgements, packed=True):
    lines = "".join(json.dumps({"_id": i, "title": t, "text": x}) + "\n" for i, t, x in documents)
    if packed:
        with gzip.open(folder / "corpus.jsonl.gz", "wt") as file:
            file.write(lines)
    else:
        (folder / "corpus.jsonl").write_text(lines)
    (folder / "queries.jsonl").write_text("".join(json.dumps(query) + "\n" for query in queries))
    rows = "".join(f"{q}\t{d}\t{s}\n" for q, d, s in judgements)
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows)
    return folder


DOCUMENTS = [
    ("d1", "Graph kernels", "kernels"),
    ("d2", "Cells", "memory"),
    ("d3", "Graph walks", "walks of trees"),
]
QUERIES = [
    {"_id": "q1", "text": "graph"},
    {"_id": "q2", "text": "kernels graph", "paper_id": "d1"},
    {"_id": "q3", "text": "cells"},
    {"_id": "d2", "text": "memory cells"},
]
JUDGEMENTS = [
    ("q1", "d3", 1),
    ("q2", "d1", 2),
    ("q2", "d3", 1),
    ("q3", "d2", 0),
    ("d2", "d2", 1),
    ("d2", "d3", 1),
]


@pytest.mark.parametrize("packed", [True, False])
def test_words_are_measured_on_a_collection(tmp_path, packed) -> None:
    """Worked out by hand: d1 stands before d3 for q1 (its text is shorter); a query's own document is
    never ranked; q3 has nothing relevant and does not count; d2 finds nothing."""
    collection = read_collection(write(tmp_path, DOCUMENTS, QUERIES, JUDGEMENTS, packed))
    report = evaluate(collection, None)
    assert (report.queries, report.documents, report.encoder, report.meaning) == (3, 3, None, None)
    assert report.words["mrr@10"].mean == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert report.words["recall@100"].mean == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert report.fused["mrr@10"].mean == report.words["mrr@10"].mean
    assert report.against["words"].mean == 0
    assert "meaning" not in report.against


def test_judged_documents_alone_are_ranked_when_asked(tmp_path) -> None:
    collection = read_collection(write(tmp_path, DOCUMENTS, QUERIES, JUDGEMENTS))
    report = evaluate(collection, None, judged_only=True)
    assert report.words["mrr@10"].mean == pytest.approx(1)
    assert report.words["recall@100"].mean == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)


def test_ties_go_by_id(tmp_path) -> None:
    documents = [(name, "same", "words") for name in ("b", "a", "c")]
    folder = write(tmp_path, documents, [{"_id": "q", "text": "words"}], [("q", "b", 1)])
    assert evaluate(read_collection(folder), None).words["mrr@10"].mean == pytest.approx(1 / 2)


def test_an_index_that_is_kept_is_used_again(tmp_path) -> None:
    collection = read_collection(write(tmp_path, DOCUMENTS, QUERIES, JUDGEMENTS))
    first = evaluate(collection, None, workdir=tmp_path / "kept")
    assert evaluate(collection, None, workdir=tmp_path / "kept") == first


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.jsonl", '{"_id": "q"}\n{'),
        ("queries.jsonl", "[]"),
        ("qrels.tsv", "header\nq\td\n"),
        ("corpus.jsonl.gz", "x"),
    ],
)
def test_a_collection_of_another_form_is_refused_with_the_line(tmp_path, name, content) -> None:
    folder = write(tmp_path, DOCUMENTS, QUERIES, JUDGEMENTS)
    (folder / name).write_text(content)
    with pytest.raises(UsageError, match=name):
        read_collection(folder)


def test_a_folder_without_a_collection_is_refused(tmp_path) -> None:
    with pytest.raises(UsageError, match="corpus"):
        read_collection(tmp_path)
