"""Making papers for the tests of search."""

from datetime import date

from broadsheet.papers import Author, Paper


def paper(
    id: str,
    title: str,
    abstract: str = "",
    authors: tuple[str, ...] = (),
    categories: tuple[str, ...] = (),
    **more,
) -> Paper:
    """A paper of a few words, announced on 13 January 2031 unless told otherwise."""
    given = {"announced": date(2031, 1, 13)} | more
    return Paper(id, title, abstract, tuple(map(Author, authors)), categories=categories, **given)
