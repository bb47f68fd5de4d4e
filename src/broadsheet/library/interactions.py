"""What readers did: only ever appended, undone by one more."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, func, insert, select

from broadsheet.errors import NotFound
from broadsheet.library.counting import next_numbers
from broadsheet.library.papers import keys_of
from broadsheet.library.tables import interactions as rows
from broadsheet.library.tables import papers
from broadsheet.readers import Interaction, InteractionKind

_WORK = func.coalesce(papers.c.same_as, papers.c.key)


def record(connection: Connection, interactions: Sequence[Interaction]) -> list[Interaction]:
    """Append interactions and give them back numbered, in order.

    Paper ids are normal forms; raises NotFound, and records nothing, where one is not held.
    """
    keys = keys_of(connection, {i.paper_id for i in interactions})
    missing = sorted({i.paper_id for i in interactions} - keys.keys())
    if missing:
        raise NotFound(
            f"Not in the library: {', '.join(missing)}.",
            "Take it in with broadsheet harvest or broadsheet add.",
        )
    numbers = next_numbers(connection, "interaction", len(interactions))
    numbered = [replace(i, number=n) for i, n in zip(interactions, numbers, strict=True)]
    if numbered:
        connection.execute(insert(rows), [_row(i, keys[i.paper_id]) for i in numbered])
    return numbered


def _row(interaction: Interaction, key: int) -> dict[str, object]:
    return {
        "number": interaction.number,
        "reader_id": interaction.reader_id,
        "paper_key": key,
        "kind": interaction.kind,
        "at": interaction.at,
        "surface": interaction.surface,
        "digest_id": interaction.digest_id,
        "rank": interaction.rank,
        "chance": interaction.chance,
        "undoes": interaction.undoes,
    }


def undo(
    connection: Connection,
    reader_id: int,
    paper_ids: Sequence[str],
    kind: InteractionKind,
    at: datetime,
    surface: str,
) -> list[Interaction]:
    """Append an `undone` for each standing interaction of a kind with one of the papers.

    A paper without one is left out: undoing twice changes nothing.
    """
    keys = keys_of(connection, paper_ids)
    standing = [i for i in _effective(connection, reader_id, [kind]) if i[1] in set(keys.values())]
    ids = {key: id_ for id_, key in keys.items()}
    return record(
        connection,
        [
            Interaction(reader_id, ids[key], "undone", at, surface, undoes=number)
            for number, key, _, _ in standing
        ],
    )


def standing(connection: Connection, reader_id: int) -> dict[InteractionKind, dict[int, datetime]]:
    """What stands of all that a reader did: for each kind the papers' keys and when it was first done.

    What was undone is gone; a merged record's interactions are its work's.
    """
    found: dict[InteractionKind, dict[int, datetime]] = {}
    for _, key, kind, at in _effective(connection, reader_id):
        found.setdefault(kind, {}).setdefault(key, at)
    return found


def _effective(
    connection: Connection, reader_id: int, kinds: Collection[InteractionKind] | None = None
) -> list[tuple[int, int, InteractionKind, datetime]]:
    undone = select(rows.c.undoes).where(rows.c.reader_id == reader_id, rows.c.undoes.is_not(None))
    statement = (
        select(rows.c.number, _WORK, rows.c.kind, rows.c.at)
        .join_from(rows, papers, rows.c.paper_key == papers.c.key)
        .where(rows.c.reader_id == reader_id, rows.c.kind != "undone", rows.c.number.not_in(undone))
        .order_by(rows.c.number)
    )
    if kinds is not None:
        statement = statement.where(rows.c.kind.in_(kinds))
    return [(number, key, kind, at) for number, key, kind, at in connection.execute(statement)]


def newest_number(connection: Connection, reader_id: int) -> int:
    """The number of a reader's last interaction other than being shown a paper, 0 before the first."""
    statement = select(func.max(rows.c.number)).where(rows.c.reader_id == reader_id, rows.c.kind != "shown")
    return connection.execute(statement).scalar() or 0


def history(connection: Connection, reader_id: int) -> Iterable[Interaction]:
    """Everything a reader did and was shown, in order of number."""
    root = papers.alias()
    id_ = func.coalesce(root.c.id, papers.c.id)
    statement = (
        select(rows, id_.label("paper_id"))
        .join_from(rows, papers, rows.c.paper_key == papers.c.key)
        .outerjoin(root, papers.c.same_as == root.c.key)
        .where(rows.c.reader_id == reader_id)
        .order_by(rows.c.number)
    )
    for row in connection.execute(statement):
        yield Interaction(
            row.reader_id, row.paper_id, row.kind, row.at, row.surface, row.digest_id, row.rank, row.chance,
            row.undoes, row.number,
        )  # fmt: skip
