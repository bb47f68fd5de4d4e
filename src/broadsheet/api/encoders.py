"""Encoders of a home: add one, list them, choose the one in use."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from broadsheet.api.home import Home
from broadsheet.errors import UsageError
from broadsheet.search import conversion, encoders, index
from broadsheet.search.conversion import Prefixes
from broadsheet.sources import weights


class EncoderDocument(TypedDict):
    name: str
    dimension: int
    in_use: bool
    vectors: int


class EncodersDocument(TypedDict):
    encoders: list[EncoderDocument]


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
            conversion.convert(obtained, target, name, prefixes=origin.prefixes)
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


def use(home: Home, name: str) -> EncodersDocument:
    """Take an encoder that is there; vectors of another are never compared with its own."""
    names = [description.name for description in encoders.installed(home.encoders_folder)]
    if name not in names:
        known = ", ".join(names) or "none yet; 'broadsheet encoder add minilm' adds one"
        raise UsageError(f"There is no encoder {name!r} here.", f"Encoders: {known}.")
    home.use_encoder(name)
    return all_encoders(home)
