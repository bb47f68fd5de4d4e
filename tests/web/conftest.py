"""A real home with the packaged sample in it, and a browser's stand-in."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from broadsheet.api.adding import add_sample, make_findable
from broadsheet.api.home import Home, open_home
from broadsheet.web.app import make_app

NOW = "2026-04-24T12:00:00Z"


@pytest.fixture
def empty_home(tmp_path: Path) -> Iterator[Home]:
    with open_home(tmp_path / "home", {"BROADSHEET_NOW": NOW}) as home:
        yield home


@pytest.fixture
def home(empty_home: Home) -> Home:
    add_sample(empty_home)
    make_findable(empty_home, lambda done, total: None)
    return empty_home


@pytest.fixture
def client(home: Home) -> TestClient:
    return TestClient(make_app(home), base_url="http://127.0.0.1:8765", follow_redirects=False)
