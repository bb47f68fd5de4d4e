"""What may stand on a reader's page of a day."""

from dataclasses import replace
from datetime import timedelta

import pytest
from made_papers import ME, MONDAY, NOW, TUESDAY, arrival, did, fill, made

from broadsheet.library import digests, interactions, readers
from broadsheet.papers import Author, RankedPaper
from broadsheet.ranking.candidates import candidates, concerns, decided, is_same_author
from broadsheet.readers import Digest, Following, Offered


def names(library, day=TUESDAY):
    with library.read() as connection:
        standing = interactions.standing(connection, ME.id)
        found = candidates(connection, ME.id, day, readers.following(connection, ME.id), decided(standing))
    return [paper.id for paper in found.papers.values()]


def follow(library, kind, value, wanted=True):
    with library.write() as connection:
        readers.follow(connection, ME.id, [Following(ME.id, kind, value, wanted)])


def test_new_cross_and_featured_papers_stand_on_their_day_and_replacements_do_not(library):
    kinds = ("new", "cross", "featured", "replace", "replace-cross")
    told = [made("sky", n, MONDAY) for n in range(5)]
    fill(library, [arrival(p, TUESDAY, kind) for p, kind in zip(told, kinds, strict=True)])
    fill(library, [arrival(made("sky", 9, TUESDAY), TUESDAY + timedelta(days=1))])
    assert names(library) == [p.id for p in told[:3]]


def test_followed_categories_bound_the_day(library):
    sky, code = made("sky", 1, TUESDAY), made("code", 1, TUESDAY)
    fill(library, [arrival(sky), arrival(code)])
    follow(library, "category", "astro-ph")
    assert names(library) == [sky.id]


def test_a_followed_author_or_word_lets_papers_in_from_other_categories(library):
    sky = made("sky", 1, TUESDAY)
    by_ada = made("code", 1, TUESDAY, authors=(Author("Ada Q. Quillfeather"),))
    on_maps = replace(made("code", 2, TUESDAY), title="Star maps for tokens")
    other = made("code", 3, TUESDAY)
    fill(library, [arrival(p) for p in (sky, by_ada, on_maps, other)])
    follow(library, "category", "astro-ph.GA")
    follow(library, "author", "quillfeather_a")
    follow(library, "word", "star maps")
    assert set(names(library)) == {sky.id, by_ada.id, on_maps.id}


def test_nothing_but_a_followed_author_leaves_the_whole_day(library):
    papers = [made("sky", 1, TUESDAY), made("code", 1, TUESDAY)]
    fill(library, [arrival(p) for p in papers])
    follow(library, "author", "Nobody Known")
    assert names(library) == [p.id for p in papers]


@pytest.mark.parametrize(
    ("kind", "value"), [("category", "cs"), ("author", "A. Nord"), ("word", "Attention token")]
)
def test_what_is_blocked_never_stands_there(library, kind, value):
    blocked = replace(made("code", 1, TUESDAY), abstract="Of attention, token by token. " + "word " * 30)
    other = made("sky", 1, TUESDAY, authors=(Author("Bo Nord"),))
    fill(library, [arrival(blocked), arrival(other)])
    follow(library, kind, value, wanted=False)
    assert names(library) == [other.id]


def test_decided_and_withdrawn_papers_do_not_stand_there(library):
    told = [made("sky", n, TUESDAY) for n in range(6)]
    fill(library, [arrival(p) for p in told[:5]] + [arrival(replace(told[5], withdrawn=True))])
    for kind, paper in zip(("saved", "liked", "dismissed", "opened", "shown"), told[:5], strict=True):
        did(library, kind, paper)
    assert names(library) == [told[3].id, told[4].id]


def test_a_paper_offered_on_an_earlier_day_is_not_offered_again(library):
    """B50: announced Monday, cross-listed Tuesday, rerun Tuesday."""
    paper, other = made("sky", 1, MONDAY), made("sky", 2, MONDAY)
    fill(library, [arrival(paper), arrival(paper, TUESDAY, "cross"), arrival(other, TUESDAY, "cross")])
    offered = Offered(RankedPaper(paper, 1.0, 1, ()), 1.0, False)
    digest = Digest(0, ME.id, MONDAY, (offered,), 1, "date_and_signals", None, "none", NOW)
    with library.write() as connection:
        digests.save(connection, digest)
    assert names(library, MONDAY) == [paper.id]
    assert names(library, TUESDAY) == [other.id]


@pytest.mark.parametrize(
    ("printed", "wanted", "same"),
    [
        ("Ada Q. Quillfeather", "quillfeather_a", True),
        ("A. Quillfeather", "Quillfeather A", True),
        ("A. Quillfeather", "Quillfeather, Ada", True),
        ("Ada Quillfeather", "Quillfeather", True),
        ("Bo Quillfeather", "Quillfeather, Ada", False),
        ("Ada Nord", "Ada Sued", False),
        ("Jan van der Berg", "van der Berg, J.", True),
        ("Émile Lévy", "levy, emile", True),
        ("Ada Nord", "", False),
    ],
)
def test_printed_names_agree_where_they_can_be_one_person(printed, wanted, same):
    assert is_same_author(Author(printed), wanted) is same


def test_a_word_is_found_as_a_whole_word_only():
    paper = replace(made("sky", 1), title="Cartography", abstract="The art of it.")
    assert concerns(Following(1, "word", "ART", True), paper)
    assert not concerns(Following(1, "word", "cart", True), paper)
