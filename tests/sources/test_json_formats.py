"""JSON that programs export and services answer: each told apart by its content and read."""

import json
import re
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsheet.papers import Announcement, Arrival, Author, Links, Signal, Skipped
from broadsheet.sources.files import json_documents
from broadsheet.sources.files.reading import read

NOW = datetime(2031, 3, 4, 12, tzinfo=UTC)


def parsed(document: object) -> list[Arrival]:
    found = list(json_documents.parse(json.dumps(document).encode(), "x.json", NOW))
    assert [one for one in found if not isinstance(one, Arrival)] == []
    return [one for one in found if isinstance(one, Arrival)]


def refused(document: object) -> str:
    (one,) = json_documents.parse(json.dumps(document).encode(), "x.json", NOW)
    assert isinstance(one, Skipped)
    assert one.line == 1
    return one.why


def test_csl_json_comes_with_every_field_in_its_place() -> None:
    item = {
        "id": "nord2031",
        "type": "article-journal",
        "title": "Maps <i>in vivo</i>",
        "author": [
            {"family": "Sued", "given": "Bo", "non-dropping-particle": "van", "suffix": "Jr."},
            {"literal": "CMS Collaboration"},
        ],
        "issued": {"date-parts": [["2031", 7, 4]]},
        "container-title": "Annals",
        "volume": 12,
        "DOI": "10.9/X",
        "PMID": "123",
        "abstract": "<jats:p>We map $a&lt;b$.</jats:p>",
        "added": "2031-08-02",
    }
    (one,) = parsed([item])
    assert (one.paper.id, one.paper.identifiers, one.kept) == ("doi:10.9/x", ("pmid:123",), date(2031, 8, 2))
    assert (one.paper.title, one.paper.abstract) == ("Maps in vivo", "We map $a<b$.")
    assert one.paper.authors == (Author("Bo van Sued Jr.", "van Sued", "Bo"), Author("CMS Collaboration"))
    assert (one.paper.submitted, one.paper.journal_ref) == (
        datetime(2031, 7, 4, tzinfo=UTC),
        "Annals 12 (2031)",
    )


def test_zoteros_json_leaves_trash_and_attachments_out() -> None:
    kept = {
        "itemType": "preprint",
        "title": "Maps",
        "creators": [{"creatorType": "author", "firstName": "Ada", "lastName": "Nord"}],
        "archiveID": "arXiv:3101.00007",
        "DOI": "10.48550/arXiv.3101.00007",
        "date": "2031-07",
        "dateAdded": "2031-08-02T09:10:11Z",
    }
    items = [
        {"data": kept},
        {"data": {"itemType": "attachment"}},
        {"data": {**kept, "deleted": 1, "key": "K1"}},
    ]
    one, trashed = json_documents.parse(json.dumps(items).encode(), "x.json", NOW)
    assert isinstance(one, Arrival)
    assert (one.paper.id, one.kept) == ("arxiv:3101.00007", date(2031, 8, 2))
    assert one.paper.authors == (Author("Ada Nord", "Nord", "Ada"),)
    assert trashed == Skipped("x.json", 1, "'K1' is in the library's trash")


DAILY = {
    "paper": {
        "id": "3101.00007",
        "title": "Maps",
        "summary": "We map.",
        "authors": [{"name": "A. Nord"}, {"name": "B. Sued"}],
        "publishedAt": "2031-02-27T00:00:00.000Z",
        "submittedOnDailyAt": "2031-03-03T00:00:00.000Z",
        "upvotes": 92,
        "githubRepo": "https://github.com/q/maps",
        "githubStars": 7,
        "projectPage": "https://q.example.org/",
    },
    "publishedAt": "2031-02-26T20:00:00.000Z",
}


def test_a_daily_paper_of_the_api_is_featured_on_its_day() -> None:
    (one,) = parsed([DAILY])
    noon = datetime(2031, 3, 3, 12, tzinfo=UTC)
    assert one.announcements == (
        Announcement("arxiv:3101.00007", "huggingface", "daily", date(2031, 3, 3), "featured", None, NOW),
    )
    assert one.signals == (
        Signal("arxiv:3101.00007", "upvotes", 92.0, noon),
        Signal("arxiv:3101.00007", "stars", 7.0, noon),
    )
    assert one.paper.links == Links(
        abs="https://arxiv.org/abs/3101.00007",
        pdf="https://arxiv.org/pdf/3101.00007",
        code="https://github.com/q/maps",
        project="https://q.example.org/",
    )
    assert [author.name for author in one.paper.authors] == ["A. Nord", "B. Sued"]


def test_a_day_of_daily_papers_kept_as_python_printed_it_is_read() -> None:
    paper = {key: value for key, value in DAILY["paper"].items() if key != "submittedOnDailyAt"}  # type: ignore[attr-defined]
    document = {"status": "success", "date": "2031-03-02", "data": [repr({"paper": paper}), "{'paper': [}"]}
    one, broken = json_documents.parse(json.dumps(document).encode(), "x.json", NOW)
    assert isinstance(one, Arrival)
    assert one.announcements[0].day == date(2031, 3, 2)
    assert broken == Skipped("x.json", 1, "number 2 of the list is no daily paper")


