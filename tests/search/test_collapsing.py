"""Records of one work stand once in a list, at the best of their places; a list is as long as asked."""

from datetime import date

import pytest
from few_papers import paper

from broadsheet.papers import Links
from broadsheet.search import finding
from broadsheet.search.finding import SearchRequest, find
from broadsheet.search.index import update_words

PREPRINT = paper(
    "arxiv:3101.00001", "A map of kelp", "We map kelp forests from above.", ("Ada Ek",), doi="10.9/kelp"
)
JOURNAL = paper("doi:10.9/kelp", "Kelp forests mapped", "We map kelp forests from above.", ("Ada Ek",))
AGAIN = paper("arxiv:3101.00003", "On kelp and urchins", "Urchins eat kelp.", ("Bo Ost", "Cy Nord"))
OTHER_REGISTRY = paper(
    "arxiv:3101.00004", "On Kelp and Urchins.", "Urchins eat kelp.", ("Bo Ost", "Di Sued", "Ed Vest")
)
NAMESAKE = paper("arxiv:3101.00005", "On kelp and urchins", "Another view of kelp.", ("Flo Ek",))
PREFACES = (
    paper("doi:10.9/p1", "Preface", "Kelp is in this volume.", ("Ada Ek",)),
    paper("doi:10.9/p2", "Preface", "Kelp is in that volume.", ("Ada Ek",)),
)


@pytest.fixture
def search(library, take_in, tmp_path):
    """Search what was given; ``similar`` likewise."""

    def run(papers, query: str, like: bool = False, **options):
        take_in(*papers)
        with library.read() as connection:
            update_words(connection, tmp_path / "index")
            if like:
                return finding.similar(connection, tmp_path / "index", None, [query], **options)
            return find(connection, tmp_path / "index", None, SearchRequest(query, **options))

    return run


def told(found) -> dict[str, tuple[str, ...]]:
    return {result.paper.id: result.also for result in found.results}


def test_a_preprint_and_its_published_version_stand_once(search) -> None:
    found = search((PREPRINT, JOURNAL, AGAIN), "a map of kelp")
    assert told(found) == {PREPRINT.id: (JOURNAL.id,), AGAIN.id: ()}
    assert [result.rank for result in found.results] == [1, 2]


def test_the_record_that_is_asked_for_stands_for_its_work(search) -> None:
    assert told(search((PREPRINT, JOURNAL), "kelp 10.9/kelp")) == {JOURNAL.id: (PREPRINT.id,)}


def test_one_title_and_first_author_is_one_work_and_another_author_is_another(search) -> None:
    found = search((AGAIN, OTHER_REGISTRY, NAMESAKE), "title:urchins kelp")
    assert len(told(found)) == 2
    assert told(found)[NAMESAKE.id] == ()


def test_titles_that_say_nothing_collapse_nothing(search) -> None:
    """As case B47."""
    assert len(told(search(PREFACES, "kelp"))) == 2


def test_lists_by_day_collapse_as_well(search) -> None:
    assert told(search((PREPRINT, JOURNAL, AGAIN), "since:2031")) == {
        PREPRINT.id: (JOURNAL.id,),
        AGAIN.id: (),
    }


def test_what_is_similar_is_neither_the_same_work_nor_doubled(search) -> None:
    found = search((PREPRINT, JOURNAL, AGAIN, OTHER_REGISTRY), PREPRINT.id, like=True)
    assert len(told(found)) == 1
    assert {*told(found), *found.results[0].also} == {AGAIN.id, OTHER_REGISTRY.id}


def many(count: int):
    """Works about kelp, each as a preprint and as its published version."""
    for number in range(count):
        name = f"10.9/{number:03}"
        about = f"Kelp number{number} is studied. "
        yield paper(f"arxiv:3102.{number:05}", f"Kelp study alpha{number}", about, ("A Ek",), doi=name)
        yield paper(f"doi:{name}", f"Kelp published beta{number}", about, ("A Ek",))


@pytest.mark.parametrize("query", ["kelp", "cat:cs"])
def test_a_keyword_page_is_full_where_there_are_enough(search, query) -> None:
    """120 abstracts of 130 works that are held twice."""
    papers = [paper(p.id, p.title, p.abstract, ("A Ek",), ("cs.LG",), doi=p.doi) for p in many(130)]
    found = search(papers, query, limit=120)
    assert len(found.results) == 120
    assert len({i for result in found.results for i in (result.paper.id, *result.also)}) > 200


def test_a_keyword_page_in_quotation_marks_holds_the_phrase_everywhere(search) -> None:
    papers = [
        paper(f"arxiv:3103.{n:05}", f"Study {n}", "On kelp forests." if n % 2 else "Forests of kelp.", ())
        for n in range(300)
    ]
    found = search(papers, '"kelp forests"', limit=120)
    assert len(found.results) == 120
    assert all("kelp forests" in result.paper.abstract for result in found.results)


@pytest.mark.parametrize(
    ("query", "options", "expected"),
    [
        ("kelp", {}, {"3101.00001", "3101.00002"}),
        ('"kelp forests"', {}, {"3101.00001"}),
        ("kelp -urchins", {}, {"3101.00001"}),
        ("author:ek", {}, {"3101.00001"}),
        ("kelp", {"author": "B. Ost"}, {"3101.00002"}),
        ("title:kelp cat:cs", {}, {"3101.00001"}),
        ("kelp", {"categories": ("math.ST",)}, {"3101.00002"}),
        ("since:2031-02", {}, {"3101.00002"}),
        ("kelp", {"until": date(2031, 1, 31)}, {"3101.00001"}),
        ("has:code", {}, {"3101.00002"}),
        ("3101.00003", {}, set()),
        ("3101.00002", {}, {"3101.00002"}),
        ("Kelp forests seen", {}, {"3101.00001", "3101.00002"}),
    ],
)
def test_a_search_within_what_is_saved_keeps_all_filters(
    library, take_in, tmp_path, query, options, expected
) -> None:
    held = (
        paper("arxiv:3101.00001", "Kelp forests seen", "From above.", ("Ada Ek",), ("cs.CV",)),
        paper(
            "arxiv:3101.00002", "Kelp and urchins", "Counts.", ("Bo Ost",), ("math.ST",),
            announced=date(2031, 2, 3), links=Links(code="https://code.invalid"),
        ),
        paper(
            "arxiv:3101.00003", "Kelp that nobody saved", "Kelp forests.", ("Ada Ek", "Bo Ost"),
            ("cs.CV", "math.ST"), announced=date(2031, 2, 4), links=Links(code="https://code.invalid"),
        ),
    )  # fmt: skip
    keys = take_in(*held)
    with library.read() as connection:
        update_words(connection, tmp_path / "index")
        request = SearchRequest(query, within=frozenset(keys[:2]), **options)
        found = find(connection, tmp_path / "index", None, request)
    assert {result.paper.id.removeprefix("arxiv:") for result in found.results} == expected
