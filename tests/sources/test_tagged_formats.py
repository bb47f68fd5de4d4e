"""RIS, MEDLINE, EndNote's and the Web of Science's tagged lines, with what people's files do to them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import enw, isi, nbib, ris
from broadsheet.sources.files.reading import read

NOW = datetime(2031, 3, 4, 12, tzinfo=UTC)
RIS = """TY  - JOUR
TI  - Maps of
  feathers
AU  - Nord, Ada
AU  - Sued, Bo, Jr.
PY  - 2031
DA  - 2031/07/04/
JF  - Annals of Maps
VL  - 12
IS  - 3
SP  - 45
EP  - 67
DO  - 10.9/ABC
UR  - https://arxiv.org/abs/3101.00007
AB  - We map.
ER  -
"""


def arrivals(found: object) -> list[Arrival]:
    listed = list(found)  # type: ignore[call-overload]
    assert [one for one in listed if isinstance(one, Skipped)] == []
    return listed


def test_a_ris_record_comes_with_every_field_in_its_place() -> None:
    (one,) = arrivals(ris.parse(RIS, "x.ris"))
    assert one.paper.title == "Maps of feathers"
    assert one.paper.authors == (Author("Ada Nord", "Nord", "Ada"), Author("Bo Sued Jr.", "Sued", "Bo"))
    assert one.paper.submitted == datetime(2031, 7, 4, tzinfo=UTC)
    assert one.paper.journal_ref == "Annals of Maps 12(3), 45-67 (2031)"
    assert (one.paper.id, one.paper.doi, one.paper.identifiers) == ("arxiv:3101.00007", "10.9/abc", ())


def test_missing_ends_blank_and_stray_lines_do_not_mix_records(caplog: pytest.LogCaptureFixture) -> None:
    first = "TY  - JOUR\nTI  - First\n\nPY  - 2031\n"
    text = f"{first}Query 4: maps\nTY  - JOUR\nTI  - Second\nAU  - Ost, C.\nER  - \n"
    one, two = arrivals(ris.parse(text, "x.ris"))
    assert (one.paper.title, one.paper.submitted, one.line) == ("First", datetime(2031, 1, 1, tzinfo=UTC), 1)
    assert (two.paper.title, two.paper.authors, two.line) == ("Second", (Author("C. Ost", "Ost", "C."),), 6)
    assert "x.ris, line 5: stray text is left out: Query 4: maps" in caplog.text


def test_ris_in_any_encoding_and_endnote_tags_by_the_name_of_ris_are_read(tmp_path: Path) -> None:
    greek = "TY  - JOUR\nTI  - Μια μελέτη της ελληνικής γλώσσας\nER  - \n"
    (tmp_path / "a.ris").write_bytes(b"\xef\xbb\xbf" + RIS.encode())
    (tmp_path / "b.ris").write_bytes(greek.encode("cp1253"))
    (tmp_path / "c.ris").write_text("%0 Journal Article\n%T Maps\n%A Nord, Ada\n")
    found = arrivals(read(tmp_path, now=NOW))
    assert [one.paper.title for one in found] == [
        "Maps of feathers",
        "Μια μελέτη της ελληνικής γλώσσας",
        "Maps",
    ]


def test_a_format_that_was_asked_for_and_is_another_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.ris"
    path.write_text("%0 Journal Article\n%T Maps\n%A Nord, Ada\n")
    (one,) = read(path, "ris", now=NOW)
    assert one == Skipped(str(path), 1, "holds nothing in the format ris; it looks like enw")


def test_a_medline_record_comes_with_every_field_in_its_place() -> None:
    text = """PMID- 123
TI  - Maps of feathers
      and birds.
LID - 10.9/abc [doi]
AB  - We
      map.
FAU - Nord, Ada
AU  - Nord A
CN  - Feather Group
DP  - 2031 Jul 4
JT  - Annals of maps
VI  - 12
IP  - 3
PG  - 45-67
PT  - Retracted Publication

PMID- 124
TI  - [Cartes.]
"""
    one, two = arrivals(nbib.parse(text, "x.nbib"))
    assert (one.paper.id, one.paper.identifiers) == ("doi:10.9/abc", ("pmid:123",))
    assert (one.paper.title, one.paper.abstract) == ("Maps of feathers and birds", "We map.")
    assert one.paper.authors == (Author("Ada Nord", "Nord", "Ada"), Author("Feather Group"))
    assert one.paper.submitted == datetime(2031, 7, 4, tzinfo=UTC)
    assert one.paper.journal_ref == "Annals of maps 12(3), 45-67 (2031)"
    assert (one.paper.withdrawn, two.paper.withdrawn) == (True, False)
    assert (two.paper.id, two.paper.title, two.line) == ("pmid:124", "Cartes", 17)


def test_an_endnote_record_comes_with_every_field_in_its_place() -> None:
    text = (
        "%0 Journal Article\n%A Nord, Ada\n%A Sued, Bo\n%D 2031\n%8 July 4\n%T Maps of\nfeathers\n"
        "%J Annals\n%V 1\n%R 10.9/x\n%X We map.\n\n%0 Book\n%T Birds\n"
    )
    one, two = arrivals(enw.parse(text, "x.enw"))
    assert (one.paper.title, one.paper.id, one.paper.abstract) == (
        "Maps of feathers",
        "doi:10.9/x",
        "We map.",
    )
    assert [author.name for author in one.paper.authors] == ["Ada Nord", "Bo Sued"]
    assert one.paper.submitted == datetime(2031, 7, 4, tzinfo=UTC)
    assert (two.paper.title, two.line) == ("Birds", 13)


def test_the_web_of_sciences_lines_are_read() -> None:
    text = (
        "FN Clarivate\nVR 1.0\nPT J\nAU Nord, A\n   Sued, B\nAF Nord, Ada\n   Sued, Bo\nTI Maps of\n"
        "   feathers\nSO ANNALS\nPY 2031\nPD JUL 4\nDI 10.9/x\nER\n\nPT J\nTI Birds\nER\nEF\n"
    )
    one, two = arrivals(isi.parse(text, "x.ris"))
    assert (one.paper.title, one.paper.id) == ("Maps of feathers", "doi:10.9/x")
    assert [author.name for author in one.paper.authors] == ["Ada Nord", "Bo Sued"]
    assert one.paper.submitted == datetime(2031, 7, 4, tzinfo=UTC)
    assert (two.paper.title, two.line) == ("Birds", 16)


@given(st.lists(st.from_regex(r"[A-Z][a-z]{2,8}", fullmatch=True), min_size=1, max_size=12))
def test_the_order_of_authors_survives_each_format(families: list[str]) -> None:
    def order(found: object) -> list[str | None]:
        return [author.family for one in arrivals(found) for author in one.paper.authors]

    names = [f"X{family}, A." for family in families]
    expected = [f"X{family}" for family in families]
    lines = "\n".join(f"AU  - {name}" for name in names)
    assert order(ris.parse(f"TY  - JOUR\nTI  - T\n{lines}\nER  - ", "x")) == expected
    assert order(nbib.parse("PMID- 1\n" + lines.replace("AU  -", "FAU -"), "x")) == expected
    assert order(enw.parse("%0 X\n%T T\n" + lines.replace("AU  -", "%A"), "x")) == expected


@given(st.text(alphabet="TYERAUIPMD0%X -\n9[]é", max_size=100))
def test_no_text_raises(text: str) -> None:
    for parse in (ris.parse, nbib.parse, enw.parse, isi.parse):
        for one in parse(text, "x"):
            assert isinstance(one, Arrival | Skipped)
