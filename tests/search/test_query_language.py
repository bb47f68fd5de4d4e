"""What a query means: operators, what stays words, what is refused; folding that meets both ways."""

import re
from datetime import date

import pytest
from few_papers import paper
from hypothesis import example, given, settings
from hypothesis import strategies as st

from broadsheet.errors import BadQuery
from broadsheet.papers import Links
from broadsheet.search.query import Clause, parse
from broadsheet.search.text import author_query_terms, author_terms, running, spaced

PAPERS = (
    paper("arxiv:3101.00001", "Self-supervised maps", "We train.", ("Ada Q. Quillfeather",)),
    paper("arxiv:3101.00002", "Maps without labels", "Self supervised learning.", ("A. Quillfeather",)),
    paper("arxiv:3101.00003", r"An $\alpha$-divergence for K\"ahler maps", r"It takes $\mathcal{O}(n^2)$."),
    paper("arxiv:3101.00004", "β-VAE and ΛCDM", "Of σ8 and H₂O.", ("Seán O'Neill", "Łukasz Ek")),
    paper("arxiv:3101.00005", "since:2031-02-30", "A title like a filter.", announced=date(2031, 2, 3)),
    paper(
        "arxiv:3101.00006", "λόγος", "Words.", ("Jean-Luc Ost",), links=Links(code="https://code.invalid/x")
    ),
    paper("arxiv:3101.00007", "扩散模型综述: ﾃﾞｰﾀ", "总结。"),
    paper("doi:10.1002/(sici)1097-4571(1990)", "Indexing by latent meaning", "It works."),
)


@pytest.fixture
def search(search_among):
    return search_among(*PAPERS)


def ids(found) -> list[str]:
    return [result.paper.id.rsplit(":")[-1][-5:] for result in found.results]


@pytest.mark.parametrize(
    "text", ["self-supervised", "selfsupervised", "Self‐Supervised", "title:selfsupervised"]
)
def test_a_hyphenated_word_is_found_in_any_of_its_forms(search, text) -> None:
    assert "00001" in ids(search(text))


def test_a_hyphen_asks_for_both_words_and_for_the_one_word() -> None:
    assert running("Self-supervised GPT-4 in 2-3 steps -x- a--b") == (
        "self supervised gpt 4 in 2 3 steps x a b",
        ["selfsupervised", "gpt4"],
    )


def test_a_word_written_as_one_can_be_excluded(search) -> None:
    assert "00001" not in ids(search("maps -selfsupervised"))
    assert "00002" in ids(search("maps -selfsupervised"))


def test_phrases_keep_their_places_beside_words_written_as_one(search) -> None:
    assert ids(search('"self-supervised maps"')) == ["00001"]
    assert ids(search('"self supervised maps"')) == ["00001"]
    assert ids(search('"maps we train"')) == ["00001"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"$\alpha$-divergence", "alpha divergence"),
        (r"$\alpha$-divergence", "α-divergence"),
        (r"\mathcal{O}(n^2)", "O(n^2)"),
        (r"$\Lambda$CDM", "ΛCDM"),
        ("ΛCDM", "lambda CDM"),
        (r"K\"ahler", "Kähler"),
        (r"K\"{a}hler", "kahler"),
        (r"$\varepsilon$-greedy", "ϵ-greedy"),
        (r"Ir\v{s}i\v{c}", "Iršič"),
        (r"Stra\ss e", "STRASSE"),
        (r"\O rsted", "Orsted"),
        ("Łukasz Ørsted", "Lukasz Orsted"),
        ("λόγος", "ΛΟΓΟΣ"),
        ("αβ", r"$\alpha\beta$"),
        ("µm", r"$\mu$m"),
        (r"{\bf Deep} nets", "deep nets"),
        (r"$\sigma_8$", "σ8"),
        ("ﾃﾞｰﾀ", "データ"),
        ("so\u00adlution", "solution"),
    ],
)
def test_forms_of_one_text_fold_alike(one, other) -> None:
    assert spaced(one) == spaced(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"$\alpha$-divergence", "00003"),
        ("α-divergence", "00003"),
        ("Kähler", "00003"),
        (r'"K\"ahler maps"', "00003"),
        (r"\mathcal{O}(n^2)", "00003"),
        ("title:beta", "00004"),
        (r"$\beta$-VAE", "00004"),
        ("betavae", "00004"),
        (r"$\Lambda$CDM", "00004"),
        ("lambda cdm", "00004"),
        (r"H$_2$O", "00004"),
        (r"$\sigma_8$", "00004"),
        ("ΛΟΓΟΣ", "00006"),
        ("模型", "00007"),
        ("データ", "00007"),
        ("author:oneill", "00004"),
        ("author:O’Neill", "00004"),
        ('author:"Lukasz Ek"', "00004"),
        ('author:"Ost, J.-L."', "00006"),
        ("author:jeanluc", "00006"),
    ],
)
def test_what_is_asked_in_one_form_is_found_in_another(search, text, expected) -> None:
    assert ids(search(text))[0] == expected


