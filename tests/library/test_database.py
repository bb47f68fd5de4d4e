"""Opening a library: made, migrated, refused; its faults said in words."""

import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from making import NOW, paper, store

from broadsheet.errors import LibraryError, LibraryTooNew
from broadsheet.library import papers
from broadsheet.library.database import REVISIONS, Library
from broadsheet.library.migrating import settings
from broadsheet.library.tables import metadata


def test_the_migrations_make_exactly_the_tables(library: Library):
    with library.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    scripts = ScriptDirectory.from_config(settings())
    assert tuple(reversed([script.revision for script in scripts.walk_revisions()])) == REVISIONS


def test_a_library_is_there_when_it_is_opened_again(tmp_path: Path):
    first = Library.open(tmp_path / "new" / "library.sqlite3", NOW)
    store(first, paper("arxiv:3101.00001"))
    first.close()
    again = Library.open(tmp_path / "new" / "library.sqlite3", NOW)
    with again.read() as connection:
        assert papers.count(connection) == 1
    again.close()


def test_a_library_made_by_a_newer_program_is_refused(library: Library, tmp_path: Path):
    library.close()
    file = sqlite3.connect(tmp_path / "library.sqlite3")
    file.execute("UPDATE alembic_version SET version_num = '9999'")
    file.commit()
    file.close()
    with pytest.raises(LibraryTooNew, match=r"library\.sqlite3 was made by a newer Broadsheet"):
        Library.open(tmp_path / "library.sqlite3", NOW)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path):
    (tmp_path / "library.sqlite3").write_bytes(b"Dear diary, " * 1000)
    with pytest.raises(LibraryError, match=r"library\.sqlite3 is no database"):
        Library.open(tmp_path / "library.sqlite3", NOW)


def test_an_error_undoes_what_was_written_before_it(library: Library):
    store(library, paper("arxiv:3101.00001"))

    def fails() -> None:
        with library.write() as connection:
            connection.exec_driver_sql("DELETE FROM identifiers")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fails()
    with library.read() as connection:
        assert papers.find(connection, "3101.00001")[0] == 1
