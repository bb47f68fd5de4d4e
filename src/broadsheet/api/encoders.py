"""Encoders of a home: add one, list them, choose the one in use."""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from broadsheet.api.home import Home
from broadsheet.daily import switching
from broadsheet.daily.switching import Change
from broadsheet.errors import UsageError
from broadsheet.search import encoders, index, mapping, opening
from broadsheet.search.conversion.converting import Prefixes, convert
from broadsheet.search.mapping import Map
from broadsheet.search.mixed import Mixed
from broadsheet.sources import weights


class EncoderDocument(TypedDict):
    name: str
    dimension: int
    in_use: bool
    vectors: int


class EncodersDocument(TypedDict):
    encoders: list[EncoderDocument]


class MapDocument(TypedDict):
    """How old vectors do beside new ones until all are made (docs/search.md)."""

    old: str
    pairs: int
    kept_aside: int
    cosine: float
    neighbours: float
    found_by_new: float
    found_by_map: float
    found_by_old: float


class ChangeDocument(EncodersDocument):
    map: MapDocument | None


Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an encoder comes from: a folder, or a repository on a hub; and prefixes that its own files
    do not tell."""

    folder: Path | None = None
    hub: str | None = None
    prefixes: Prefixes = Prefixes()


def add(home: Home, name: str, origin: Origin = Origin()) -> EncodersDocument:
    """Obtain an encoder's weights, verify and convert them, and keep the result in the home.

    The first encoder comes into use. An encoder that is there already is left as it is.
    """
    if not name.replace("-", "").isalnum():
        raise UsageError(f"{name!r} is no name of an encoder.", "Use letters, digits and hyphens.")
    if origin.hub and (origin.folder or name in weights.KNOWN):
        raise UsageError(
            f"--hub goes neither with --from nor with the name {name!r}.", "Choose another name."
        )
    target = home.encoders_folder / name
    if not (target / encoders.DESCRIPTION_FILE).exists():
        home.encoders_folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.encoders_folder, prefix=".obtaining-") as work:
            obtained = _obtained(name, origin, Path(work))
            convert(obtained, target, name, prefixes=origin.prefixes)
    if home.encoder_name is None:
        home.use_encoder(name)
    return all_encoders(home)


def _obtained(name: str, origin: Origin, workdir: Path) -> Path:
    if origin.hub:
        return weights.from_hub(origin.hub, workdir)
    if origin.folder and name not in weights.KNOWN:
        return origin.folder
    return weights.obtain(name, origin.folder, workdir)


def all_encoders(home: Home) -> EncodersDocument:
    """What is there, with how many papers have a vector of each."""
    in_use = home.encoder_name
    with home.library.read() as conn:
        return {
            "encoders": [
                {
                    "name": description.name,
                    "dimension": description.dimension,
                    "in_use": description.name == in_use,
                    "vectors": index.report(conn, home.index_folder, description.name).vectors,
                }
                for description in encoders.installed(home.encoders_folder)
            ]
        }


def use(
    home: Home, name: str, *, anyway: bool = False, progress: Progress = lambda done, total: None
) -> ChangeDocument:
    """Take an encoder that is there. Where papers have vectors of another one only, some are encoded
    anew first, and these show whether old vectors may stand beside new ones until all are made.

    ``anyway`` changes without old vectors: then such papers are found by words alone. Raises EncoderError,
    and changes nothing, where old vectors would not do.
    """
    names = _installed(home)
    _must_be_here(name, names)
    learned: Map | None = None
    if anyway:
        switching.forgo(home.index_folder, name)
    else:
        change = Change(home.loaded(name), names, home.loaded)
        learned = switching.prepare(home.library, home.index_folder, change, progress)
    home.use_encoder(name)
    return {**all_encoders(home), "map": None if learned is None else _map(learned)}


def remove(home: Home, name: str) -> EncodersDocument:
    """Take an encoder away with its vectors and maps: not the one in use, nor one whose vectors still
    stand for papers that have none of the one in use."""
    names = _installed(home)
    _must_be_here(name, names)
    if name == home.encoder_name:
        raise UsageError(f"{name} is in use.", "Take another one first: `broadsheet encoder use NAME`.")
    meaning = opening.meaning_at(home.index_folder, home.encoder_name) if home.encoder_name else None
    if isinstance(meaning, Mixed) and meaning.old_encoder == name and meaning.mapped:
        raise UsageError(
            f"{meaning.mapped:,} papers have a vector of {name} only.",
            "Make the others first: `broadsheet index`.",
        )
    index.remove_vectors(home.index_folder, name)
    mapping.remove(home.index_folder, name)
    shutil.rmtree(home.encoders_folder / name)
    return all_encoders(home)


def _installed(home: Home) -> list[str]:
    return [description.name for description in encoders.installed(home.encoders_folder)]


def _must_be_here(name: str, names: list[str]) -> None:
    if name not in names:
        known = ", ".join(names) or "none yet; 'broadsheet encoder add minilm' adds one"
        raise UsageError(f"There is no encoder {name!r} here.", f"Encoders: {known}.")


def _map(learned: Map) -> MapDocument:
    measured = learned.measured
    return {
        "old": learned.ends.old,
        "pairs": measured.pairs,
        "kept_aside": measured.kept_aside,
        "cosine": measured.cosine,
        "neighbours": measured.neighbours,
        "found_by_new": measured.found_by_new,
        "found_by_map": measured.found_by_map,
        "found_by_old": measured.found_by_old,
    }
