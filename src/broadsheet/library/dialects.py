"""All that only SQLite or only PostgreSQL can do stands here, and nowhere else.

SQLite: write-ahead log, immediate transactions, a wait for the lock, a copy by the backup interface.
PostgreSQL: the driver's name, isolation, an advisory lock under which papers are written.
"""

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Engine,
    Table,
    any_,
    bindparam,
    create_engine,
    event,
    func,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from broadsheet.errors import Busy, LibraryError

# Writers that wait for the lock must not keep readers from a connection.
_ANY = -1
_WRITE_LOCK = 0x62726F6164  # "broad": any fixed number will do, as long as all processes share it
_PRAGMAS = (
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA cache_size = -65536",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA wal_autocheckpoint = 4000",
)


def address(place: str | Path) -> URL:
    """The database's address: a path is a SQLite file, ``postgresql://…`` is driven by psycopg."""
    if isinstance(place, str) and "://" in place:
        url = make_url(place)
        return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url
    return URL.create("sqlite", database=str(place))


def connect(url: URL, patience: float) -> Engine:
    """An engine whose transactions are immediate for writing and deferred for reading.

    A lock is waited for ``patience`` seconds.
    """
    if url.get_backend_name() != "sqlite":
        options = f"-c lock_timeout={round(patience * 1000)}"
        return create_engine(url, connect_args={"options": options}, max_overflow=_ANY)
    engine = create_engine(url, connect_args={"timeout": patience}, max_overflow=_ANY)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def reading(engine: Engine) -> Engine:
    """The engine for transactions that see one state of the library from their first query on."""
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ")


def writing(engine: Engine) -> Engine:
    """The engine for transactions that take the write lock as they begin, or wait for it."""
    return engine.execution_options(broadsheet_begins="BEGIN IMMEDIATE")


def _prepare(connection: sqlite3.Connection, entry: ConnectionPoolEntry) -> None:
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    if begins := connection.get_execution_options().get("broadsheet_begins", "BEGIN"):
        connection.exec_driver_sql(begins)


def make_file_ready(engine: Engine) -> None:
    """Let a new SQLite file be read while it is written: the file remembers that it has such a log."""
    if engine.dialect.name == "sqlite":
        with engine.execution_options(broadsheet_begins="").connect() as connection:
            connection.exec_driver_sql("PRAGMA page_size = 8192")
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")


def lock_writing(connection: Connection) -> None:
    """Let one transaction at a time go on, so that change numbers come in order and looking before
    writing is safe. SQLite's immediate transactions do that already.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _WRITE_LOCK})


def one_of(
    connection: Connection, column: ColumnElement[Any], values: Collection[object]
) -> ColumnElement[bool]:
    """Whether a column is one of any number of values, given as one parameter."""
    if connection.dialect.name == "postgresql":
        return column == any_(bindparam(None, list(values), type_=ARRAY(column.type)))
    told = func.json_each(orjson.dumps(list(values)).decode()).table_valued("value")
    return column.in_(select(told.c.value))


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows whose primary keys are not there."""
    _insert(connection, table, rows, "")


def insert_missing(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert those rows whose primary key is not there yet."""
    _insert(connection, table, rows, f"{_on_conflict(connection, table)} DO NOTHING")


def insert_or_replace(
    connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], *replaced: str
) -> None:
    """Insert rows; where the primary key is there already, set the named columns anew."""
    anew = ", ".join(f"{name} = excluded.{name}" for name in replaced)
    _insert(connection, table, rows, f"{_on_conflict(connection, table)} DO UPDATE SET {anew}")


def _insert(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], held: str) -> None:
    """Give rows of the same columns to the driver at once.

    Text of our own, since building each row's parameters by SQLAlchemy takes longer than SQLite takes
    to store them; types still turn values into what the driver wants.
    """
    if not rows:
        return
    names = list(rows[0])
    columns = [_quoted(connection, name) for name in names]
    places = ["?" if connection.dialect.paramstyle == "qmark" else "%s"] * len(names)
    connection.exec_driver_sql(
        f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join(places)}) {held}",
        _as_the_driver_wants(connection, table, names, rows),
    )


def _as_the_driver_wants(
    connection: Connection, table: Table, names: Sequence[str], rows: Sequence[Mapping[str, object]]
) -> list[tuple[object, ...]]:
    dialect = connection.dialect
    by_column = []
    for name in names:
        values = [row[name] for row in rows]
        turn = table.c[name].type.dialect_impl(dialect).bind_processor(dialect)
        by_column.append(values if turn is None else [turn(value) for value in values])
    return list(zip(*by_column, strict=True))


def _on_conflict(connection: Connection, table: Table) -> str:
    keys = ", ".join(_quoted(connection, column.name) for column in table.primary_key)
    return f"ON CONFLICT ({keys})"


def _quoted(connection: Connection, name: str) -> str:
    return connection.dialect.identifier_preparer.quote(name)


def put_copy_aside(url: URL, revision: str) -> Path | None:
    """Copy a SQLite library beside itself before it is migrated; the copy's path.

    Raises LibraryError where there is no room for it. On PostgreSQL nothing is copied: its migrations
    run in one transaction and leave the old state when they fail.
    """
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    source = Path(url.database)
    copy = source.with_name(f"{source.name}.before-{revision}")
    unfinished = copy.with_name(f"{copy.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(source)) as held, closing(sqlite3.connect(unfinished)) as aside:
            held.backup(aside)
        unfinished.replace(copy)
    except (sqlite3.Error, OSError) as error:
        raise LibraryError(
            f"The library {source} is older and must be migrated, but no copy of it can be put aside at"
            f" {copy} ({error}).",
            "Make room beside it and run the command again.",
        ) from error
    return copy


def shown(url: URL) -> str:
    """The database as people should see it named: the file, or the address without its password."""
    return url.database or "" if url.get_backend_name() == "sqlite" else url.render_as_string()


_FAULTS = (
    ("locked", "is being written by another process", "Wait for it to end and run the command again."),
    ("busy", "is being written by another process", "Wait for it to end and run the command again."),
    ("lock timeout", "is being written by another process", "Wait for it to end and run the command again."),
    ("disk is full", "cannot grow: the disk is full", "Make room on the disk and run the command again."),
    ("no space left", "cannot grow: the disk is full", "Make room on the disk and run the command again."),
    ("unable to open", "cannot be opened", "Check that its folder exists and that you may write there."),
    ("readonly", "may not be written", "Give yourself permission to write the file and its folder."),
    ("malformed", "is damaged", "Put the last backup or a copy in its place."),
    ("not a database", "is no database", "Move the file away, or name another home with --home."),
    ("disk i/o error", "cannot be read or written", "Check the disk, then run the command again."),
    ("could not connect", "cannot be reached", "Check that the server runs and that the address is right."),
    ("connection", "cannot be reached", "Check that the server runs and that the address is right."),
)


def explained(error: DBAPIError, url: URL) -> LibraryError | None:
    """The driver's complaint in words, naming the library and the next step; None if it is a bug."""
    said = str(error.orig).lower()
    for sign, fault, next_step in _FAULTS:
        if sign in said:
            kind = Busy if sign in ("locked", "busy", "lock timeout") else LibraryError
            return kind(f"The library {shown(url)} {fault} ({error.orig}).", next_step)
    return None


def faults(connection: Connection) -> list[str]:
    """What the database's own quick check finds wrong with its file; PostgreSQL looks after its own."""
    if connection.dialect.name != "sqlite":
        return []
    told = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA quick_check(5)")]
    return [] if told == ["ok"] else told
