"""Which papers may stand on a reader's page of a day, and what of it the reader follows by name."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection

from broadsheet.library import announcements, digests
from broadsheet.library import papers as library
from broadsheet.papers import Author, Paper, fold
from broadsheet.readers import Following, InteractionKind

DECIDED: tuple[InteractionKind, ...] = ("saved", "liked", "dismissed")


@dataclass(frozen=True, slots=True)
class Candidates:
    """The papers of a day by key, in order of key, and for each what of it is followed by name.

    ``categories`` are those that bound the day, empty where all of it counts.
    """

    categories: frozenset[str]
    papers: dict[int, Paper]
    followed: dict[int, tuple[Following, ...]]


def candidates(
    connection: Connection,
    reader_id: int,
    day: date,
    following: Sequence[Following],
    decided: Collection[int],
) -> Candidates:
    """Papers of a day in what the reader follows: not decided on, blocked, withdrawn or offered before.

    Followed categories bound the list (none: everything); a followed author or word lets a paper in
    from other categories as well. ``decided`` are keys that the reader has saved or dismissed.
    """
    categories = frozenset(f.value for f in following if f.wanted and f.kind == "category")
    named = [f for f in following if f.wanted and f.kind != "category"]
    inside = set(announcements.announced_on(connection, day, categories or None))
    everywhere = announcements.announced_on(connection, day) if categories and named else inside
    gone = set(decided) | digests.offered_before(connection, reader_id, day)
    papers = library.load(connection, sorted(set(everywhere) - gone))
    blocked = [f for f in following if not f.wanted]
    kept: dict[int, Paper] = {}
    followed: dict[int, tuple[Following, ...]] = {}
    for key, paper in sorted(papers.items()):
        why = tuple(f for f in named if concerns(f, paper))
        if not paper.withdrawn and (key in inside or why) and not any(concerns(f, paper) for f in blocked):
            kept[key], followed[key] = paper, why
    return Candidates(categories, kept, followed)


def decided(standing: Mapping[InteractionKind, Mapping[int, object]]) -> set[int]:
    """The keys of papers that a reader has made up their mind about."""
    return {key for kind in DECIDED for key in standing.get(kind, {})}


def concerns(following: Following, paper: Paper) -> bool:
    """Whether a paper is in a category (or one below it), by an author, or has the words in its text."""
    if following.kind == "category":
        return is_within(paper.categories, [following.value])
    if following.kind == "author":
        return any(is_same_author(author, following.value) for author in paper.authors)
    wanted = fold(following.value)
    return bool(wanted) and f" {wanted} " in f" {fold(paper.title)} {fold(paper.abstract)} "


def is_within(categories: Iterable[str], wanted: Collection[str]) -> bool:
    """Whether one of a paper's categories is wanted, itself or as part of its archive; case is folded."""
    folded = {value.casefold() for value in wanted}
    return any(
        category.casefold() in folded or category.split(".", 1)[0].casefold() in folded
        for category in categories
    )


def is_same_author(author: Author, wanted: str) -> bool:
    """Whether a printed name can be the one that is wanted: same family name, given names that agree.

    An initial agrees with any name that begins with it; a name without given names agrees with all.
    """
    family, given = _parts(wanted)
    own_family, own_given = _parts(author.name)
    if not family or family != own_family:
        return False
    return all(a.startswith(b) or b.startswith(a) for a, b in zip(given, own_given, strict=False))


def _parts(name: str) -> tuple[str, list[str]]:
    """Family name and given names, folded; "Family, Given" and "family_g" put the family first."""
    before, comma, after = name.partition(",")
    words = [*fold(after).split(), *fold(before).split()] if comma else fold(name).split()
    if len(words) > 1 and len(words[-1]) == 1 and len(words[0]) > 1:
        return words[0], words[1:]
    return (words[-1], words[:-1]) if words else ("", [])
