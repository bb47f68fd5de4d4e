"""Which records are one work: merged, twins, or kept apart; nothing is ever deleted."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from making import NOW, on, outcomes, paper, store

from broadsheet.errors import UsageError
from broadsheet.library import digests, interactions, papers
from broadsheet.library.database import Library
from broadsheet.library.parting import part
from broadsheet.papers import Paper, RankedPaper
from broadsheet.readers import Digest, Interaction, Offered

PREPRINT = paper("arxiv:3001.00001", "Map of X", "We map X.", submitted=datetime(2030, 1, 2, tzinfo=UTC))
JOURNAL = paper(
    "doi:10.9/map",
    "Map of X.",
    "We have mapped X.",
    authors=("A. B. Nord", "B. Sued"),
    submitted=datetime(2031, 2, 3, tzinfo=UTC),
    journal_ref="J. Maps 3",
)
FILED = paper(title="Map of X", abstract="", authors=("Nord, A.", "Sued, B."))


def find(library: Library, id_: str) -> Paper:
    with library.read() as connection:
        return papers.find(connection, id_)[1]


def works(library: Library) -> int:
    with library.read() as connection:
        return papers.count(connection)


def twins(library: Library, id_: str) -> list[tuple[str, str]]:
    with library.read() as connection:
        return [(twin.id, twin.why) for twin in papers.twins(connection, papers.find(connection, id_)[0])]


@pytest.mark.parametrize("order", [(PREPRINT, JOURNAL), (JOURNAL, PREPRINT)])
def test_preprint_and_published_version_become_twins_by_title_and_authors(library: Library, order):
    """B46: other DOIs, other initials, a full stop and a year between them."""
    assert outcomes(library, *order) == ["new", "new"]
    assert twins(library, PREPRINT.id) == [(JOURNAL.id, "same title and authors")]
    assert twins(library, JOURNAL.id) == [(PREPRINT.id, "same title and authors")]
    assert find(library, PREPRINT.id) == PREPRINT
    assert find(library, JOURNAL.id) == JOURNAL


@pytest.mark.parametrize("turned", [False, True])
def test_a_preprint_that_names_the_journals_doi_is_its_twin_whatever_the_titles(library: Library, turned):
    retitled = replace(JOURNAL, title="An atlas", authors=())
    told = replace(PREPRINT, doi="10.9/MAP")
    order = (retitled, told) if turned else (told, retitled)
    assert outcomes(library, *order) == ["new", "new"]
    assert twins(library, told.id) == [(retitled.id, "names doi:10.9/map")]


def test_a_journals_doi_that_only_a_preprint_names_finds_the_preprint(library: Library):
    store(library, replace(PREPRINT, doi="10.9/map"))
    assert find(library, "https://doi.org/10.9/MAP").id == PREPRINT.id
    store(library, JOURNAL)
    assert find(library, "https://doi.org/10.9/MAP").id == JOURNAL.id


def test_titles_that_differ_in_a_numeral_are_two_works(library: Library):
    """B47."""
    told = [
        paper("doi:10.9/1", "On metrics. I"),
        paper("doi:10.9/2", "On metrics. II"),
        paper(title="Metrics 1 1"),
        paper(title="Metrics 11"),
    ]
    assert outcomes(library, *told) == ["new"] * 4
    assert twins(library, "doi:10.9/1") == []


def test_generic_titles_are_no_sign_of_one_work(library: Library):
    """B47: two prefaces by other people, and even two by the same, without any identifier."""
    by_others = paper(title="Preface", abstract="", authors=("Cy Ost",))
    assert outcomes(library, paper(title="Preface", abstract=""), by_others) == ["new", "new"]
    assert works(library) == 2
    assert outcomes(library, by_others, paper(title="Preface", abstract="")) == ["unchanged", "unchanged"]
    same_people = [paper("doi:10.9/1", "Editorial"), paper("pmid:7", "Editorial")]
    assert outcomes(library, *same_people) == ["new", "new"]


def test_records_without_text_all_stay(library: Library):
    """B49."""
    told = [paper("doi:10.9/1", "", "", authors=()), paper("doi:10.9/2", "", "", authors=())]
    assert outcomes(library, *told) == ["new", "new"]


def test_other_authors_or_many_years_keep_equal_titles_apart(library: Library):
    later = datetime(2040, 1, 1, tzinfo=UTC)
    told = [
        PREPRINT,
        paper("doi:10.9/1", "Map of X", authors=("Cy Ost", "Di West")),
        paper("doi:10.9/2", "Map of X", authors=()),
        replace(JOURNAL, submitted=later),
    ]
    assert outcomes(library, *told) == ["new"] * 4
    assert [twins(library, p.id) for p in told] == [[]] * 4


def test_a_doi_and_a_pubmed_record_of_one_article_are_merged(library: Library):
    in_pubmed = replace(JOURNAL, id="pmid:77", abstract="", comment="PubMed's")
    assert store(library, JOURNAL, in_pubmed) == [("new", JOURNAL.id), ("merged", JOURNAL.id)]
    assert find(library, "pmid:77") == replace(JOURNAL, comment="PubMed's")
    assert outcomes(library, JOURNAL, in_pubmed) == ["unchanged", "unchanged"]


def test_pubmeds_record_of_a_preprint_is_merged_into_it(library: Library):
    listed = paper("pmid:7", "Other words", doi="10.1101/a")
    assert outcomes(library, paper("doi:10.1101/a"), listed) == ["new", "merged"]
    assert twins(library, "doi:10.1101/a") == []


def test_a_record_that_names_two_ids_joins_the_papers_that_carry_them(library: Library):
    article, in_pubmed = paper("doi:10.9/1", "", ""), paper("pmid:7", "Title of seven", "Text.")
    bridge = replace(article, title="A title", identifiers=("pmid:7",))
    assert outcomes(library, article, in_pubmed) == ["new", "new"]
    assert works(library) == 2
    assert outcomes(library, bridge) == ["changed"]
    assert works(library) == 1
    assert find(library, "pmid:7") == replace(bridge, abstract="Text.")


def test_a_stronger_identifier_becomes_the_papers_id_and_the_old_one_still_leads_to_it(library: Library):
    assert store(library, FILED) == [("new", FILED.id)]
    with library.write() as connection:
        interactions.record(connection, [Interaction(1, FILED.id, "liked", NOW, "cli")])
    assert store(library, PREPRINT) == [("merged", PREPRINT.id)]
    assert find(library, FILED.id) == PREPRINT
    with library.read() as connection:
        key, _ = papers.find(connection, PREPRINT.id)
        assert interactions.standing(connection, 1) == {"liked": {key: NOW}}
        assert [(c.key, c.paper) for c in papers.changed(connection, 0, 10)] == [(1, None), (2, PREPRINT)]
    assert store(library, FILED) == [("unchanged", PREPRINT.id)]


def test_a_wrong_merge_can_be_undone_and_is_not_made_again(library: Library):
    told = on(replace(FILED, journal_ref="Atlas 1"), date(2031, 1, 2))
    store(library, PREPRINT, told)
    assert find(library, PREPRINT.id).journal_ref == "Atlas 1"
    with library.write() as connection:
        assert part(connection, FILED.id, NOW).id == FILED.id
    assert find(library, PREPRINT.id) == PREPRINT
    assert find(library, FILED.id) == replace(told.paper, announced=date(2031, 1, 2))
    assert outcomes(library, replace(FILED, comment="again"), replace(PREPRINT, version=2)) == ["changed"] * 2
    assert works(library) == 2
    with pytest.raises(UsageError, match="not merged"), library.write() as connection:
        part(connection, FILED.id, NOW)


def test_what_was_merged_before_goes_along_when_a_merge_is_undone(library: Library):
    article, in_pubmed = replace(JOURNAL, id="doi:10.9/1"), replace(JOURNAL, id="pmid:7")
    filed = replace(FILED, comment="filed")
    store(library, filed)
    store(library, in_pubmed)
    store(library, article)
    assert [find(library, p.id).id for p in (filed, in_pubmed, article)] == ["pmid:7"] * 3
    with library.write() as connection:
        part(connection, "doi:10.9/1", NOW)
    assert [find(library, p.id).id for p in (filed, in_pubmed, article)] == ["pmid:7", "pmid:7", article.id]


def test_withdrawn_is_what_the_newest_version_says_and_hides_no_earlier_one(library: Library):
    """B20."""
    gone = replace(
        PREPRINT,
        version=2,
        abstract="This paper has been withdrawn.",
        comment="This paper has been withdrawn by the authors",
        withdrawn=True,
    )
    store(library, PREPRINT, gone, PREPRINT)
    assert find(library, PREPRINT.id).withdrawn
    store(library, replace(gone, withdrawn=False, comment=None))
    assert find(library, PREPRINT.id).withdrawn
    with library.read() as connection:
        told = papers.versions(connection, papers.find(connection, PREPRINT.id)[0])
    assert [(v.version, v.abstract, v.withdrawn) for v in told] == [
        (1, "We map X.", False),
        (2, "This paper has been withdrawn.", True),
    ]
    store(library, replace(PREPRINT, version=3, abstract="We map X anew."))
    assert not find(library, PREPRINT.id).withdrawn


def test_a_new_version_keeps_likes_and_asks_for_new_vectors(library: Library):
    """B19."""
    store(library, PREPRINT)
    with library.write() as connection:
        interactions.record(connection, [Interaction(1, PREPRINT.id, "liked", NOW, "web")])
    store(library, replace(PREPRINT, version=2, title="Maps of X", abstract="We map X twice."))
    with library.read() as connection:
        assert interactions.standing(connection, 1) == {"liked": {1: NOW}}
        assert [(c.key, c.change, c.text_change) for c in papers.changed(connection, 0, 9)] == [(1, 2, 2)]
    assert works(library) == 1


def test_a_paper_announced_on_four_days_is_one_paper_that_was_offered_once(library: Library):
    """B50."""
    monday = date(2031, 1, 6)
    tuesday, wednesday, thursday = (monday + timedelta(days) for days in (1, 2, 3))
    store(library, on(PREPRINT, monday))
    with library.write() as connection:
        offered = Offered(RankedPaper(PREPRINT, 1.0, 1, ()), 1.0, False)
        digests.save(connection, Digest(0, 1, monday, (offered,), 1, "taste", 0, "1", NOW))
    store(library, on(PREPRINT, tuesday, kind="cross", category="cs.XB"))
    store(library, on(replace(PREPRINT, version=2), wednesday, kind="replace"))
    assert outcomes(library, on(replace(PREPRINT, version=2), wednesday, kind="replace")) == ["unchanged"]
    assert works(library) == 1
    with library.read() as connection:
        assert digests.offered_before(connection, 1, thursday) == {1}
        days = [(a.day, a.kind) for a in papers.announcements(connection, 1)]
    assert days == [(monday, "new"), (tuesday, "cross"), (wednesday, "replace")]