@pytest.mark.parametrize(
    "name",
    ["Ada Q. Quillfeather", "A. Quillfeather", "quillfeather_a", "Quillfeather, A.", "Quillfeather, Ada"],
)
def test_forms_of_an_author_meet(search, name) -> None:
    """Case B76."""
    assert set(ids(search(f'author:"{name}"'))) == {"00001", "00002"}


@pytest.mark.parametrize(
    ("asked", "printed", "meets"),
    [
        ("Alexander Lee", "A. Lee", True),
        ("Lee, Alexander", "A. Lee", True),
        ("Alexander B. Lee", "A. Lee", True),
        ("Alexander B. Lee", "Alexander Lee", True),
        ("Alexander B. Lee", "Alexander C. Lee", False),
        ("Alan Lee", "Alexander Lee", False),
        ("A. Lee", "Alexander B. Lee", True),
        ("Jan van der Berg", "J. van der Berg", True),
        ("Ada Ek Quill", "A. E. Quill", True),
    ],
)
def test_initials_meet_the_names_they_stand_for(asked, printed, meets) -> None:
    held = set(author_terms(printed))
    assert all(held & set(group) for group in author_query_terms(asked)) is meets


@pytest.mark.parametrize(
    "text",
    [
        "Self-supervised maps.",
        "“Self-supervised\n  maps”",
        "self-super-\nvised maps",
        '"Self-Supervised Maps."',
        "SELFSUPERVISED MAPS",
    ],
)
def test_a_pasted_title_brings_its_paper_first(search, text) -> None:
    """Case B74: with quotes, line breaks, a full stop, hyphens at the end of lines."""
    first = search(text).results[0]
    assert (first.paper.id, first.reasons[0].feature) == ("arxiv:3101.00001", "exact")


def test_a_title_that_looks_like_a_bad_filter_is_found(search) -> None:
    assert ids(search("since:2031-02-30"))[0] == "00005"


@pytest.mark.parametrize(
    "text",
    [
        "arXiv:3101.00007v2",
        "see arXiv: 3101.00007, please",
        "(https://arxiv.org/pdf/3101.00007v1.pdf).",
        "arxiv.org/abs/3101.00007",
        "10.48550/arXiv.3101.00007",
        "https://huggingface.co/papers/3101.00007",
    ],
)
def test_an_identifier_is_seen_in_any_form_and_place(search, text) -> None:
    assert ids(search(text))[0] == "00007"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x 10.1002/(SICI)1097-4571(1990).", "doi:10.1002/(sici)1097-4571(1990)"),
        ("(doi:10.1002/(SICI)1097-4571(1990))", "doi:10.1002/(sici)1097-4571(1990)"),
        ("https://doi.org/10.1101/2031.01.01.573901 x", "doi:10.1101/2031.01.01.573901"),
        ("PMID: 29768149 x", "pmid:29768149"),
        ("https://pubmed.ncbi.nlm.nih.gov/29768149/", "pmid:29768149"),
        ("https://openreview.net/forum?id=AbCd_-9&noteId=x y", "openreview:AbCd_-9"),
    ],
)
def test_addresses_and_numbers_are_identifiers(text, expected) -> None:
    assert parse(text).ids == (expected,)


def test_code_is_something_that_papers_have(search) -> None:
    assert ids(search("has:code")) == ["00006"]
    assert "00006" not in ids(search("words -has:code"))


