"""In whatever order arrivals come, as many works stand at the end; storing twice changes nothing."""

from datetime import date, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import NOW, on, outcomes, paper

from broadsheet.library import papers
from broadsheet.library.database import Library
from broadsheet.papers import Arrival, Paper

WORDS = ("alder", "birch", "cedar", "dogwood", "elder", "fir")


@st.composite
def works(draw: st.DrawFn) -> list[list[Arrival]]:
    """Up to six works, each told one to four times by records that name one another."""
    return [draw(_tellings(number)) for number in range(draw(st.integers(1, 6)))]


@st.composite
def _tellings(draw: st.DrawFn, number: int) -> list[Arrival]:
    doi, pmid = f"10.9/{number}", f"pmid:{number + 1}"
    title, authors = f"On {WORDS[number]} leaves", (f"Ada {WORDS[number].title()}",)
    preprint = draw(st.booleans())
    ways = [
        paper(f"doi:{doi}", title, f"Text {number}.", authors=authors, identifiers=(pmid,)),
        paper(pmid, f"{title} anew", "", authors=authors, doi=doi),
        paper(f"doi:{doi}", "", "", authors=()),
    ]
    if preprint:
        ids = [f"arxiv:3101.{number:05}"]
        ways = [
            paper(ids[0], title, f"Text {number}, {v}.", authors=authors, version=v, doi=doi) for v in (1, 2)
        ]
    chosen = draw(st.lists(st.sampled_from(ways), min_size=1, max_size=4))
    days = draw(st.lists(st.integers(0, 3), max_size=2))
    return [on(told, *(date(2031, 1, 6) + timedelta(day) for day in days)) for told in chosen]


def kept(library: Library, told: list[Arrival], singly: int) -> tuple[int, list[str]]:
    """Store some arrivals one by one and the rest at once: works held, outcomes of a second round."""
    for arrival in told[:singly]:
        outcomes(library, arrival)
    outcomes(library, *told[singly:])
    with library.read() as connection:
        before = list(papers.every(connection))
    again = outcomes(library, *told)
    with library.read() as connection:
        assert list(papers.every(connection)) == before
    library.close()
    return len(before), again


def linked(told: list[Paper]) -> int:
    """How many works the records make when those that share an id of their own are one, by hand."""
    groups: list[set[str]] = []
    for record in told:
        names = {record.id, *record.identifiers}
        if record.doi and not record.id.startswith("arxiv:"):
            names.add(f"doi:{record.doi}")
        joined = [group for group in groups if group & names]
        groups = [group for group in groups if not group & names] + [names.union(*joined)]
    return len(groups)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told_works=works(), random=st.randoms(use_true_random=False), singly=st.integers(0, 5))
def test_any_order_gives_as_many_works_and_a_second_round_changes_nothing(place, told_works, random, singly):
    told = [arrival for work in told_works for arrival in work]
    random.shuffle(told)
    count, again = kept(Library.open(place(), NOW), told, singly)
    assert count == linked([arrival.paper for arrival in told])
    assert again == ["unchanged"] * len(told)
