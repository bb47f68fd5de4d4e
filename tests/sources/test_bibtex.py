"""BibTeX in every form that programs and people write it comes in right, entry by entry."""

import time
from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files.bibtex import authors_of, parse


def papers(text: str) -> list[Arrival]:
    found = list(parse(text, "x.bib"))
    assert [one for one in found if isinstance(one, Skipped)] == []
    return [one for one in found if isinstance(one, Arrival)]


def test_an_entry_comes_with_every_field_in_its_place() -> None:
    (one,) = papers(
        r"""% a comment line
@article{nord2031,
  title = {The {{DNA}} of {M}{\"u}ller's $\alpha_{1}$ Maps: 40\% -- ``More''},
  author = {Nord, Ada and {CMS Collaboration} and van der Sued, Jr., Bo and C. Ost and others},
  journal = {Annals of Maps}, volume = 12, number = {3}, pages = {45--67},
  year = 2031, month = jul, doi = {https://doi.org/10.9/AB\_C}, pmid = {123},
  abstract = {We map. Code: \url{https://github.com/q/maps}},
  note = {12 pages}, timestamp = {2031-08-02 12:14:36 +0100}, url = {https://example.org/a\_b},
}"""
    )
    paper = one.paper
    assert paper.id == "doi:10.9/ab_c"
    assert paper.identifiers == ("pmid:123",)
    assert paper.title == r"The DNA of Müller's $\alpha_{1}$ Maps: 40% – “More”"
    assert paper.authors == (
        Author("Ada Nord", "Nord", "Ada"),
        Author("CMS Collaboration"),
        Author("Bo van der Sued Jr.", "van der Sued", "Bo"),
        Author("C. Ost"),
    )
    assert paper.journal_ref == "Annals of Maps 12(3), 45–67 (2031)"
    assert paper.submitted == datetime(2031, 7, 1, tzinfo=UTC)
    assert (paper.comment, paper.links.code) == ("12 pages", "https://github.com/q/maps")
    assert (paper.links.abs, one.kept, one.line) == ("https://example.org/a_b", date(2031, 8, 2), 2)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("year = 2031, month = jul", datetime(2031, 7, 1, tzinfo=UTC)),
        ('year = 2031, month = "1~" # jan', datetime(2031, 1, 1, tzinfo=UTC)),
        ("year = {2031}, month = {12}", datetime(2031, 12, 1, tzinfo=UTC)),
        ("year = {2031}, month = {September}", datetime(2031, 9, 1, tzinfo=UTC)),
        ("date = {2031-03-04/2031-03-08}", datetime(2031, 3, 4, tzinfo=UTC)),
        ("year = {in press}", None),
    ],
)
def test_year_and_month_are_kept_however_they_are_written(fields: str, expected: datetime | None) -> None:
    (one,) = papers(f"@article{{a, title = {{T}}, {fields}}}")
    assert one.paper.submitted == expected


@pytest.mark.parametrize(
    ("fields", "paper_id", "identifiers", "doi"),
    [
        ("eprint = {3101.00007}, archiveprefix = {arXiv}, doi = {10.9/x}", "arxiv:3101.00007", (), "10.9/x"),
        ("eprint = {hep-th/9901001v2}", "arxiv:hep-th/9901001", (), None),
        ("journal = {arXiv preprint arXiv:3101.00007}", "arxiv:3101.00007", (), None),
        ("url = {http://arxiv.org/abs/3101.00007v3}", "arxiv:3101.00007", (), None),
        ("doi = {10.48550/arXiv.3101.00007}", "arxiv:3101.00007", (), None),
        ("doi = {10.9/x}, pmid = {12}", "doi:10.9/x", ("pmid:12",), "10.9/x"),
        ("url = {https://openreview.net/forum?id=AbC_d}", "openreview:AbC_d", (), None),
        ("eprint = {2860042}, eprinttype = {jstor}", "file:", (), None),
    ],
)
def test_the_strongest_identifier_names_the_paper(
    fields: str, paper_id: str, identifiers: Sequence[str], doi: str | None
) -> None:
    (one,) = papers(f"@misc{{a, title = {{T}}, {fields}}}")
    assert one.paper.id.startswith(paper_id)
    assert (one.paper.identifiers, one.paper.doi) == (identifiers, doi)


