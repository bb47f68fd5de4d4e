"""Text is cleaned once, at the edge: Unicode out of TeX, nothing unseen, mathematics as typed."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.papers import Author
from broadsheet.sources.tex import unknown_macros
from broadsheet.sources.text import author, clean, clean_bibtex, code_link, is_withdrawn, original


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (r"Ir\v{s}i\v{c}", "Iršič"),
        (r"$a<b$ and $c>d$, cost \$5", r"$a<b$ and $c>d$, cost \$5"),
        ("R&D \x0b of <T>-cells", "R&D of <T>-cells"),
        (r"Schr\"odinger, Pietrzy\' nski, St\ütz, Nguy\~ên", "Schrödinger, Pietrzyński, Stütz, Nguyễn"),
        (r"{\'\i} \'{\i} \v{\j} {\o}re S\o ren stra\ss e \'{\^e}", "í í ǰ øre Søren straße ế"),
        (r"\textbf{I}mproved \emph{a $x_{1}$ b} {\it Swift}-BAT", "Improved a $x_{1}$ b Swift-BAT"),
        (r"40\% of R\&D, A\_b, 30\,m, Paper~I, ~10 mm", "40% of R&D, A_b, 30 m, Paper I, ~10 mm"),
        (r"see \href{https://example.org/a}{our page}", "see our page (https://example.org/a)"),
        (
            r"\cite{key} and \ours{} at $10^{-3}$ and 10^{-3}",
            r"\cite{key} and \ours{} at $10^{-3}$ and 10^{-3}",
        ),
        (r"3 {\deg} {\AA} and \{a, b\} of {x, y}", r"3 ° Å and \{a, b\} of {x, y}"),
        (r"\(a\v{s}\) \[\'e\] $$\'e$$ \'e", r"\(a\v{s}\) \[\'e\] $$\'e$$ é"),
        ("soft\u00adhyphen, \ufeffmark, \u202eturned, e\u0301", "softhyphen, mark, turned, é"),
        ("  one\n two\t three\u00a0four ", "one two three four"),
        ("{C}onvergent {DNA} in M{ü}ller", "Convergent DNA in Müller"),
    ],
)
def test_each_way_of_writing_becomes_plain_unicode(typed: str, expected: str) -> None:
    assert clean(typed) == expected


def test_macros_that_are_not_known_stay_as_typed_and_are_counted() -> None:
    assert clean(r"with \ours and \vs and \ours") == r"with \ours and \vs and \ours"
    assert unknown_macros(r"with \ours, \'e, $\maths$, \alpha and \ours, \vs") == {"ours": 2, "vs": 1}


def test_a_bibtex_value_loses_all_its_braces_but_those_of_powers() -> None:
    typed = r"{The {DNA} of {M}{\"u}ller}: ``one''~-- two at 10^{-3}"
    assert clean_bibtex(typed) == "The DNA of Müller: “one” – two at 10^{-3}"


@given(st.text(max_size=300))
def test_cleaning_is_done_once(typed: str) -> None:
    assert clean(clean(typed)) == clean(typed)


@given(st.text(alphabet="a e{}\\$'\"^~cv()[]%-1\n", max_size=80))
def test_cleaning_tex_is_done_once(typed: str) -> None:
    assert clean(clean(typed)) == clean(typed)


@given(
    st.text(alphabet="ab xy{}^_\\<>&'", min_size=1, max_size=30).filter(
        lambda maths: not maths.endswith("\\") and "  " not in maths and maths == maths.strip()
    ),
    st.text(alphabet="ab ,.é", max_size=30),
)
def test_mathematics_between_dollars_is_untouched(maths: str, around: str) -> None:
    assert f"${maths}$" in clean(f"{around} \\'e ${maths}$ {around}")


def test_the_original_is_kept_only_where_more_than_white_space_changed() -> None:
    assert original("a  b\n", clean("a  b\n")) is None
    assert original(r"\'e", clean(r"\'e")) == r"\'e"


def test_hostile_text_is_cleaned_in_bounded_time() -> None:
    started = time.perf_counter()
    for hostile in ("{" * 200_000 + "}" * 200_000, r"\(" * 300_000, r"\'{" * 16_000, "{\\em " * 9_000):
        clean(hostile)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Ada Q. Quillfeather", Author("Ada Q. Quillfeather")),
        ("Quillfeather, Ada Q.", Author("Ada Q. Quillfeather", "Quillfeather", "Ada Q.")),
        ("Ford, Jr., Henry", Author("Henry Ford Jr.", "Ford", "Henry")),
        ("Ford, Henry, Jr.", Author("Henry Ford Jr.", "Ford", "Henry")),
        ("Russell E. Ryan, Jr.", Author("Russell E. Ryan, Jr.")),
        ("van der Berg, A.", Author("A. van der Berg", "van der Berg", "A.")),
        ("University of California, Berkeley", Author("University of California, Berkeley")),
        (r"Ir\v{s}i\v{c}, V.", Author("V. Iršič", "Iršič", "V.")),
        ("W. R. Cooney,", Author("W. R. Cooney")),
    ],
)
def test_a_name_in_either_order_is_one_author(printed: str, expected: Author) -> None:
    assert author(printed) == expected


@pytest.mark.parametrize(
    ("comment", "abstract", "expected"),
    [
        ("This paper has been withdrawn by the authors", "", True),
        ("This submission has been withdrawn by arXiv administrators due to overlap", "", True),
        ("Withdrawn: an error in Lemma 2", "", True),
        ("Paper withdrawn due to a crucial sign error", "", True),
        ("", "This paper has been withdrawn by the author because of an error in Theorem 1.", True),
        ("", "The article is temporarily withdrawn.", True),
        ("", "We study the withdrawal of troops from a border region.", False),
        ("", "After troops were withdrawn by the authorities the region changed.", False),
        ("Withdrawn from NeurIPS 2031", "", False),
        ("An earlier version of this paper was withdrawn by the author", "", False),
        ("12 pages, the data of v1 have been corrected", "", False),
        ("", "We examine how a drug that this paper has" + " x" * 200 + " is withdrawn.", False),
    ],
)
def test_only_a_paper_that_says_so_of_itself_is_withdrawn(
    comment: str, abstract: str, expected: bool
) -> None:
    assert is_withdrawn(comment, abstract) is expected


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("Code: github.com/Quill/feather-net.", "https://github.com/Quill/feather-net"),
        ("at https://www.GitHub.com/q/f.git, soon", "https://github.com/q/f"),
        (r"\url{https://github.com/q/feather\_net}", "https://github.com/q/feather_net"),
        ("see https: //gitlab.com/q/f/-/tree/main", "https://gitlab.com/q/f"),
        ("see https://q.github.io/f", None),
        ("https://notgithub.com/q/f and github.com/q", None),
        (None, None),
    ],
)
def test_the_first_code_repository_named_is_found(told: str | None, expected: str | None) -> None:
    assert code_link(told) == expected
