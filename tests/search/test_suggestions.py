"""Suggestions as one types, and spellings that are offered for words that no paper has."""

import json
import shutil

import pytest
from few_papers import paper

from broadsheet.errors import IndexBroken, UsageError
from broadsheet.search import gathering
from broadsheet.search.finding import SearchRequest, find
from broadsheet.search.gathering import Gathered, TermsWriter
from broadsheet.search.index import update_words
from broadsheet.search.opening import terms_folder
from broadsheet.search.spelling import changed_letters
from broadsheet.search.suggesting import suggest
from broadsheet.search.terms import Terms

PAPERS = (
    paper("arxiv:3101.00001", "Diffusion models for graph kernels", "", ("Ada Q. Quillfeather", "Bo Ek")),
    paper("arxiv:3101.00002", "Diffusion Models in $\\alpha$-space", "", ("Ada Q. Quillfeather",)),
    paper("arxiv:3101.00003", "Self-supervised diffusion, models", "", ("Quillfeather, Adam",)),
    paper("arxiv:3101.00004", "Distances of LLMs: a survey", "Splines and kernels.", ("Anna Quist",)),
    paper("arxiv:3101.00005", "扩散模型综述", "", ("Wei Zhang",)),
)


@pytest.fixture
def index(library, take_in, tmp_path):
    """Bring the index up to the library, with these papers more."""

    def run(*papers) -> None:
        take_in(*papers)
        with library.read() as connection:
            update_words(connection, tmp_path / "index")

    run(*PAPERS)
    return run


@pytest.fixture
def suggested(library, index, tmp_path):
    def run(text: str, **options) -> list[tuple[str, int]]:
        with library.read() as connection:
            found = suggest(connection, tmp_path / "index", text, **options)
        return [(one.text, one.papers) for one in found]

    return run


@pytest.fixture
def search(library, index, tmp_path):
    def run(query: str, **options):
        with library.read() as connection:
            return find(connection, tmp_path / "index", None, SearchRequest(query, **options))

    return run


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("dif", [("diffusion", 3), ("diffusion models", 2)]),
        ("DIFF", [("diffusion", 3), ("diffusion models", 2)]),
        ("fusion models", []),
        ("for diffusion m", [("for diffusion models", 2)]),
        ("about graph ke", [("about graph kernels", 1)]),
        ('"graph k', [('"graph kernels"', 1)]),
        ("selfs", []),
        ("self-s", [("self-supervised", 1), ("self-supervised diffusion", 1)]),
        ("alpha", [("alpha space", 1)]),
        ("α", [("alpha space", 1)]),
        ("llm", [("LLMs", 1)]),
        ("扩散", [("扩散模型综述", 1)]),
        ("zzz", []),
        ("", []),
        (":-", []),
    ],
)
def test_a_beginning_goes_on_as_titles_do_the_most_frequent_first(suggested, typed, expected) -> None:
    assert suggested(typed) == expected


def test_neighbours_across_a_comma_are_no_phrase(suggested) -> None:
    assert ("diffusion models", 2) in suggested("diffusion")


@pytest.mark.parametrize("typed", ["quillf", "Ada Quillf", "ada q quill", "quillfeather a"])
def test_an_author_is_suggested_by_family_name_and_in_the_order_of_print(suggested, typed) -> None:
    assert ("Ada Q. Quillfeather", 2) in suggested(typed)


def test_after_author_names_alone_are_suggested_and_quoted(suggested) -> None:
    assert suggested("kernels author:qui") == [
        ('kernels author:"Ada Q. Quillfeather"', 2),
        ('kernels author:"Quillfeather, Adam"', 1),
        ('kernels author:"Anna Quist"', 1),
    ]
    assert suggested('au:"ada qu')[0] == ('au:"Ada Q. Quillfeather"', 2)


def test_a_longer_text_goes_on_to_whole_titles(suggested) -> None:
    assert suggested("Distances of L")[-1] == ("Distances of LLMs: a survey", 1)
    assert suggested("diffusion m") == [
        ("diffusion models", 2),
        ("Diffusion models for graph kernels", 1),
        ("Diffusion Models in $\\alpha$-space", 1),
    ]


def test_a_limit_is_kept_and_checked(suggested) -> None:
    assert len(suggested("d", limit=2)) == 2
    with pytest.raises(UsageError):
        suggested("d", limit=0)


def test_terms_follow_the_library_paper_by_paper(index, suggested) -> None:
    index(paper("arxiv:3101.00006", "Diffusion of ink", "", ("Cy Ost",)))
    assert suggested("diffusion")[0] == ("diffusion models", 2)
    assert suggested("dif")[0] == ("diffusion", 4)
    assert suggested("author:ost") == [('author:"Cy Ost"', 1)]


def test_a_paper_that_is_told_again_with_the_same_text_counts_once(index, suggested) -> None:
    again = paper(
        "arxiv:3101.00001", PAPERS[0].title, "", ("Ada Q. Quillfeather", "Bo Ek"), comment="12 pages"
    )
    index(again)
    assert suggested("dif")[0] == ("diffusion", 3)


