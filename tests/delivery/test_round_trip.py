"""What is exported reads back as the same paper, in every form."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from broadsheet.delivery.exports import FORMS, export
from broadsheet.papers import Arrival, Author, Links, Paper
from broadsheet.sources.files.reading import read

NOW = datetime(2031, 3, 4, 12, tzinfo=UTC)
PAPERS = (
    Paper(
        id="arxiv:hep-th/9901001",
        title=r"Maps -- of “R&D” at 40% & \$5, $a_{1}<\{b\}$ {x, y} ^2 a_b ~10 #3",
        abstract=r"We map \ours{} with ``quotes'' and \{braces\} -- and --- on. C:\new {b, c}",
        authors=(
            Author("Bo van der Sued Jr.", "van der Sued", "Bo"),
            Author("CMS Collaboration"),
            Author("Ada Nord", "Nord", "Ada"),
            Author("Vid Iršič and Sons"),
        ),
        submitted=datetime(2031, 2, 3, tzinfo=UTC),
        categories=("hep-th", "math.XX"),
        doi="10.9/abc_d",
        source="arxiv",
    ),
    Paper(
        id="doi:10.9/x",
        title="0",
        abstract="",
        authors=(Author("Ost"),),
        submitted=datetime(2030, 12, 1, tzinfo=UTC),
        journal_ref="Annals of Maps 12(3), 45-67 (2030)",
        doi="10.9/x",
        identifiers=("pmid:123",),
        links=Links(abs="https://example.org/a_b?c=1&d=2"),
    ),
)


def told(paper: Paper) -> tuple[object, ...]:
    names = [author.name for author in paper.authors]
    return paper.id, paper.title, paper.abstract, names, paper.submitted, paper.doi, paper.identifiers


@pytest.mark.parametrize("form", sorted(FORMS))
def test_identifiers_texts_and_the_order_of_authors_survive(form: str, tmp_path: Path) -> None:
    path = tmp_path / "papers"
    path.write_text("".join(export(PAPERS, form)), encoding="utf-8")
    found = [one.paper for one in read(path, now=NOW) if isinstance(one, Arrival)]
    assert [told(one) for one in found] == [told(one) for one in PAPERS]
    assert found[1].links.abs == PAPERS[1].links.abs
    assert (found[1].journal_ref or "").startswith("Annals of Maps 12(3), 45-67 (2030)")


def test_json_lines_keep_the_rest_too(tmp_path: Path) -> None:
    paper = Paper(
        id="doi:10.1101/2031.01.01.5",
        title="Maps",
        abstract="We map.",
        updated=datetime(2031, 2, 4, tzinfo=UTC),
        version=3,
        withdrawn=True,
        comment="12 pages",
        doi="10.9/journal",
        links=Links("https://e.org/a", "https://e.org/b", "https://github.com/q/m", "https://e.org/c"),
        source="biorxiv",
    )
    path = tmp_path / "papers.jsonl"
    path.write_text("".join(export([paper], "jsonl")), encoding="utf-8")
    (found,) = read(path, now=NOW)
    assert isinstance(found, Arrival)
    assert found.paper == paper
