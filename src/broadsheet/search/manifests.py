"""The manifest: what makes up an encoder's vectors, replaced as a whole by a rename."""

import json
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import IndexBroken
from broadsheet.search.files import replaced

FORMAT = 1
MANIFEST = "manifest.json"
REBUILD = "Run `broadsheet index --rebuild`: the vectors are made again."


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which segments there are, in the order in which they were written, and how they stand.

    ``model`` is the hash of the encoder's file, ``limit`` the scale of its codes. When the library
    stood at change ``through``: ``gone`` are keys whose papers are no longer in it, ``stale`` those
    whose vector is that of an older text, ``pending`` papers had no vector of their text.
    """

    model: str
    dimension: int
    limit: float
    segments: tuple[str, ...] = ()
    gone: tuple[int, ...] = ()
    stale: tuple[int, ...] = ()
    through: int = 0
    pending: int = 0


def read_manifest(directory: Path) -> Manifest:
    """Raises IndexBroken where there is none, a damaged one, or one of another version."""
    path = directory / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found.pop("format") != FORMAT:
            raise ValueError("another version")
        for name in ("segments", "gone", "stale"):
            found[name] = tuple(found.get(name, ()))
        return Manifest(**found)
    except FileNotFoundError as error:
        raise IndexBroken(f"There are no vectors in {directory}.", "Run `broadsheet index`.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexBroken(f"{path} cannot be read: {error}.", REBUILD) from error


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Replace the manifest; it is on the disk when this returns."""
    content = {"format": FORMAT} | {name: getattr(manifest, name) for name in Manifest.__slots__}
    with replaced(directory / MANIFEST) as file:
        file.write(json.dumps(content).encode())


def folder_of(directory: Path, encoder: str) -> Path:
    """Where an encoder's vectors lie under an index directory."""
    return directory / "vectors" / encoder
