"""A home opened: its settings, its library, its index and its encoder, as plain values for the verbs."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from broadsheet import config
from broadsheet.errors import EncoderError, LibraryError, UsageError
from broadsheet.library.database import Library
from broadsheet.search import encoders
from broadsheet.search.encoders import Encoder

_IN_USE = "in-use.json"


@dataclass(frozen=True, slots=True)
class Home:
    """One reader's or one lab's Broadsheet. ``environ`` is read for the clock at each request."""

    path: Path
    settings: config.Settings
    library: Library
    environ: Mapping[str, str]
    _encoders: dict[str, Encoder] = field(default_factory=dict)

    @property
    def now(self) -> datetime:
        return config.clock(self.environ)

    @property
    def index_folder(self) -> Path:
        return self.path / "index"

    @property
    def encoders_folder(self) -> Path:
        return self.path / "encoders"

    @property
    def encoder_name(self) -> str | None:
        """The encoder in use, or None while none was added."""
        choice = self.encoders_folder / _IN_USE
        try:
            return str(json.loads(choice.read_text("utf-8"))["name"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise EncoderError(
                f"{choice} cannot be read: {error}.", "Run 'broadsheet encoder use minilm'."
            ) from error

    def encoder(self, name: str | None = None) -> Encoder | None:
        """The named encoder, or the one in use (None where there is none), loaded once a process."""
        name = name or self.encoder_name
        return None if name is None else self.loaded(name)

    def loaded(self, name: str) -> Encoder:
        """The named encoder, loaded once a process; raises EncoderError where it is not there."""
        if name not in self._encoders:
            self._encoders[name] = encoders.load(self.encoders_folder / name)
        return self._encoders[name]

    def use_encoder(self, name: str) -> None:
        """Take this encoder from now on; the choice is written aside and renamed."""
        aside = self.encoders_folder / f"{_IN_USE}.new"
        aside.write_text(json.dumps({"name": name}), "utf-8")
        aside.replace(self.encoders_folder / _IN_USE)


@contextmanager
def open_home(given: Path | None = None, environ: Mapping[str, str] | None = None) -> Iterator[Home]:
    """Open (and make, when new) a home; the library is closed at the end."""
    environ = os.environ if environ is None else environ
    path = config.home_folder(given, environ)
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file, not a folder.", "Give --home a folder.")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LibraryError(
            f"{path} cannot be made: {error.strerror}.", "Give a folder you may write with --home."
        ) from error
    settings = config.load(path, environ)
    url = settings.text("library.url") or f"sqlite:///{path / 'library.sqlite3'}"
    library = Library.open(url, config.clock(environ))
    try:
        yield Home(path, settings, library, environ)
    finally:
        library.close()
