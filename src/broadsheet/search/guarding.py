"""What stands between a damaged words index and its readers: checksums, and errors with a name.

tantivy writes a checksum at the end of each file and looks at it only when asked to, which its Python
binding cannot; what it then meets in a damaged file is an error, or a panic of its own.
"""

import json
import zlib
from pathlib import Path
from types import TracebackType

from broadsheet.errors import Busy, IndexBroken, IndexUnwritable
from broadsheet.search.files import is_sound

REBUILD = "Run `broadsheet index`: the words index is made again from the library."
_SUFFIXES = frozenset((".idx", ".pos", ".term", ".store", ".fast", ".fieldnorm", ".del"))
# What tantivy's errors say where the machine, not the index, is at fault: such an index is never made anew.
_NO_DAMAGE = (
    "Failed to acquire Lockfile",
    "No space left on device",
    "Read-only file system",
    "Permission denied",
    "Too many open files",
    "Disk quota exceeded",
    "An index writer was killed",
)
_WRITABLE = "See that the disk has room and the folder is writable, then try again: nothing is lost."
# What tantivy raises, and what its answers do where a value is missing or out of all bounds.
_FAULTS = (ValueError, TypeError, OverflowError)
_MAGIC = (1337).to_bytes(4, "little")
_BLOCK = 1 << 20
_LONGEST_END = 10_000


class Guard:
    """Turns tantivy's errors and panics in the block into Busy, IndexUnwritable or IndexBroken, naming the
    index."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and "LockBusy" in str(error):
            message = f"Another process is writing the words index in {self._directory}."
            raise Busy(message, "Try again when it is done.") from error
        if kind is not None and any(sign in str(error) for sign in _NO_DAMAGE):
            message = f"The words index in {self._directory} cannot be opened or written: {error}"
            raise IndexUnwritable(message, _WRITABLE) from error
        # A panic comes from no class that could be imported.
        if kind is not None and (issubclass(kind, _FAULTS) or kind.__name__ == "PanicException"):
            message = f"The words index in {self._directory} is damaged: {error}."
            raise IndexBroken(message, REBUILD) from error


def check_files(directory: Path) -> None:
    """Read through each file of the last commit that this process has not read yet.

    What a killed writer left beside them is of no account. Raises IndexBroken, naming the first file whose
    content does not have the checksum at its end.
    """
    committed = _committed(directory)
    for path in sorted(directory.iterdir()):
        if path.suffix not in _SUFFIXES or not path.name.startswith(committed):
            continue
        if not is_sound(path, _is_whole):
            raise IndexBroken(f"The file {path} of the words index is damaged.", REBUILD)


def _committed(directory: Path) -> tuple[str, ...]:
    """What the names of the last commit's files begin with: segments, and which deletions in them count."""
    try:
        segments = json.loads((directory / "meta.json").read_text("utf-8"))["segments"]
        names = []
        for segment in segments:
            name = str(segment["segment_id"]).replace("-", "")
            names += [f"{name}{suffix}" for suffix in _SUFFIXES - {".del"}]
            if segment["deletes"]:
                names.append(f"{name}.{segment['deletes']['opstamp']}.del")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexBroken(f"The words index in {directory} is damaged: {error}.", REBUILD) from error
    return tuple(names)


def _is_whole(path: Path) -> bool:
    """The end: JSON with the checksum of all before it, the length of the JSON, and a magic number."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 8))
        end = file.read(8)
        length = int.from_bytes(end[:4], "little")
        if end[4:] != _MAGIC or not 0 < length <= min(_LONGEST_END, size - 8):
            return False
        file.seek(size - 8 - length)
        try:
            expected = json.loads(file.read(length))["crc"]
        except (ValueError, KeyError, TypeError):
            return False
        file.seek(0)
        remaining, found = size - 8 - length, 0
        while remaining and (block := file.read(min(_BLOCK, remaining))):
            found = zlib.crc32(block, found)
            remaining -= len(block)
    return bool(found == expected)
