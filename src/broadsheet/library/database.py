"""Opening a library: made when it is not there, migrated when it is older, refused when it is newer."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from broadsheet.errors import LibraryError, LibraryTooNew
from broadsheet.library import dialects

REVISIONS = ("0001", "0002")


class Library:
    """An open library. Rooms get a connection from :meth:`read` or :meth:`write` and never commit."""

    def __init__(self, engine: Engine, url: URL) -> None:
        self._engine = engine
        self._reading = dialects.reading(engine)
        self._writing = dialects.writing(engine)
        self._url = url

    @classmethod
    def open(cls, place: str | Path, now: datetime, patience: float = 30.0) -> "Library":
        """Open the SQLite file at a path, or the database at an address (``postgresql://…``).

        A writer waits ``patience`` seconds for another one, then raises Busy.

        Makes an empty library where there is none; an older one is copied aside and migrated. Raises
        LibraryTooNew for one made by a newer program, LibraryError where it cannot be used.
        """
        url = dialects.address(place)
        if url.get_backend_name() == "sqlite":
            _check_folder(Path(url.database or ""))
        library = cls(dialects.connect(url, patience), url)
        try:
            library._bring_up_to_date(now)
        except BaseException:
            library.close()
            raise
        return library

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the library from its first query on."""
        with self._speaking_plainly(), self._reading.connect() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A connection that may write: what it did is kept on leaving, undone on an error.

        Waits for another writer as long as the library's patience, then raises Busy.
        """
        with self._speaking_plainly(), self._writing.begin() as connection:
            yield connection

    def close(self) -> None:
        """Give back the files and connections."""
        self._engine.dispose()

    @contextmanager
    def _speaking_plainly(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            explained = dialects.explained(error, self._url)
            if explained is None:
                raise
            raise explained from error

    def _bring_up_to_date(self, now: datetime) -> None:
        with self.read() as connection:
            revision = self._revision(connection)
        if revision == REVISIONS[-1]:
            return
        if revision is None:
            with self._speaking_plainly():
                dialects.make_file_ready(self._engine)
        # Alembic takes longer to import than a search may take, and is needed only here.
        from broadsheet.library.migrating import upgrade  # noqa: PLC0415

        with self.write() as connection:
            dialects.lock_writing(connection)
            revision = self._revision(connection)
            if revision == REVISIONS[-1]:
                return
            if revision is not None:
                dialects.put_copy_aside(self._url, REVISIONS[-1])
            upgrade(connection)

    def _revision(self, connection: Connection) -> str | None:
        tables = inspect(connection)
        if not tables.has_table("alembic_version"):
            if tables.has_table("papers") or tables.has_table("readers"):
                raise LibraryError(
                    f"{dialects.shown(self._url)} is a database of another program.",
                    "Name another home with --home.",
                )
            return None
        revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
        if revision is not None and revision not in REVISIONS:
            raise LibraryTooNew(
                f"The library {dialects.shown(self._url)} was made by a newer Broadsheet (its form is"
                f" {revision}, this program knows {REVISIONS[-1]}).",
                "Install the newest Broadsheet, or name another home with --home.",
            )
        return None if revision is None else str(revision)


def _check_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(
            f"The folder {path.parent} cannot be made ({error.strerror}).",
            "Name a home where you may write, with --home or BROADSHEET_HOME.",
        ) from error
    place = path if path.exists() else path.parent
    if not os.access(place, os.R_OK | os.W_OK):
        raise LibraryError(
            f"You may not read and write {place}.",
            "Change its permissions, or name another home with --home.",
        )
