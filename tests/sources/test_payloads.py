"""Every file that sources and programs really wrote is read, or refused with a reason and its line."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files.reading import read

NOW = datetime(2031, 3, 4, 12, tzinfo=UTC)
# How many papers each file holds, and how many of its records hold none.
HELD = {
    "arxiv_api/empty_result.xml": (0, 1),
    "arxiv_api/error_entry.xml": (0, 1),
    "arxiv_api/old_style_id.xml": (1, 0),
    "arxiv_api/one_unknown_one_known.xml": (1, 0),
    "arxiv_api/query_100.xml": (100, 0),
    "arxiv_api/query_page_0.xml": (10, 0),
    "arxiv_feed/daily_rss_handmade.xml": (2, 0),
    "arxiv_oai/getrecord_arXiv.xml": (1, 0),
    "arxiv_oai/getrecord_arXiv_10.xml": (1, 0),
    "arxiv_oai/listrecords_arXiv_hep-th.xml": (3, 0),
    "arxiv_other/search_index_sample.json": (2, 0),
    "biorxiv/details_excerpt.json": (1, 0),
    "biorxiv/pubs_excerpt.json": (1, 0),
    "crossref/error_404.txt": (0, 1),
    "crossref/unixref_abstract.xml": (1, 0),
    "crossref/works_with_links.json": (10, 0),
    "exports/better_bibtex_library.bib": (36, 0),
    "exports/better_bibtex_real_library_60.bib": (59, 0),
    "exports/calibre.bib": (1, 0),
    "exports/endnote.enw": (2, 11),
    "exports/endnote_article2.xml": (2, 0),
    "exports/endnote_multi_title.xml": (3, 0),
    "exports/jabref_complex.bib": (20, 0),
    "exports/jabref_groups_38.bib": (4, 0),
    "exports/ris_corrupted.ris": (1, 0),
    "exports/ris_empty_er.ris": (1, 0),
    "exports/rispy_example_bom.ris": (1, 0),
    "exports/rispy_example_wos.ris": (2, 0),
    "exports/scopus.ris": (1, 0),
    "exports/zotero_0.rdf": (1, 0),
    "exports/zotero_ris_0.ris": (1, 0),
    "hf_daily_papers/2024-05-27_first3.json": (3, 0),
    "hf_daily_papers/2026-08-20_first4.json": (4, 0),
    "hf_daily_papers/odd_wrapper_2025-01-10.json": (2, 0),
    "nasty_bib/bbt_author_splitter.bib": (1, 0),
    "nasty_bib/bbt_chokes.bib": (1, 0),
    "nasty_bib/bbt_math_markup.bib": (2, 0),
    "nasty_bib/bbt_percent_and_preamble.bib": (1, 0),
    "nasty_bib/bbt_round_braces.bib": (1, 0),
    "nasty_bib/bbt_string_substitution.bib": (1, 0),
    "nasty_bib/bbt_unknown_command.bib": (1, 0),
    "nasty_bib/cp1252_declared_utf8.bib": (0, 1),
    "nasty_bib/crossref_chain.bib": (4, 0),
    "nasty_bib/gbk_bytes.bib": (1, 0),
    "nasty_bib/mixed_content.bib": (1, 0),
    "nasty_bib/utf16le_bom.bib": (1, 0),
    "nasty_bib/utf8_bom.bib": (2, 0),
    "oai_generic/GetRecord_utf8test.xml": (1, 0),
    "oai_generic/ListRecords4.xml": (1, 1),
    "oai_generic/badResumptionToken.xml": (0, 1),
    "oai_generic/idDoesNotExist.xml": (0, 1),
    "openalex/works_2_full.json": (2, 0),
    "pubmed/medline_mathml.xml": (1, 0),
    "pubmed/medline_nbib.xml": (2, 0),
    "pubmed/pubmed-29768149.xml": (1, 0),
    "pubmed/pubmed_book.xml": (1, 0),
    "pubmed/sample.nbib": (1, 0),
    "s2/not_found.json": (0, 1),
    "s2/paper_null_values.json": (0, 1),
    "s2/search.json": (100, 0),
}


def test_every_payload_is_read_or_refused_with_its_line(evaluation_data: Path) -> None:
    folder = evaluation_data / "payloads"
    found = {}
    for path in sorted(folder.rglob("*.*")):
        if path.name != "README.md":
            listed = list(read(path, now=NOW))
            refused = [one for one in listed if isinstance(one, Skipped)]
            assert all(one.line and one.why for one in refused), refused
            papers = [one for one in listed if isinstance(one, Arrival)]
            found[str(path.relative_to(folder))] = (len(papers), len(refused))
    assert found == HELD


@pytest.mark.parametrize(
    ("name", "place", "paper_id", "title", "first_author"),
    [
        ("nasty_bib/gbk_bytes.bib", 0, "file:", "Test Title", "凯撒"),
        ("nasty_bib/bbt_round_braces.bib", 0, "file:", "The CONNIVER Reference Manual", "Drew V. McDermott"),
        (
            "nasty_bib/bbt_unknown_command.bib",
            0,
            "arxiv:astro-ph/0405395",
            "Bright metal-poor variables: Why “Anomalous” Cepheids?",
            "F. Caputo",
        ),
        ("pubmed/medline_mathml.xml", 0, "doi:10.1515/jib-2020-0021", "CellML 2.0", "Michael Clerx"),
        ("exports/zotero_0.rdf", 0, "file:", "Das Adam-Smith-Projekt", "Bastian Ronge"),
        (
            "hf_daily_papers/odd_wrapper_2025-01-10.json",
            0,
            "arxiv:2501.05441",
            "The GAN is dead; long live the GAN! A Modern GAN Baseline",
            "Yiwen Huang",
        ),
    ],
)
def test_a_payloads_record_is_right(
    evaluation_data: Path, name: str, place: int, paper_id: str, title: str, first_author: str
) -> None:
    one = list(read(evaluation_data / "payloads" / name, now=NOW))[place]
    assert isinstance(one, Arrival)
    assert one.paper.id.startswith(paper_id)
    assert (one.paper.title, one.paper.authors[0].name) == (title, first_author)


def test_the_saved_page_holds_120_abstracts(evaluation_data: Path) -> None:
    found = list(read(evaluation_data / "pages", now=NOW))
    assert [type(one) for one in found] == [Arrival] * 120
    first = found[0]
    assert isinstance(first, Arrival)
    assert first.paper.title == first.paper.abstract[:120].rstrip()
