"""The rules by which two records are taken for one work, and the families of names."""

import doctest

import pytest
from making import paper

from broadsheet.library import likeness
from broadsheet.library.likeness import Names, family, names, relation, same_authors, title_key
from broadsheet.papers import Author


def test_the_examples_in_the_code_hold():
    assert doctest.testmod(likeness).failed == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Maps: a Review", "maps a review.", True),
        ("Lévy flights", "Levy Flights", True),
        ("The Re-ranking of maps", "The reranking of maps", True),
        ("Survey of maps 2030", "Survey of maps 2031", False),
        ("Maps, part 1 of 12", "Maps, part 11 of 2", False),
        ("扩散模型综述", "扩散模型综述", True),
    ],
)
def test_titles_are_compared_by_their_letters_and_numerals(one: str, other: str, same: bool):
    assert (title_key(one) == title_key(other)) is same


@pytest.mark.parametrize("title", ["", "0", "Preface", "EDITORIAL", "Letters to the Editor", "Erratum."])
def test_titles_that_say_too_little_have_no_key(title: str):
    assert title_key(title) is None


def authors(*printed: str) -> tuple[Author, ...]:
    return tuple(Author(name) for name in printed)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (["Ada Nord", "Bo Sued"], ["A. B. Nord", "Sued, B."], True),
        (["Ada Nord", "Bo Sued"], ["Bo Sued", "Ada Nord"], True),
        (["Ada Nord", "Bo Sued"], ["Nord A", "Sued B", "Ost C"], True),
        (["Ada Nord", "Bo Sued", "Cy Ost"], ["Ada Nord", "Di West", "Ed Mid"], False),
        (["Ada Nord"], ["Ada Nord", "Bo Sued"], True),
        (["Ada Nord"], ["Bo Sued", "Ada Nord"], False),
        (["Ada Nord"], ["Ada Nord", "Bo Sued", "Cy Ost"], False),
        (["Ada Nord"], [], False),
        (["João Lévy Jr."], ["Levy, J."], True),
        (["Di van der Berg"], ["Berg, D. van der"], True),
    ],
)
def test_authors_agree_by_family_names(one: list[str], other: list[str], same: bool):
    assert same_authors(authors(*one), authors(*other)) is same
    assert same_authors(authors(*other), authors(*one)) is same


def test_a_family_name_that_the_source_gave_is_taken():
    assert family(Author("Gabriel García Márquez", "García Márquez", "Gabriel")) == "marquez"


@pytest.mark.parametrize(
    ("told", "own", "pointers"),
    [
        (paper("arxiv:3101.00001", doi="10.9/A"), ["arxiv:3101.00001"], ["doi:10.9/a"]),
        (paper("arxiv:3101.00001", doi="10.48550/arXiv.3101.00001"), ["arxiv:3101.00001"], []),
        (paper("doi:10.9/a", doi="10.9/A"), ["doi:10.9/a"], []),
        (paper("pmid:7", doi="10.9/a"), ["pmid:7", "doi:10.9/a"], []),
        (paper("doi:10.9/a", identifiers=("arxiv:3101.00001",)), ["doi:10.9/a"], ["arxiv:3101.00001"]),
        (paper("doi:10.1101/a", doi="10.9/a"), ["doi:10.1101/a"], ["doi:10.9/a"]),
        (
            paper("arxiv:3101.00001", identifiers=("openreview:AbCd", "arxiv:3101.00002")),
            ["arxiv:3101.00001", "openreview:AbCd"],
            ["arxiv:3101.00002"],
        ),
        (paper("pmid:7", doi="10.1101/a"), ["pmid:7", "doi:10.1101/a"], []),
        (paper("doi:10.9/a", identifiers=("not an id",)), ["doi:10.9/a"], []),
    ],
)
def test_a_records_own_names_and_those_of_its_relatives_are_told_apart(told, own, pointers):
    assert names(told) == Names(tuple(own), tuple(pointers))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"file:0123456789abcdef"}, {"arxiv:3101.00001"}, "merge"),
        ({"file:0123456789abcdef"}, {"file:fedcba9876543210"}, "merge"),
        ({"doi:10.9/a"}, {"pmid:7"}, "merge"),
        ({"arxiv:3101.00001"}, {"openreview:AbCd"}, "merge"),
        ({"arxiv:3101.00001"}, {"doi:10.9/a"}, "twin"),
        ({"doi:10.1101/a"}, {"doi:10.9/a"}, "twin"),
        ({"arxiv:3101.00001"}, {"arxiv:3101.00002"}, "twin"),
        ({"doi:10.9/a", "pmid:7"}, {"doi:10.9/b"}, "twin"),
    ],
)
def test_what_belongs_together_is_merged_or_stays_two(one: set[str], other: set[str], expected: str):
    assert relation(one, other, share_a_name=False) == expected
    assert relation(other, one, share_a_name=False) == expected


def test_records_that_share_a_name_are_one_unless_one_registry_gave_them_two_ids():
    assert relation({"pmid:7"}, {"doi:10.1101/a"}, share_a_name=True) == "merge"
    assert relation({"doi:10.9/a", "pmid:7"}, {"doi:10.9/b"}, share_a_name=True) == "twin"
