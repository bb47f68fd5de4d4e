"""Many writers at one library: all wait their turn, none is lost."""

import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from making import NOW, paper, store

from broadsheet.errors import Busy
from broadsheet.library import interactions, papers
from broadsheet.library.database import Library
from broadsheet.readers import Interaction

HOLD = textwrap.dedent("""
    import sys, time
    from datetime import UTC, datetime
    from broadsheet.library.database import Library

    library = Library.open(sys.argv[1], datetime(2031, 1, 7, tzinfo=UTC))
    with library.write() as connection:
        connection.exec_driver_sql("UPDATE counters SET value = value + 0")
        print("held", flush=True)
        time.sleep(float(sys.argv[2]))
    library.close()
""")


def holding(file: Path | str, seconds: float) -> subprocess.Popen[str]:
    """Another process that holds the write lock already."""
    command = [sys.executable, "-c", HOLD, str(file), str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_twenty_likes_are_kept_while_another_process_writes_for_three_seconds(place):
    """B77."""
    where = place()
    library = Library.open(where, NOW)
    told = [paper(f"arxiv:3101.{n:05}", f"Maps of the {n}th kind") for n in range(20)]
    store(library, *told)

    def like(id_: str) -> None:
        with library.write() as connection:
            interactions.record(connection, [Interaction(1, id_, "liked", NOW, "web")])

    with holding(where, 3) as process:
        threads = [threading.Thread(target=like, args=(one.id,)) for one in told]
        for thread in threads:
            thread.start()
        with library.read() as connection:
            assert papers.count(connection) == 20
            assert interactions.standing(connection, 1) == {}
        for thread in threads:
            thread.join()
        assert process.wait() == 0
    with library.read() as connection:
        assert len(interactions.standing(connection, 1)["liked"]) == 20
        numbers = [done.number for done in interactions.history(connection, 1)]
    assert numbers == list(range(1, 21))
    library.close()


def test_a_writer_that_waited_in_vain_is_told_so(library_file: Path):
    hasty = Library.open(library_file, NOW, patience=0.2)
    with (
        holding(library_file, 2),
        pytest.raises(Busy, match="written by another process"),
        hasty.write(),
    ):
        pass
    hasty.close()


def test_a_killed_writer_leaves_the_last_whole_state(library_file: Path):
    library = Library.open(library_file, NOW)
    store(library, paper("arxiv:3101.00001"))
    with holding(library_file, 60) as process:
        process.kill()
    assert store(library, paper("arxiv:3101.00002", "Another")) == [("new", "arxiv:3101.00002")]
    with library.read() as connection:
        assert papers.count(connection) == 2
        assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
    library.close()
