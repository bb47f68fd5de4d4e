"""Undoing a wrong merge: the record stands for a work of its own again, and is not merged again."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime

import orjson
from sqlalchemy import Connection, func, select, update

from broadsheet.errors import NotFound, UsageError
from broadsheet.library.batch import Batch, Record
from broadsheet.library.rows import among, as_json, from_json
from broadsheet.library.tables import announcements, merges
from broadsheet.papers import Paper, normal_id


def part(connection: Connection, id_text: str, now: datetime) -> Paper:
    """Undo the merge of a record, named by its own id, and give back its paper.

    What was merged into the record before goes with it; announcements, signals and interactions that
    came under its name are its own again. Raises NotFound, or UsageError for a record that is not
    merged into another.
    """
    batch = Batch.begin(connection, now)
    identifier = normal_id(id_text)
    batch.load({identifier}, (), ())
    if identifier not in batch.by_name:
        raise NotFound(f"{identifier} is not in the library.")
    record = batch.records[batch.by_name[identifier]]
    root = batch.root(record.key)
    if root is record:
        raise UsageError(
            f"{identifier} is not merged into another record.", "Name the record that was merged."
        )
    joins = _joins(batch, root)
    for key in _gathered(record.key, joins):
        batch.records[key].same_as = None if key == record.key else record.key
        batch.records[key].touched = batch.records[key].text_touched = True
    _empty_again(batch, batch.records[joins[record.key]], record)
    for work in (root, record):
        work.say(replace(work.paper, announced=_first_day(batch, work)))
    own = merges.c.record_key == record.key, merges.c.undone_at.is_(None)
    connection.execute(update(merges).where(*own).values(undone_at=now))
    batch.write()
    return record.paper


def _joins(batch: Batch, root: Record) -> dict[int, int]:
    """Of each merged record of a work, the record that it went into."""
    statement = select(merges.c.record_key, merges.c.into_key).where(merges.c.undone_at.is_(None))
    found = among(batch.connection, statement, merges.c.record_key, batch.members[root.key])
    return {record: into for record, into in found}


def _gathered(key: int, joins: Mapping[int, int]) -> set[int]:
    """A record and all that went into it, directly or through others."""
    gathered = {key}
    while more := {record for record, into in joins.items() if into in gathered} - gathered:
        gathered |= more
    return gathered


def _empty_again(batch: Batch, into: Record, record: Record) -> None:
    """Take back what the merge filled in, where it was not told otherwise since."""
    chosen = merges.c.record_key == record.key, merges.c.into_key == into.key
    said = batch.connection.execute(select(merges.c.filled).where(*chosen)).scalar_one()
    present = as_json(into.paper)
    for name, (before, after) in orjson.loads(said).items():
        if present[name] == after:
            present[name] = before
    into.say(from_json(present))


def _first_day(batch: Batch, root: Record) -> date | None:
    """The earliest day on which any record of a work was announced as new."""
    statement = select(func.min(announcements.c.day)).where(announcements.c.kind == "new")
    members = [key for key, record in batch.records.items() if (record.same_as or key) == root.key]
    return batch.connection.execute(statement.where(announcements.c.paper_key.in_(members))).scalar()
