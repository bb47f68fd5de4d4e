"""Readers: who they are, what they follow and block, their topics, their data out and gone."""

from collections.abc import Mapping, Sequence
from typing import TypedDict

from broadsheet.api import documents
from broadsheet.api.documents import FollowingDocument, ReaderDocument, TopicDocument
from broadsheet.api.home import Home
from broadsheet.errors import UsageError
from broadsheet.library import digests, interactions, papers, readers
from broadsheet.readers import Following, FollowingKind


class OneReaderDocument(TypedDict):
    reader: ReaderDocument


class ReadersDocument(TypedDict):
    readers: list[ReaderDocument]


class FollowedDocument(TypedDict):
    following: list[FollowingDocument]


class TopicsDocument(TypedDict):
    topics: list[TopicDocument]


class ForgottenDocument(TypedDict):
    forgotten: dict[str, int]


def add(home: Home, name: str, email: str | None = None, timezone: str = "UTC") -> OneReaderDocument:
    """Make a reader; UsageError for a name that is taken or a zone that does not exist."""
    with home.library.write() as conn:
        return {"reader": documents.reader(readers.add(conn, name, email, timezone))}


def all_readers(home: Home) -> ReadersDocument:
    with home.library.read() as conn:
        return {"readers": [documents.reader(reader) for reader in readers.all_readers(conn)]}


def follow(
    home: Home,
    values: Mapping[FollowingKind, Sequence[str]],
    reader_name: str = "me",
    *,
    wanted: bool = True,
    remove: bool = False,
) -> FollowedDocument:
    """Follow (or block, when not ``wanted``) these, or take them away; without any, what stands."""
    with home.library.write() as conn:
        reader = readers.named(conn, reader_name)
        entries = [
            Following(reader.id, kind, value.strip(), wanted)
            for kind, told in values.items()
            for value in told
            if value.strip()
        ]
        standing = readers.follow(conn, reader.id, entries, remove)
        return {"following": [documents.following(entry) for entry in standing]}


def topics(home: Home, reader_name: str = "me") -> TopicsDocument:
    with home.library.read() as conn:
        reader = readers.named(conn, reader_name)
        return {"topics": [documents.topic(topic) for topic in readers.topics_of(conn, reader.id)]}


def add_topic(
    home: Home, reader_name: str, name: str, query: str, seeds: Sequence[str] = ()
) -> TopicsDocument:
    """Make a topic from a query and seed papers, which must be held."""
    if not (query.strip() or seeds):
        raise UsageError(f"The topic {name!r} says nothing yet.", "Give --query, --seed or both.")
    with home.library.write() as conn:
        reader = readers.named(conn, reader_name)
        held = tuple(papers.find(conn, seed)[1].id for seed in seeds)
        readers.add_topic(conn, reader.id, name, query.strip(), held)
    return topics(home, reader_name)


def remove_topic(home: Home, reader_name: str, name: str) -> TopicsDocument:
    with home.library.write() as conn:
        readers.remove_topic(conn, readers.named(conn, reader_name).id, name)
    return topics(home, reader_name)


def export(home: Home, reader_name: str) -> dict[str, object]:
    """Everything that is kept of a reader, as one document."""
    with home.library.read() as conn:
        reader = readers.named(conn, reader_name)
        return {
            "reader": documents.reader(reader),
            "following": [documents.following(entry) for entry in readers.following(conn, reader.id)],
            "topics": [documents.topic(topic) for topic in readers.topics_of(conn, reader.id)],
            "interactions": [documents.interaction(done) for done in interactions.history(conn, reader.id)],
            "digests": [documents.digest(made) for made in digests.all_of(conn, reader.id)],
        }


def forget(home: Home, reader_name: str) -> ForgottenDocument:
    """Erase everything that is kept of a reader, derived state included."""
    with home.library.write() as conn:
        gone = readers.forget(conn, readers.named(conn, reader_name))
    counts = {"interactions": gone.interactions, "topics": gone.topics, "digests": gone.digests}
    return {"forgotten": counts}