def test_many_small_lists_are_merged_and_nothing_is_lost(tmp_path) -> None:
    writer = TermsWriter(tmp_path)
    for change in range(1, 41):
        writer.add(paper(f"arxiv:3102.{change:05}", f"Kelp number{change}", "", ("Ada Ek",)))
        writer.commit(change)
        writer.merge()
    assert len(list(tmp_path.glob("*.terms"))) <= 6
    terms = Terms.open(tmp_path)
    assert terms.covered == 40
    assert [(c.shown, c.papers) for c in terms.completions("kelp", "word", 5)] == [("kelp", 40)]
    assert len(terms.completions("number", "word", 100)) == 40
    assert [(c.shown, c.papers) for c in terms.completions("ek", "author", 5)] == [("Ada Ek", 40)]


def test_a_phrase_that_one_paper_of_very_many_has_is_left_out() -> None:
    gathered = Gathered()
    for number in range(gathering._MANY_PAPERS):
        gathered.add(paper("arxiv:3102.00001", "kelp forest" if number < 2 else f"urchin x{number}"))
    phrases = [line for line, _ in gathered.entries() if b"\0b" in line]
    assert phrases == [b"kelp forest\0b"]


@pytest.mark.parametrize("spoil", ["cut", "flip", "gone", "manifest", "version"])
def test_spoilt_terms_are_refused_and_made_again_alone(library, take_in, suggested, tmp_path, spoil) -> None:
    place = terms_folder(tmp_path / "index")
    [path] = place.glob("*.terms")
    data = bytearray(path.read_bytes())
    if spoil == "cut":
        path.write_bytes(data[:-3])
    elif spoil == "flip":
        data[600] ^= 1
        path.write_bytes(data)
    elif spoil == "gone":
        path.unlink()
    else:
        (place / "terms.json").write_text("{" if spoil == "manifest" else json.dumps({"format": 0}))
    if spoil != "flip":
        with pytest.raises(IndexBroken):
            suggested("dif")
    take_in(paper("arxiv:3101.00007", "Another title"))
    with library.read() as connection:
        assert update_words(connection, tmp_path / "index") == 1
    assert suggested("dif") == [("diffusion", 3), ("diffusion models", 2)]


def test_a_search_stands_without_its_terms_and_says_so(search, suggested, tmp_path) -> None:
    [path] = terms_folder(tmp_path / "index").glob("*.terms")
    path.write_bytes(b"")
    found = search("difusion")
    assert found.did_you_mean == "diffusion"
    assert any(str(path) in notice for notice in found.notices)


def test_an_older_index_without_terms_gets_them_and_searches_meanwhile(
    library, search, suggested, tmp_path
) -> None:
    shutil.rmtree(terms_folder(tmp_path / "index"))
    assert suggested("dif") == []
    assert search("diffusion").total == 3
    with library.read() as connection:
        assert update_words(connection, tmp_path / "index") == 0
    assert suggested("dif")[0] == ("diffusion", 3)


@pytest.mark.parametrize(
    ("query", "meant", "notice"),
    [
        ("difusion models", "diffusion models", "No paper has “difusion”. Did you mean “diffusion”?"),
        ("Difusion, models", "Diffusion, models", "No paper has “Difusion”. Did you mean “Diffusion”?"),
        ("kernles", "kernels", "No paper has “kernles”. Did you mean “kernels”?"),
        ("splins", "splines", "No paper has “splins”. Did you mean “splines”?"),
        ("quilfether", "Quillfeather", "No paper has “quilfether”. Did you mean “Quillfeather”?"),
        (
            "author:quilfeather",
            "author:Quillfeather",
            "No paper has “quilfeather”. Did you mean “Quillfeather”?",
        ),
        ("zzyzxq", None, "No paper has “zzyzxq”."),
    ],
)
def test_a_word_that_no_paper_has_is_told_with_the_nearest_that_some_has(
    search, query, meant, notice
) -> None:
    found = search(query)
    assert found.did_you_mean == meant
    assert found.notices[0].startswith(notice)


def test_nothing_is_corrected_silently(search) -> None:
    assert search("difusion").results == []


@pytest.mark.parametrize(
    "query", ["diffusion", "a of", "模型", "3101.00001", "kel", "author:quillfeather", "DIFFUSIONS"]
)
def test_words_in_use_are_not_doubted(search, query) -> None:
    found = search(query)
    assert found.did_you_mean is None
    assert not any("No paper has" in notice for notice in found.notices)


def test_a_rare_misspelling_is_doubted_where_far_more_papers_have_its_neighbour(search, index) -> None:
    index(
        *(paper(f"arxiv:3102.{n:05}", f"Kelp forests {n}") for n in range(400)),
        paper("arxiv:3103.00001", "Kelb"),
    )
    found = search("kelb")
    assert found.did_you_mean == "kelp"
    assert found.notices[0] == "Only one paper has “kelb”. Did you mean “kelp”?"
    assert found.results[0].paper.id == "arxiv:3103.00001"


@pytest.mark.parametrize(
    ("one", "other", "most", "changes"),
    [
        ("kelp", "kelp", 2, 0),
        ("kelp", "klep", 2, 1),
        ("kelp", "keelp", 1, 1),
        ("kelp", "map", 1, 2),
        ("", "ab", 2, 2),
    ],
)
def test_letters_are_counted_by_hand(one, other, most, changes) -> None:
    assert changed_letters(one, other, most) == changes