def test_days_that_are_excluded_are_those_outside() -> None:
    query = parse("maps -since:2031-02-01 -until:2030")
    assert (query.since, query.until) == (date(2031, 1, 1), date(2031, 1, 31))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("maps since:2031-02-30", "since:2031-02-30"),
        ("until:yesterday", "until:yesterday"),
        ("since:2031-06 until:2031-05", "until:2031-05-31"),
        ("has:wings", "has:wings"),
    ],
)
def test_a_filter_that_no_paper_can_pass_is_named_with_what_to_write(search, text, named) -> None:
    with pytest.raises(BadQuery) as refused:
        search(text)
    assert named in refused.value.message
    assert re.search("Write .*(since|until|has):", refused.value.next_step)
    assert (refused.value.code, refused.value.exit_code, refused.value.http_status) == ("bad_query", 2, 400)


def test_days_of_query_and_options_that_exclude_each_other_are_refused(search) -> None:
    with pytest.raises(BadQuery, match="until:2031-01-13"):
        search("maps since:2031-02", until=date(2031, 1, 13))


def test_an_id_that_is_none_is_told(search) -> None:
    found = search("id:banana")
    assert found.results == []
    assert any("id:banana" in notice for notice in found.notices)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("author:", "author:"),
        ("since: 2031", "since: 2031"),
        ("until:… maps", "until:… maps"),
        ('"', ""),
        ('5" and 6" pipes', "5 and 6 pipes"),
        ("C++ [x] AND (b", "C++ [x] AND (b"),
        ("--verbose", "--verbose"),
        ("state -of", "state"),
        (r"$\alpha$-divergence", r"$\alpha$-divergence"),
        ("$a -b$ maps", "$a -b$ maps"),
        ('"deep"-net', "deep -net"),
    ],
)
def test_what_cannot_be_meant_as_an_operator_is_words(text, words) -> None:
    assert parse(text).words == words


def test_quoted_text_is_never_an_operator() -> None:
    query = parse('"since:yesterday" "has:wings" "-maps"')
    assert query.required == (
        Clause("text", "since:yesterday"),
        Clause("text", "has:wings"),
        Clause("text", "-maps"),
    )


@pytest.mark.parametrize("text", ['author:"Ada Ek', "author：“Ada Ek”", 'AUTHOR:"Ada Ek"', 'au:"Ada Ek"'])
def test_a_field_is_seen_in_other_cases_and_marks(text) -> None:
    assert parse(text).required == (Clause("author", "Ada Ek"),)


_SIGNS = "\"-:()[]{}^~*?\\/+&|! $_'’“”aAsβ扩ํ\u0301\x00\n"
_WORDS = st.sampled_from(
    ["since:", "until:", "has:", "author:", "title:", "cat:", "id:", "2031", "-02-30", "code", "arXiv: ",
     "3101.00001", "10.1/x", "https://", "$\\alpha$", '"', "-"]
)  # fmt: skip
_TEXTS = st.lists(st.one_of(_WORDS, st.text(max_size=8), st.text(alphabet=_SIGNS, max_size=8))).map("".join)


@settings(max_examples=400, deadline=None)
@given(_TEXTS)
@example("since:0001-01-01 -since:0001-01-01")
@example("-until:9999-12-31")
def test_any_text_parses_or_names_the_filter_that_cannot_be_meant(text) -> None:
    try:
        query = parse(text)
    except BadQuery as error:
        refused = error.message
    else:
        assert not (query.since and query.until and query.since > query.until)
        return
    assert re.search("(since|until|has):", refused)
    assert re.search("since|until|has", text, re.IGNORECASE)


@settings(max_examples=200, deadline=None)
@given(_TEXTS)
def test_text_in_quotation_marks_is_at_most_a_phrase(text) -> None:
    quoted = re.sub(r'["“”„‟«»＂\\]', "", text)
    query = parse(f'"{quoted}"')
    assert {clause.field for clause in query.required} <= {"text"}
    assert (query.excluded, query.since, query.until) == ((), None, None)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_folding_is_done_once(text) -> None:
    words, compounds = running(text)
    assert (running(words)[0], running(words)[1]) == (words, [])
    assert all(" " not in compound for compound in compounds)
    assert words == spaced(text)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abé-Z2‐扩", max_size=30))
def test_folding_and_writing_as_one_agree_on_words(text) -> None:
    words, compounds = running(text)
    together = words.replace(" ", "")
    assert all(compound in together for compound in compounds)


def test_broken_bytes_of_a_terminal_are_no_error() -> None:
    assert parse("dark \udcff matter").words == "dark ? matter"