def test_a_preprint_of_biorxiv_is_announced_on_its_day_and_names_its_journals_twin() -> None:
    record = {
        "doi": "10.64898/2031.03.01.5",
        "title": "Maps",
        "authors": "Nord, A.; Sued, B.",
        "date": "2031-03-02",
        "version": "1",
        "category": "animal behavior and cognition",
        "abstract": "We map.",
        "published": "10.9/J",
        "server": "medRxiv",
    }
    later = {**record, "version": "2", "date": "2031-03-03", "published": "NA"}
    one, two = parsed({"messages": [{"status": "ok"}], "collection": [record, later]})
    assert (one.paper.id, one.paper.doi, one.paper.identifiers) == ("doi:10.64898/2031.03.01.5", "10.9/j", ())
    assert [author.name for author in one.paper.authors] == ["A. Nord", "B. Sued"]
    category = "animal behavior and cognition"
    assert one.announcements == (
        Announcement(one.paper.id, "medrxiv", category, date(2031, 3, 2), "new", 1, NOW),
    )
    assert (two.announcements[0].kind, two.paper.version, two.paper.announced) == ("replace", 2, None)


def test_openalex_gives_the_abstract_in_order_and_the_citations() -> None:
    work = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.9/X",
        "title": "Maps",
        "publication_date": "2031-07-04",
        "cited_by_count": 5,
        "authorships": [{"author": {"display_name": "Ada Nord", "orcid": "https://orcid.org/0000-0001"}}],
        "abstract_inverted_index": {"map.": [1, 3], "We": [0], "they": [2]},
    }
    (one,) = parsed({"meta": {}, "results": [work]})
    assert (one.paper.id, one.paper.abstract) == ("doi:10.9/x", "We map. they map.")
    assert one.paper.authors == (Author("Ada Nord", orcid="0000-0001"),)
    assert one.signals == (Signal("doi:10.9/x", "citations", 5.0, NOW),)


def test_crossref_and_semantic_scholar_are_read_and_their_errors_named() -> None:
    work = {
        "DOI": "10.9/X",
        "title": ["Maps"],
        "author": [{"given": "Ada", "family": "Nord"}],
        "issued": {"date-parts": [[None]]},
    }
    (one,) = parsed({"status": "ok", "message": {"items": [work]}})
    assert (one.paper.id, one.paper.authors, one.paper.submitted) == (
        "doi:10.9/x",
        (Author("Ada Nord", "Nord", "Ada"),),
        None,
    )
    paper = {
        "paperId": "f00",
        "title": "Maps",
        "externalIds": {"ArXiv": "3101.00007"},
        "year": 2031,
        "citationCount": 4,
    }
    (one,) = parsed({"total": 1, "data": [paper]})
    assert (one.paper.id, one.signals[0].value) == ("arxiv:3101.00007", 4.0)
    assert refused({"error": "Paper with id 0 not found"}) == "an error answer: Paper with id 0 not found"
    assert refused({"status": "ok", "message": {"items": []}}) == "an answer of Crossref without any work"
    assert refused({"x": 1}) == "JSON of no known shape"
    assert refused([1, 2]) == "JSON of no known shape"


def test_arxivs_search_documents_and_json_feed_are_read() -> None:
    document = {
        "paper_id": "3101.00007",
        "version": 2,
        "title_utf8": "Maps",
        "authors_parsed": [{"last_name": "Nord", "first_name": "Ada"}],
        "abs_categories": "math.XX cs.XA",
        "primary_classification": {"category": {"id": "cs.XA"}},
        "submitted_date_all": ["2031-07-05T00:00:00-0500", "2031-07-04T00:00:00-0500"],
        "is_withdrawn": True,
    }
    (one,) = parsed([document])
    assert (one.paper.categories, one.paper.version, one.paper.withdrawn) == (("cs.XA", "math.XX"), 2, True)
    assert one.paper.submitted == datetime(2031, 7, 4, 5, tzinfo=UTC)
    item = {
        "id": "1",
        "url": "https://doi.org/10.9/x",
        "title": "Maps",
        "content_html": "<p>We map.</p>",
        "authors": [{"name": "A. Nord"}],
    }
    (one,) = parsed({"version": "https://jsonfeed.org/version/1.1", "items": [item]})
    assert (one.paper.id, one.paper.abstract, one.paper.source) == ("doi:10.9/x", "We map.", "feeds")


def test_a_document_that_is_no_json_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[\n {"title": "Maps",\n  "DOI": }\n]')
    (one,) = read(path, now=NOW)
    assert isinstance(one, Skipped)
    assert one.line == 3


def test_deep_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[" * 200_000)
    (one,) = read(path, now=NOW)
    assert isinstance(one, Skipped)
    assert one.why.startswith("no JSON")


KEYS = re.findall(
    r"\S+",
    "paper id title summary authors data items results message collection author issued DOI date-parts"
    " paperId authorships abstract_inverted_index creators itemType version obs links name",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@given(JSON)
def test_no_document_raises(document: object) -> None:
    content = json.dumps(document).encode()
    for parse in (
        lambda: json_documents.parse(content, "x", NOW),
        lambda: json_documents.parse_csl(content, "x"),
    ):
        for one in parse():
            assert one is not None
