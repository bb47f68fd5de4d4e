"""Opening a library: made, migrated, refused; its faults said in words."""

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from making import NOW, paper, store

from broadsheet.errors import LibraryError, LibraryTooNew
from broadsheet.library import arrivals, papers, readers
from broadsheet.library.database import REVISIONS, Library
from broadsheet.library.dialects import address, connect, shown, writing
from broadsheet.library.migrating import settings, upgrade
from broadsheet.library.tables import metadata
from broadsheet.papers import Arrival


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


def test_a_library_made_by_a_newer_program_is_refused(library_file: Path):
    file = sqlite3.connect(library_file)
    file.execute("UPDATE alembic_version SET version_num = '9999'")
    file.commit()
    file.close()
    with pytest.raises(LibraryTooNew, match=r"library\.sqlite3 was made by a newer Broadsheet"):
        Library.open(library_file, NOW)


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


def older(library_file: Path, revision: str) -> None:
    """A library in an earlier form, with one paper and one like in it."""
    url = address(library_file)
    engine = connect(url, patience=1)
    with writing(engine).begin() as connection:
        upgrade(connection, revision)
    with writing(engine).begin() as connection:
        arrivals.store(connection, [Arrival(paper("arxiv:3101.00001"))], NOW)
    engine.dispose()


def test_an_older_library_is_migrated_after_a_copy_is_put_aside(tmp_path: Path):
    file = tmp_path / "library.sqlite3"
    older(file, "0001")
    library = Library.open(file, NOW)
    with library.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert papers.find(connection, "3101.00001")[1] == paper("arxiv:3101.00001")
    library.close()
    copy = sqlite3.connect(tmp_path / "library.sqlite3.before-0002")
    assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("0001",)]
    assert copy.execute("SELECT id FROM papers").fetchall() == [("arxiv:3101.00001",)]
    assert not copy.execute("SELECT * FROM sqlite_master WHERE name = 'announced_days'").fetchall()
    copy.close()


def test_a_full_disk_is_said_and_leaves_the_last_whole_state(library_file: Path):
    library = Library.open(library_file, NOW)
    store(library, paper("arxiv:3101.00001"))
    with library.write() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
    with pytest.raises(LibraryError, match=r"library\.sqlite3 cannot grow: the disk is full") as raised:
        store(library, paper("arxiv:3101.00002", "Long", "x" * 3_000_000))
    assert raised.value.next_step == "Make room on the disk and run the command again."
    library.close()
    again = Library.open(library_file, NOW)
    with again.read() as connection:
        assert papers.count(connection) == 1
    again.close()


def test_a_home_that_cannot_be_made_is_said(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LibraryError, match="cannot be made") as raised:
        Library.open(tmp_path / "file" / "library.sqlite3", NOW)
    assert "--home" in raised.value.next_step


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_library_that_may_not_be_written_is_said(library_file: Path):
    library_file.chmod(0o400)
    with pytest.raises(LibraryError, match="may not read and write"):
        Library.open(library_file, NOW)


def test_a_folder_in_the_librarys_place_is_said(tmp_path: Path):
    (tmp_path / "library.sqlite3").mkdir()
    with pytest.raises(LibraryError, match=r"library\.sqlite3 cannot be opened"):
        Library.open(tmp_path / "library.sqlite3", NOW)


def test_a_damaged_file_is_said(library_file: Path):
    content = bytearray(library_file.read_bytes())
    content[4096 : len(content)] = b"\xff" * (len(content) - 4096)
    library_file.write_bytes(content)
    with pytest.raises(LibraryError, match=r"library\.sqlite3 is damaged"):
        Library.open(library_file, NOW)


def test_another_programs_database_is_left_alone(tmp_path: Path):
    """B79: what is not ours is refused, never run or rewritten."""
    file = tmp_path / "library.sqlite3"
    foreign = sqlite3.connect(file)
    foreign.execute("CREATE TABLE papers (pickle BLOB)")
    foreign.commit()
    foreign.close()
    before = file.read_bytes()
    with pytest.raises(LibraryError, match="database of another program"):
        Library.open(file, NOW)
    assert file.read_bytes() == before


def test_two_processes_that_make_a_library_at_once_make_one(tmp_path: Path):
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda _: Library.open(tmp_path / "library.sqlite3", NOW), range(4)))
    with opened[3].read() as connection:
        assert [reader.name for reader in readers.all_readers(connection)] == ["me"]
    for library in opened:
        library.close()


def test_an_address_keeps_its_password_to_itself():
    url = address("postgresql://ada:secret@localhost:1/papers")
    assert url.drivername == "postgresql+psycopg"
    assert shown(url) == "postgresql+psycopg://ada:***@localhost:1/papers"
    with pytest.raises(LibraryError, match="cannot be reached"):
        Library.open("postgresql://ada:secret@localhost:1/papers", NOW)
