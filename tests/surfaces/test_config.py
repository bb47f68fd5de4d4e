"""Settings come from one file and the environment, and whatever does not fit is named."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from broadsheet import config
from broadsheet.errors import SettingsError


def test_without_file_and_environment_the_defaults_hold(tmp_path: Path) -> None:
    settings = config.load(tmp_path, {})
    assert settings.number("sources.arxiv.spacing_seconds") == 3.0
    assert settings.flag("sources.biorxiv.enabled") is False
    assert settings.text("sources.arxiv.oai_url") == "https://oaipmh.arxiv.org/oai"
    assert settings.texts("sources.arxiv.categories") == ()


def test_the_file_speaks_and_the_environment_wins(tmp_path: Path) -> None:
    (tmp_path / "broadsheet.toml").write_text(
        '[sources.arxiv]\ncategories = ["cs.LG", "stat.ML"]\nspacing_seconds = 5\n', "utf-8"
    )
    settings = config.load(tmp_path, {"BROADSHEET_SOURCES__ARXIV__SPACING_SECONDS": "0.5"})
    assert settings.texts("sources.arxiv.categories") == ("cs.LG", "stat.ML")
    assert settings.number("sources.arxiv.spacing_seconds") == 0.5


def test_a_list_in_the_environment_may_be_written_with_commas(tmp_path: Path) -> None:
    settings = config.load(tmp_path, {"BROADSHEET_SOURCES__ARXIV__CATEGORIES": "cs.LG, math.ST"})
    assert settings.texts("sources.arxiv.categories") == ("cs.LG", "math.ST")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[sources.arxiv]\nspacing_secs = 3\n", "sources.arxiv.spacing_secs"),
        ("[sources.arxiv]\nspacing_seconds = 'slow'\n", "sources.arxiv.spacing_seconds"),
        ("[sources.arxiv]\nspacing_seconds = -1\n", "sources.arxiv.spacing_seconds"),
        ("[sources.arxiv]\nenabled = 1\n", "sources.arxiv.enabled"),
        ("[sources.arxiv\n", "broadsheet.toml"),
    ],
)
def test_a_setting_that_does_not_fit_is_named(tmp_path: Path, text: str, named: str) -> None:
    (tmp_path / "broadsheet.toml").write_text(text, "utf-8")
    with pytest.raises(SettingsError) as caught:
        config.load(tmp_path, {})
    assert named in caught.value.message
    assert caught.value.next_step


def test_a_misspelt_setting_brings_the_near_one(tmp_path: Path) -> None:
    (tmp_path / "broadsheet.toml").write_text("[sources.arxiv]\nspacing_second = 3\n", "utf-8")
    with pytest.raises(SettingsError) as caught:
        config.load(tmp_path, {})
    assert caught.value.next_step == "Did you mean sources.arxiv.spacing_seconds?"


def test_the_clock_can_be_set_and_is_always_utc() -> None:
    assert config.clock({"BROADSHEET_NOW": "2031-01-02T03:04:05+02:00"}) == datetime(
        2031, 1, 2, 1, 4, 5, tzinfo=UTC
    )


@pytest.mark.parametrize("text", ["yesterday", "2031-01-02T03:04:05"])
def test_a_clock_without_zone_or_sense_is_refused(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        config.clock({"BROADSHEET_NOW": text})
    assert text in caught.value.message


def test_the_home_is_what_is_given_then_the_variable_then_the_platforms(tmp_path: Path) -> None:
    environ = {"BROADSHEET_HOME": str(tmp_path / "b")}
    assert config.home_folder(tmp_path / "a", environ) == tmp_path / "a"
    assert config.home_folder(None, environ) == tmp_path / "b"
    assert config.home_folder(None, {}).name == "broadsheet"


@pytest.mark.parametrize("text", ["25:99", "3:30", "noon", ""])
def test_a_time_of_day_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        config.load(tmp_path, {"BROADSHEET_HARVEST__TIME": text})
    assert "harvest.time" in caught.value.message


def test_a_folder_in_the_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "broadsheet.toml").mkdir()
    with pytest.raises(SettingsError) as caught:
        config.load(tmp_path, {})
    assert "broadsheet.toml cannot be read" in caught.value.message