def test_strings_parentheses_and_joined_values_are_put_together() -> None:
    (one,) = papers(
        '@string{mcd = "McMap, Drew V."}\n'
        "@techreport(a, author = mcd # { and Gerald J. Sued}, title = {{\\sc X}})"
    )
    assert one.paper.authors == (Author("Drew V. McMap", "McMap", "Drew V."), Author("Gerald J. Sued"))
    assert (one.paper.title, one.line) == ("X", 2)


def test_crossref_gives_what_the_entry_lacks_but_never_its_title_or_identifiers() -> None:
    child, parent = papers(
        "@inproceedings{c, title={T}, author={A. Nord}, crossref={P}}\n"
        "@proceedings{p, title={Maps 2031}, year={2031}, doi={10.9/p}, crossref={c}}"
    )
    assert (child.paper.title, child.paper.journal_ref) == ("T", "Maps 2031 (2031)")
    assert child.paper.doi is None
    assert parent.paper.id == "doi:10.9/p"


def test_a_broken_entry_costs_only_itself_and_names_its_line() -> None:
    found = list(
        parse(
            "@article{a, title={T unclosed, year=2031}\n\n@article{b, title={X}}\n@article{c, title={Y}}", "p"
        )
    )
    assert found[0] == Skipped("p", 1, "a broken entry: its braces or quotes do not close")
    assert [(one.paper.title, one.line) for one in found if isinstance(one, Arrival)] == [("X", 3), ("Y", 4)]


def test_hostile_files_are_refused_in_bounded_time() -> None:
    started = time.perf_counter()
    assert list(parse("@a{\n" * 300_000, "p")) == [
        Skipped("p", 1, "more than 200,000 entries in one file; split it")
    ]
    assert [type(one) for one in parse("@a{" * 200_000, "p")] == [Skipped]
    assert [type(one) for one in parse("@misc{a, title = {" + "{" * 400_000, "p")] == [Skipped]
    assert time.perf_counter() - started < 10


def test_text_between_entries_and_comments_are_nobodys() -> None:
    text = "free text, me@example.org\n@comment{jabref-meta: x}\n@preamble{{x}}\n@article{a, title={T}}}}}"
    assert [one.paper.title for one in papers(text)] == ["T"]


def test_a_timestamp_of_dblp_is_no_day_of_keeping() -> None:
    fields = "title={T}, timestamp = {Mon, 27 Jul 2015 18:21:36 +0200}"
    assert papers(f"@misc{{a, {fields}}}")[0].kept == date(2015, 7, 27)
    assert papers(f"@misc{{a, {fields}, bibsource = {{dblp computer science bibliography}}}}")[0].kept is None


@pytest.mark.parametrize("key", ["date-added", "dateadded", "timestamp", "creationdate"])
def test_the_day_of_keeping_is_read_under_each_programs_name(key: str) -> None:
    assert papers(f"@misc{{a, title={{T}}, {key} = {{2031-02-03T10:00:00Z}}}}")[0].kept == date(2031, 2, 3)


def test_biblatex_names_by_parts() -> None:
    assert authors_of("family=Berg, given=Alexander, prefix=van and Ost, C.") == [
        Author("Alexander van Berg", "van Berg", "Alexander"),
        Author("C. Ost", "Ost", "C."),
    ]


@given(st.lists(st.from_regex(r"[A-Z][a-z]{1,8}", fullmatch=True), min_size=1, max_size=12))
def test_the_order_of_authors_survives(families: list[str]) -> None:
    families = [f"X{family}" for family in families]
    typed = " and ".join(f"{family}, A." for family in families)
    assert [one.family for one in authors_of(typed)] == families


@given(st.text(alphabet='@article{}(),="#\\ \n$ab1', max_size=120))
def test_no_text_raises(text: str) -> None:
    for one in parse(text, "x"):
        assert isinstance(one, Arrival | Skipped)
