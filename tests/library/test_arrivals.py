"""Storing: what is new, changed, unchanged; versions; what is never lost."""

from dataclasses import replace
from datetime import UTC, date, datetime

from making import on, outcomes, paper, store, upvotes

from broadsheet.library import announcements, papers
from broadsheet.library.database import Library
from broadsheet.papers import Arrival, Author, Links, Paper

V1 = paper("arxiv:3101.00007", "Slow maps", "Maps are slow.")
V2 = replace(V1, version=2, title="Fast maps", abstract="Maps are fast.")


def found(library: Library, id_: str) -> Paper:
    with library.read() as connection:
        return papers.find(connection, id_)[1]


def test_a_paper_comes_back_as_it_was_stored(library: Library):
    told = Paper(
        "arxiv:3101.00007",
        "Maps",
        "Of X.",
        (
            Author("Ada Nord"),
            Author("Bo Sued", "Sued", "Bo"),
            Author("Ost, C.", "Ost", "C.", "0000-0001-2345-6789", "Inst"),
        ),
        datetime(2031, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
        datetime(2031, 1, 3, tzinfo=UTC),
        None,
        ("cs.XA", "math.XX"),
        3,
        False,
        "12 pages",
        "J. Maps 3",
        "10.9/1",
        ("openreview:AbCd",),
        Links("https://arxiv.org/abs/3101.00007", None, "https://example.org/code"),
        "arxiv",
        "{M}aps",
        None,
    )
    assert store(library, told) == [("new", "arxiv:3101.00007")]
    assert found(library, "https://arxiv.org/pdf/3101.00007v2") == told


def test_storing_the_same_again_is_unchanged(library: Library):
    arrivals = [on(V1, date(2031, 1, 6)), on(paper("arxiv:3101.00008", "Other"), date(2031, 1, 6))]
    assert outcomes(library, *arrivals) == ["new", "new"]
    assert outcomes(library, *arrivals) == ["unchanged", "unchanged"]


def test_a_new_version_takes_the_place_of_the_old_one_which_stays_in_the_history(library: Library):
    store(library, V1)
    assert store(library, V2) == [("changed", V1.id)]
    assert found(library, V1.id) == V2
    with library.read() as connection:
        key, _ = papers.find(connection, V1.id)
        told = [(v.version, v.title, v.abstract) for v in papers.versions(connection, key)]
    assert told == [(1, "Slow maps", "Maps are slow."), (2, "Fast maps", "Maps are fast.")]


def test_a_lower_version_never_overwrites_a_newer_one(library: Library):
    assert outcomes(library, V2, V1, V1, V2) == ["new", "changed", "unchanged", "unchanged"]
    assert found(library, V1.id) == V2


def test_announced_is_the_earliest_day_of_kind_new(library: Library):
    store(library, on(V1, date(2031, 1, 3), kind="cross", category="cs.XB"))
    assert found(library, V1.id).announced is None
    store(library, on(V1, date(2031, 1, 7)), on(V1, date(2031, 1, 6)), on(V1, date(2031, 1, 8)))
    assert found(library, V1.id).announced == date(2031, 1, 6)
    with library.read() as connection:
        assert announcements.newest_day(connection, date(2031, 1, 7), ["arxiv"]) == date(2031, 1, 7)
        assert len(announcements.announced_on(connection, date(2031, 1, 3), ["cs.XB"])) == 1
        assert announcements.announced_on(connection, date(2031, 1, 3), ["cs.XA"]) == []


def test_a_poorer_record_wipes_nothing(library: Library):
    rich = replace(V1, comment="12 pages", doi="10.9/1", source="arxiv")
    store(library, rich)
    poorer = [
        Paper(V1.id, V1.title, ""),
        Paper(V1.id, "", "Maps are slow and long."),
        replace(V1, abstract="Maps are"),
    ]
    assert outcomes(library, *poorer) == ["unchanged"] * 3
    assert found(library, V1.id) == rich


def test_signals_are_kept_with_their_time(library: Library):
    arrival = Arrival(V1, signals=(upvotes(V1.id, 3, 9), upvotes(V1.id, 7, 12)))
    assert outcomes(library, arrival, arrival) == ["new", "unchanged"]
    with library.read() as connection:
        key, _ = papers.find(connection, V1.id)
        assert papers.latest_signals(connection, [key], "upvotes") == {key: 7.0}
        assert [s.value for s in papers.signals(connection, key)] == [3.0, 7.0]


def test_change_numbers_grow_with_each_write_and_text_changes_with_the_text(library: Library):
    store(library, V1, paper("arxiv:3101.00008", "Other"))
    store(library, replace(V1, comment="12 pages"))
    with library.read() as connection:
        changed = papers.changed(connection, 0, 10)
    assert [(c.key, c.change, c.text_change) for c in changed] == [(2, 2, 2), (1, 3, 1)]
    store(library, V2)
    with library.read() as connection:
        assert [(c.key, c.change, c.text_change) for c in papers.changed(connection, 3, 10)] == [(1, 4, 4)]


def test_heads_tell_what_was_written_after_a_change_newest_day_first(library: Library):
    """Announced on the 2nd; only submitted, on the 4th; without any day; merged into the first."""
    sent = datetime(2031, 1, 4, 23, tzinfo=UTC)
    undated, copy = paper("doi:10.1/c", "Third"), paper(title="First", abstract="One.")
    store(library, on(paper("arxiv:3101.00001", "First", "One."), date(2031, 1, 2)))
    store(library, paper("arxiv:3101.00002", "Second", submitted=sent), undated, copy)
    with library.read() as connection:
        every, newer = papers.change_heads(connection), papers.change_heads(connection, 1)
    first, second = date(2031, 1, 2), date(2031, 1, 4)
    epoch = date(1970, 1, 1)
    assert every.keys.tolist() == [2, 1, 3]
    assert every.days.tolist() == [(second - epoch).days, (first - epoch).days, papers.NO_DAY]
    assert every.text_changes.tolist() == [2, 1, 3]
    assert every.gone.tolist() == newer.gone.tolist() == [4]
    assert newer.keys.tolist() == [2, 3]
