"""All tables of the library.

Instants are whole microseconds since 1970 in UTC, days are dates in the source's own calendar, lists
are JSON text. ``papers`` has one row for each record that a source or file told; ``same_as`` points
from a second record of a work to the record that stands for it, so a wrong merge can be undone.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    Time,
    TypeDecorator,
    UniqueConstraint,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Number = BigInteger().with_variant(Integer, "sqlite")


class Instant(TypeDecorator[datetime]):
    """An aware datetime, kept as whole microseconds since 1970 in UTC so that it sorts anywhere."""

    impl = Number
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else _EPOCH + timedelta(microseconds=value)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _paper_key(name: str = "paper_key", primary_key: bool = False, index: bool = False) -> Column[int]:
    return Column(
        name, Number, ForeignKey("papers.key"), nullable=False, primary_key=primary_key, index=index
    )


def _reader_id(primary_key: bool = False) -> Column[int]:
    return Column("reader_id", Integer, ForeignKey("readers.id"), nullable=False, primary_key=primary_key)


papers = Table(
    "papers",
    metadata,
    Column("key", Number, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False, unique=True),
    Column("same_as", Number, ForeignKey("papers.key", deferrable=True, initially="DEFERRED")),
    Column("change", Number, nullable=False, unique=True),
    Column("text_change", Number, nullable=False),
    Column("title_key", BigInteger, index=True),
    Column("announced", Date),
    Column("submitted", Instant),
    Column("updated", Instant),
    Column("version", Integer, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    Column("source", Text, nullable=False),
    Column("added_at", Instant, nullable=False),
    Column("title", Text, nullable=False),
    Column("authors", Text, nullable=False),
    Column("categories", Text, nullable=False),
    Column("comment", Text),
    Column("journal_ref", Text),
    Column("doi", Text),
    Column("identifiers", Text),
    Column("links", Text),
    Column("original_title", Text),
    Column("original_abstract", Text),
    Column("abstract", Text, nullable=False),
)

_MERGED = papers.c.same_as.is_not(None)
Index("ix_papers_same_as", papers.c.same_as, sqlite_where=_MERGED, postgresql_where=_MERGED)

identifiers = Table(
    "identifiers",
    metadata,
    Column("identifier", Text, primary_key=True),
    _paper_key(),
    sqlite_with_rowid=False,
)

pointers = Table(
    "pointers",
    metadata,
    Column("identifier", Text, primary_key=True),
    _paper_key(primary_key=True),
    sqlite_with_rowid=False,
)

fingerprints = Table(
    "fingerprints",
    metadata,
    Column("fingerprint", Number, primary_key=True, autoincrement=False),
    _paper_key(),
)

versions = Table(
    "versions",
    metadata,
    _paper_key(primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("submitted", Instant),
    Column("title", Text, nullable=False),
    Column("abstract", Text, nullable=False),
    Column("comment", Text),
    Column("withdrawn", Boolean, nullable=False),
)

twins = Table(
    "twins",
    metadata,
    _paper_key("first_key", primary_key=True),
    _paper_key("second_key", primary_key=True, index=True),
    Column("why", Text, nullable=False),
    sqlite_with_rowid=False,
)

merges = Table(
    "merges",
    metadata,
    _paper_key("record_key", primary_key=True),
    _paper_key("into_key", primary_key=True, index=True),
    Column("why", Text, nullable=False),
    Column("merged_at", Instant, nullable=False),
    Column("undone_at", Instant),
    Column("filled", Text, nullable=False),
)

announcements = Table(
    "announcements",
    metadata,
    _paper_key(primary_key=True),
    Column("source", Text, primary_key=True),
    Column("category", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("version", Integer),
    Column("seen_at", Instant, nullable=False),
    Column("late", Boolean, nullable=False),
    Index("ix_announcements_day", "day", "source", "category", "kind"),
    sqlite_with_rowid=False,
)

signals = Table(
    "signals",
    metadata,
    _paper_key(primary_key=True),
    Column("name", Text, primary_key=True),
    Column("observed_at", Instant, primary_key=True),
    Column("value", Float, nullable=False),
    sqlite_with_rowid=False,
)

counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Number, nullable=False),
)

readers = Table(
    "readers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("email", Text),
    Column("timezone", Text, nullable=False),
    Column("list_length", Integer, nullable=False),
    Column("deliver_at", Time),
)

followings = Table(
    "followings",
    metadata,
    _reader_id(primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("wanted", Boolean, nullable=False),
)

topics = Table(
    "topics",
    metadata,
    Column("id", Integer, primary_key=True),
    _reader_id(),
    Column("name", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("seeds", Text, nullable=False),
    UniqueConstraint("reader_id", "name"),
)

digests = Table(
    "digests",
    metadata,
    Column("id", Integer, primary_key=True),
    _reader_id(),
    Column("day", Date, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("basis", Text, nullable=False),
    Column("trained_through", Number),
    Column("index_version", Text, nullable=False),
    Column("made_at", Instant, nullable=False),
    UniqueConstraint("reader_id", "day"),
)

digest_papers = Table(
    "digest_papers",
    metadata,
    Column("digest_id", Integer, ForeignKey("digests.id"), primary_key=True),
    Column("rank", Integer, primary_key=True, autoincrement=False),
    _paper_key(),
    Column("score", Float, nullable=False),
    Column("chance", Float, nullable=False),
    Column("exploring", Boolean, nullable=False),
    Column("reasons", Text, nullable=False),
)

interactions = Table(
    "interactions",
    metadata,
    Column("number", Number, primary_key=True, autoincrement=False),
    _reader_id(),
    _paper_key(),
    Column("kind", Text, nullable=False),
    Column("at", Instant, nullable=False),
    Column("surface", Text, nullable=False),
    Column("digest_id", Integer, ForeignKey("digests.id")),
    Column("rank", Integer),
    Column("chance", Float),
    Column("undoes", Number),
    Index("ix_interactions_reader", "reader_id", "kind"),
)

leases = Table(
    "leases",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", Instant, nullable=False),
)

announced_days = Table(
    "announced_days",
    metadata,
    Column("source", Text, primary_key=True),
    Column("category", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("announced_new", Integer),
    Column("announced_cross", Integer),
    Column("announced_replace", Integer),
    Column("announced_replace_cross", Integer),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("next_try", Instant),
    Column("checked_at", Instant),
    Column("taken_in_at", Instant),
    Column("note", Text),
)

pending_papers = Table(
    "pending_papers",
    metadata,
    Column("source", Text, primary_key=True),
    Column("category", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    Column("identifier", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("version", Integer),
    Column("since", Instant, nullable=False),
)

harvest_states = Table(
    "harvest_states",
    metadata,
    Column("source", Text, primary_key=True),
    Column("job", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("not_before", Instant),
    Column("updated_at", Instant, nullable=False),
)
