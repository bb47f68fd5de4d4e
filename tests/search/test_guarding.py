"""A words index that was damaged is named, whether it is read or written, and is made again."""

from pathlib import Path

import pytest
from few_papers import paper

from broadsheet.errors import Busy, IndexBroken, IndexUnwritable
from broadsheet.search.finding import SearchRequest, find
from broadsheet.search.guarding import Guard, check_files
from broadsheet.search.index import update_words
from broadsheet.search.opening import words_folder


@pytest.fixture
def place(library, take_in, tmp_path) -> Path:
    take_in(*(paper(f"arxiv:3101.{n:05}", f"Kelp study {n}", "Of forests. " * 9) for n in range(50)))
    with library.read() as connection:
        update_words(connection, tmp_path / "index")
    return words_folder(tmp_path / "index")


def flipped(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)


def test_whole_files_have_the_checksum_that_they_carry(place) -> None:
    check_files(place)


@pytest.mark.parametrize("suffix", ["idx", "term", "fast", "fieldnorm", "pos", "store"])
@pytest.mark.parametrize("where", [0, -1, -20, "middle"])
def test_a_flipped_bit_anywhere_in_a_file_is_found_by_the_next_writer(
    library, take_in, place, suffix, where
) -> None:
    path = max(place.glob(f"*.{suffix}"), key=lambda path: path.stat().st_size)
    flipped(path, path.stat().st_size // 2 if where == "middle" else where)
    take_in(paper("arxiv:3102.00001", "One more"))
    with library.read() as connection:
        with pytest.raises(IndexBroken) as broken:
            update_words(connection, place.parent)
        assert str(place) in broken.value.message
        assert update_words(connection, place.parent, rebuild=True) == 51
        assert find(connection, place.parent, None, SearchRequest("kelp")).total == 50


def test_an_emptied_file_is_told_to_a_reader(library, place) -> None:
    for path in place.glob("*.term"):
        path.write_bytes(b"")
    with library.read() as connection, pytest.raises(IndexBroken, match="words"):
        find(connection, place.parent, None, SearchRequest("kelp"))


def test_other_faults_than_a_damaged_index_pass_the_guard(tmp_path) -> None:
    with pytest.raises(KeyError), Guard(tmp_path):
        raise KeyError("mine")
    with pytest.raises(IndexBroken, match="damaged: cut short"), Guard(tmp_path):
        raise ValueError("cut short")


@pytest.mark.parametrize(
    ("told", "raised"),
    [
        ("Failed to acquire Lockfile: LockBusy. None", Busy),
        ("An IO error occurred: 'No space left on device (os error 28)'", IndexUnwritable),
        ("Failed to acquire Lockfile: Read-only file system", IndexUnwritable),
        ("Data corrupted", IndexBroken),
    ],
)
def test_only_damage_is_called_damage(tmp_path, told, raised) -> None:
    """An index that cannot be locked or written is whole, and must not be made anew for it."""
    with pytest.raises(raised), Guard(tmp_path):
        raise ValueError(told)
