"""Papers as rows and rows as papers; lists are compact JSON text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, cast

import orjson
from sqlalchemy import ColumnElement, Connection, Row, Select

from broadsheet.library.dialects import one_of
from broadsheet.library.tables import papers
from broadsheet.papers import Author, Links, Paper

AnyRow = Row[*tuple[Any, ...]]

PAPER_COLUMNS = tuple(
    papers.c[name]
    for name in (
        "key", "id", "title", "abstract", "authors", "submitted", "updated", "announced", "categories",
        "version", "withdrawn", "comment", "journal_ref", "doi", "identifiers", "links", "source",
        "original_title", "original_abstract",
    )
)  # fmt: skip


def columns_of(paper: Paper) -> dict[str, object]:
    """The columns that hold a paper's own fields."""
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": _dumps([_packed(author) for author in paper.authors]),
        "submitted": paper.submitted,
        "updated": paper.updated,
        "announced": paper.announced,
        "categories": _dumps(paper.categories),
        "version": paper.version,
        "withdrawn": paper.withdrawn,
        "comment": paper.comment,
        "journal_ref": paper.journal_ref,
        "doi": paper.doi,
        "identifiers": _dumps(paper.identifiers) if paper.identifiers else None,
        "links": _dumps(_links_list(paper.links)) if any(_links_list(paper.links)) else None,
        "source": paper.source,
        "original_title": paper.original_title,
        "original_abstract": paper.original_abstract,
    }


def as_json(paper: Paper) -> dict[str, object]:
    """A paper's columns with values that JSON knows, for :func:`from_json`."""
    return cast(dict[str, object], orjson.loads(orjson.dumps(columns_of(paper))))


def from_json(columns: Mapping[str, Any]) -> Paper:
    """The paper whose columns :func:`as_json` gave."""
    told = dict(columns, key=0)
    for name, read in (
        ("submitted", datetime.fromisoformat),
        ("updated", datetime.fromisoformat),
        ("announced", date.fromisoformat),
    ):
        told[name] = read(told[name]) if told[name] else None
    return paper_of([told[column.name] for column in PAPER_COLUMNS])


def paper_of(row: Sequence[Any]) -> Paper:
    """The paper in a row that begins with :data:`PAPER_COLUMNS`."""
    (
        _, id_, title, abstract, authors, submitted, updated, announced, categories, version, withdrawn,
        comment, journal_ref, doi, identifiers, links, source, original_title, original_abstract,
    ) = row[: len(PAPER_COLUMNS)]  # fmt: skip
    return Paper(
        id=id_,
        title=title,
        abstract=abstract,
        authors=tuple(map(_unpacked, orjson.loads(authors))),
        submitted=submitted,
        updated=updated,
        announced=announced,
        categories=tuple(orjson.loads(categories)),
        version=version,
        withdrawn=withdrawn,
        comment=comment,
        journal_ref=journal_ref,
        doi=doi,
        identifiers=tuple(orjson.loads(identifiers)) if identifiers else (),
        links=Links(*orjson.loads(links)) if links else Links(),
        source=source,
        original_title=original_title,
        original_abstract=original_abstract,
    )


def _dumps(value: object) -> str:
    return orjson.dumps(value).decode()


def _links_list(links: Links) -> tuple[str | None, ...]:
    return (links.abs, links.pdf, links.code, links.project)


def _packed(author: Author) -> str | tuple[str | None, ...]:
    """A name alone as text; given and family as a pair where the name is made of them; else all."""
    if author.orcid is None and author.affiliation is None:
        if author.family is None and author.given is None:
            return author.name
        if author.name == f"{author.given} {author.family}":
            return (author.given, author.family)
    return (author.name, author.family, author.given, author.orcid, author.affiliation)


def _unpacked(packed: str | list[str | None]) -> Author:
    if isinstance(packed, str):
        return Author(packed)
    if len(packed) == 2:
        given, family = packed
        return Author(f"{given} {family}", family, given)
    name, family, given, orcid, affiliation = packed
    return Author(name or "", family, given, orcid, affiliation)


def among(
    connection: Connection,
    statement: Select[*tuple[Any, ...]],
    column: ColumnElement[Any],
    values: Iterable[object],
) -> Iterator[AnyRow]:
    """The rows of a statement whose column is one of the values, however many they are."""
    wanted = set(values)
    if wanted:
        yield from connection.execute(statement.where(one_of(connection, column, wanted)))
