"""Settings: one TOML file in the home, each also an environment variable. Only surfaces read this.

``[sources.arxiv] spacing_seconds = 3`` is ``BROADSHEET_SOURCES__ARXIV__SPACING_SECONDS=3``.
"""

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

from broadsheet.errors import SettingsError
from broadsheet.sources.table import SOURCES, Source

Value = bool | int | float | str | tuple[str, ...]

FILE_NAME = "broadsheet.toml"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its dotted path, its default (which fixes its type) and what it does.

    ``form`` is a pattern that a text must fit as a whole.
    """

    path: str
    default: Value
    meaning: str
    form: str = r"(?s:.*)"

    @property
    def variable(self) -> str:
        return "BROADSHEET_" + self.path.upper().replace(".", "__")


def _source(source: Source) -> tuple[Setting, ...]:
    prefix = f"sources.{source.name}"
    patience = source.patience_seconds
    return (
        Setting(f"{prefix}.enabled", source.enabled, "whether a plain harvest asks this source"),
        Setting(f"{prefix}.spacing_seconds", source.spacing_seconds, "the least pause between two requests"),
        Setting(f"{prefix}.patience_seconds", patience, "the most that one run waits in all for this source"),
        *(Setting(f"{prefix}.{key}", url, "the base address") for key, url in source.addresses.items()),
    )


_TIME_OF_DAY = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"

SETTINGS: tuple[Setting, ...] = (
    Setting("library.url", "", "a database URL (postgresql+psycopg://…); empty: library.sqlite3 in the home"),
    Setting("harvest.contact", "", "an address in the User-Agent, so that a source can reach you"),
    Setting("harvest.time", "03:30", "when a running server makes the day, in UTC (HH:MM)", _TIME_OF_DAY),
    *(setting for source in SOURCES for setting in _source(source)),
    Setting("sources.arxiv.categories", (), "categories to harvest beside those that readers follow"),
    Setting("sources.feeds.urls", (), "addresses of RSS, Atom or JSON feeds"),
    Setting("sources.feeds.allow_private", False, "whether feeds may lie on private addresses"),
)

_BY_PATH = {setting.path: setting for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a home, read once. Ask by dotted path and type."""

    home: Path
    values: Mapping[str, Value]

    def text(self, path: str) -> str:
        value = self.values[path]
        assert isinstance(value, str), path
        return value

    def number(self, path: str) -> float:
        value = self.values[path]
        assert isinstance(value, int | float), path
        return float(value)

    def flag(self, path: str) -> bool:
        value = self.values[path]
        assert isinstance(value, bool), path
        return value

    def texts(self, path: str) -> tuple[str, ...]:
        value = self.values[path]
        assert isinstance(value, tuple), path
        return value


def home_folder(given: Path | None, environ: Mapping[str, str]) -> Path:
    """Where this reader's home lies: as given, as BROADSHEET_HOME says, or the platform's data folder."""
    if given is not None:
        return given.expanduser()
    if environ.get("BROADSHEET_HOME"):
        return Path(environ["BROADSHEET_HOME"]).expanduser()
    return Path(platformdirs.user_data_dir("broadsheet", appauthor=False))


def clock(environ: Mapping[str, str]) -> datetime:
    """The present instant in UTC, or what BROADSHEET_NOW (RFC 3339) puts in its place."""
    given = environ.get("BROADSHEET_NOW")
    if not given:
        return datetime.now(UTC)
    try:
        instant = datetime.fromisoformat(given)
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        raise SettingsError(
            f"BROADSHEET_NOW is {given!r}, which is no instant.",
            "Give it as in RFC 3339, for example 2026-06-30T08:00:00Z, or unset it.",
        )
    return instant.astimezone(UTC)


def load(home: Path, environ: Mapping[str, str]) -> Settings:
    """The settings of a home; raises SettingsError naming the file or variable that is wrong."""
    values: dict[str, Value] = {setting.path: setting.default for setting in SETTINGS}
    for path, raw in _from_file(home / FILE_NAME).items():
        values[path] = _checked(path, raw, str(home / FILE_NAME))
    for setting in SETTINGS:
        if setting.variable in environ:
            raw = _parsed(setting, environ[setting.variable])
            values[setting.path] = _checked(setting.path, raw, setting.variable)
    return Settings(home, values)


def _from_file(file: Path) -> dict[str, object]:
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be read: {error.strerror}.",
            "It must be a file, and readable.",
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file} is not valid TOML: {error}.", "Mend that line.") from error
    return dict(_flattened(document, ""))


def _flattened(table: Mapping[str, object], prefix: str) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict):
            found += _flattened(value, f"{path}.")
        else:
            found.append((path, value))
    return found


def _parsed(setting: Setting, text: str) -> object:
    if isinstance(setting.default, str):
        return text
    if isinstance(setting.default, tuple) and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _checked(path: str, raw: object, where: str) -> Value:
    setting = _BY_PATH.get(path)
    if setting is None:
        near = difflib.get_close_matches(path, _BY_PATH, 1)
        hint = f"Did you mean {near[0]}?" if near else "docs/settings.md lists them all."
        raise SettingsError(f"{where}: there is no setting {path}.", hint)
    default = setting.default
    if isinstance(default, tuple) and isinstance(raw, list) and all(isinstance(part, str) for part in raw):
        return tuple(raw)
    if isinstance(default, float | int) and not isinstance(default, bool):
        if isinstance(raw, int | float) and not isinstance(raw, bool) and raw >= 0:
            return raw
    elif isinstance(raw, bool | str) and type(raw) is type(default) and re.fullmatch(setting.form, str(raw)):
        return raw
    raise SettingsError(
        f"{where}: {path} is {raw!r}, which does not fit.",
        f"Give it in the form of its default: {default!r}.",
    )
