"""Identifiers meet in one normal form, and nothing else passes for one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.errors import InvalidIdentifier
from broadsheet.papers import file_id, fold, implied_address, normal_id, parse_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2404.01647", ("arxiv:2404.01647", None)),
        ("arXiv:3101.00007v2", ("arxiv:3101.00007", 2)),
        ("https://arxiv.org/pdf/2404.01647v2.pdf", ("arxiv:2404.01647", 2)),
        ("http://export.arxiv.org/abs/hep-th/9901001v3", ("arxiv:hep-th/9901001", 3)),
        ("math.GT/0309136", ("arxiv:math/0309136", None)),
        ("oai:arXiv.org:2609.00001v2", ("arxiv:2609.00001", 2)),
        ("10.48550/arXiv.2302.06567", ("arxiv:2302.06567", None)),
        ("https://doi.org/10.1101/2031.01.01.573901", ("doi:10.1101/2031.01.01.573901", None)),
        ("doi:10.9/ABC", ("doi:10.9/abc", None)),
        ("DOI: 10.1000/ABC", ("doi:10.1000/abc", None)),
        (
            "https://www.medrxiv.org/content/10.64898/2031.01.01.5v2.full.pdf",
            ("doi:10.64898/2031.01.01.5", None),
        ),
        ("pmid:29768149", ("pmid:29768149", None)),
        ("https://openreview.net/forum?id=AbC_d&noteId=x", ("openreview:AbC_d", None)),
        ("https://huggingface.co/papers/2404.01647", ("arxiv:2404.01647", None)),
        ("../outside", None),
        ("/etc/hostname", None),
        ("3101.00007/../../x", None),
        ("9999.12345", None),
        ("", None),
        ("2404.01647\n", ("arxiv:2404.01647", None)),
        ("2404.01647\nx", None),
    ],
)
def test_an_identifier_in_any_form_has_one_normal_form(
    text: str, expected: tuple[str, int | None] | None
) -> None:
    if expected is None:
        with pytest.raises(InvalidIdentifier):
            parse_id(text)
    else:
        assert parse_id(text) == expected


@given(st.text(max_size=60))
def test_any_text_is_an_identifier_or_refused_and_a_normal_form_stays(text: str) -> None:
    try:
        normal = normal_id(text)
    except InvalidIdentifier:
        return
    assert normal_id(normal) == normal


@given(st.text(max_size=200))
def test_folding_is_done_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_folding_meets_across_accents_case_width_and_hyphens() -> None:
    assert fold("Lévy–Flights:\n a Ｒeview") == "levy flights a review"


def test_a_record_without_identifier_is_named_by_its_folded_text() -> None:
    assert file_id("A  Map", "of X") == file_id("a map", "Of\nx") != file_id("a map of", "x")


@pytest.mark.parametrize(
    ("paper_id", "address"),
    [
        ("arxiv:hep-th/9901001", "https://arxiv.org/abs/hep-th/9901001"),
        ("doi:10.1/a<b>#c", "https://doi.org/10.1/a%3Cb%3E%23c"),
        ("pmid:29768149", "https://pubmed.ncbi.nlm.nih.gov/29768149"),
        ("openreview:AbC_1", "https://openreview.net/forum?id=AbC_1"),
        ("file:0123456789abcdef", None),
    ],
)
def test_an_identifier_implies_where_its_paper_is_read(paper_id: str, address: str | None) -> None:
    assert implied_address(paper_id) == address
