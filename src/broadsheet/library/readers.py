"""Readers: who they are, what they follow and block, their topics; all of it out, or gone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import orjson
from sqlalchemy import Connection, delete, insert, select

from broadsheet.errors import NotFound, UnknownReader, UsageError
from broadsheet.library import dialects
from broadsheet.library.tables import digest_papers, digests, followings, interactions, readers, topics
from broadsheet.papers import normal_id
from broadsheet.readers import Following, Reader, Topic

FIRST_READER = "me"
_NAME = re.compile(r"[^\s\x00-\x1f\x7f/\\][^\x00-\x1f\x7f/\\]{0,63}\Z")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much of a reader is gone."""

    interactions: int
    topics: int
    digests: int


def add(connection: Connection, name: str, email: str | None = None, timezone: str = "UTC") -> Reader:
    """Make a reader; raises UsageError for a name that is taken or unfit, or an unknown time zone."""
    name = name.strip()
    if not _NAME.match(name):
        raise UsageError(
            f"{name!r} cannot be a reader's name.", "Use up to 64 letters, without slashes or line breaks."
        )
    dialects.lock_writing(connection)
    if connection.execute(select(readers.c.id).where(readers.c.name == name)).first():
        raise UsageError(f"There is a reader {name} already.", "Choose another name.")
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"{timezone!r} is no time zone.", "Give an IANA name such as Europe/Berlin."
        ) from error
    row = {"name": name, "email": email or None, "timezone": timezone, "list_length": 10}
    id_ = connection.execute(insert(readers).returning(readers.c.id), row).scalar_one()
    return Reader(id_, name, email or None, timezone)


def named(connection: Connection, name: str) -> Reader:
    """The reader of a name; raises UnknownReader, which names those that exist."""
    row = connection.execute(select(readers).where(readers.c.name == name.strip())).first()
    if row is None:
        exist = ", ".join(reader.name for reader in all_readers(connection))
        raise UnknownReader(f"There is no reader {name!r}.", f"Readers here: {exist}.")
    return Reader(*row)


def named_or_new(connection: Connection, name: str) -> Reader:
    """The reader of a name, made when there is none yet."""
    known = {reader.name: reader for reader in all_readers(connection)}
    return known.get(name.strip()) or add(connection, name)


def all_readers(connection: Connection) -> list[Reader]:
    """Every reader, in the order in which they came."""
    return [Reader(*row) for row in connection.execute(select(readers).order_by(readers.c.id))]


def follow(
    connection: Connection, reader_id: int, wanted: Iterable[Following], remove: bool = False
) -> list[Following]:
    """Follow or block each of the values, or stop doing so; all that the reader follows afterwards.

    The same value is either followed or blocked: what was said last holds.
    """
    for following_ in wanted:
        row = (
            (followings.c.reader_id == reader_id)
            & (followings.c.kind == following_.kind)
            & (followings.c.value == following_.value)
        )
        if remove:
            connection.execute(delete(followings).where(row, followings.c.wanted == following_.wanted))
        else:
            values = {
                "reader_id": reader_id,
                "kind": following_.kind,
                "value": following_.value,
                "wanted": following_.wanted,
            }
            dialects.insert_or_replace(connection, followings, [values], "wanted")
    return following(connection, reader_id)


def following(connection: Connection, reader_id: int | None = None) -> list[Following]:
    """What a reader (None: any reader) follows and blocks, by kind and value."""
    statement = select(followings).order_by(
        followings.c.reader_id, followings.c.kind, followings.c.wanted.desc(), followings.c.value
    )
    if reader_id is not None:
        statement = statement.where(followings.c.reader_id == reader_id)
    return [Following(*row) for row in connection.execute(statement)]


def add_topic(
    connection: Connection, reader_id: int, name: str, query: str, seeds: Sequence[str] = ()
) -> Topic:
    """Add a topic, or give the one of that name a new query and seeds."""
    ids = [normal_id(seed) for seed in seeds]
    same = (topics.c.reader_id == reader_id) & (topics.c.name == name)
    connection.execute(delete(topics).where(same))
    row = {"reader_id": reader_id, "name": name, "query": query, "seeds": orjson.dumps(ids).decode()}
    id_ = connection.execute(insert(topics).returning(topics.c.id), row).scalar_one()
    return Topic(id_, reader_id, name, query, tuple(ids))


def remove_topic(connection: Connection, reader_id: int, name: str) -> None:
    """Remove a topic; raises NotFound where the reader has none of that name."""
    same = (topics.c.reader_id == reader_id) & (topics.c.name == name)
    if connection.execute(delete(topics).where(same)).rowcount == 0:
        names = ", ".join(topic.name for topic in topics_of(connection, reader_id)) or "none"
        raise NotFound(f"There is no topic {name!r}.", f"Topics here: {names}.")


def topics_of(connection: Connection, reader_id: int) -> list[Topic]:
    """A reader's topics, by name."""
    rows = connection.execute(select(topics).where(topics.c.reader_id == reader_id).order_by(topics.c.name))
    return [Topic(row.id, row.reader_id, row.name, row.query, tuple(orjson.loads(row.seeds))) for row in rows]


def forget(connection: Connection, reader: Reader) -> Forgotten:
    """Take everything of a reader out of the library; `me` itself stays, as if it were new."""
    own_digests = select(digests.c.id).where(digests.c.reader_id == reader.id)
    gone = Forgotten(
        connection.execute(delete(interactions).where(interactions.c.reader_id == reader.id)).rowcount,
        connection.execute(delete(topics).where(topics.c.reader_id == reader.id)).rowcount,
        len(connection.execute(own_digests).all()),
    )
    connection.execute(delete(digest_papers).where(digest_papers.c.digest_id.in_(own_digests)))
    connection.execute(delete(digests).where(digests.c.reader_id == reader.id))
    connection.execute(delete(followings).where(followings.c.reader_id == reader.id))
    connection.execute(delete(readers).where(readers.c.id == reader.id))
    if reader.name == FIRST_READER:
        row = {"id": reader.id, "name": FIRST_READER, "timezone": "UTC", "list_length": 10}
        connection.execute(insert(readers), row)
    return gone
