"""How documents become words on a page."""

import pytest

from broadsheet.web import rendering


@pytest.mark.parametrize(
    ("authors", "line"),
    [
        ([], ""),
        (["A. Nord"], "A. Nord"),
        (["A. Nord", "B. Sued"], "A. Nord and B. Sued"),
        (["A. Nord", "B. Sued", "C. Ost"], "A. Nord, B. Sued and C. Ost"),
        (["A", "B", "C", "D", "E"], "A, B, C and 2 others"),
        (["A", "B", "C", "D"], "A, B, C and 1 other"),
    ],
)
def test_a_byline_keeps_the_order_and_counts_who_is_left_out(authors: list[str], line: str) -> None:
    assert rendering.byline(authors, 3) == line


def test_a_long_abstract_is_cut_between_words_and_says_so() -> None:
    assert rendering.opening("one two three", 9) == "one two …"
    assert rendering.opening("one two", 9) == "one two"
    assert rendering.opening("x" * 50, 9) == "x" * 9 + " …"


def test_bars_compare_shares_by_size_and_leave_out_what_cannot_be_seen() -> None:
    reasons = [
        {"feature": "a", "text": "near", "share": 0.2},
        {"feature": "b", "text": "late", "share": -0.4},
        {"feature": "c", "text": "dust", "share": 0.0001},
    ]
    assert rendering.bars(reasons) == [("late", -0.4, 100.0), ("near", 0.2, 50.0)]
    assert rendering.bars([]) == []


def test_a_reason_without_weight_is_still_told() -> None:
    reasons = [{"feature": "date", "text": "first seen today", "share": -0.0}]
    assert rendering.bars(reasons) == [("first seen today", 0.0, 0.0)]
    assert rendering.signed(-0.0) == "+0.00"


@pytest.mark.parametrize(
    "link", [None, "", "javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "//a.example", "https:"]
)
def test_only_web_addresses_become_links(link: str | None) -> None:
    assert rendering.address(link) is None


def test_a_web_address_stays_as_it_is() -> None:
    assert rendering.address("https://arxiv.org/abs/2404.01647") == "https://arxiv.org/abs/2404.01647"


def test_the_page_of_a_paper_with_odd_signs_in_its_id_has_a_safe_address() -> None:
    assert rendering.paper_path('doi:10.1/<a>?"b"#c') == "/paper/doi:10.1/%3Ca%3E%3F%22b%22%23c"


def test_days_are_written_out() -> None:
    assert rendering.long_day("2026-02-01") == "Sunday, 1 February 2026"
    assert rendering.short_day("2026-12-31T23:59:00Z") == "31 December 2026"


def test_a_command_named_in_a_sentence_is_set_as_one_and_nothing_else_becomes_markup() -> None:
    text = "<b> is 'x'. Run 'broadsheet add <FILE>' or `broadsheet check`."
    assert rendering.prose(text) == (
        "&lt;b&gt; is &#39;x&#39;. Run <code>broadsheet add &lt;FILE&gt;</code>"
        " or <code>broadsheet check</code>."
    )
