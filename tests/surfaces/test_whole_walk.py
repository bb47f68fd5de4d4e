"""A paper's whole way: from a source to a page, and a click on it back into the ranking."""

from datetime import timedelta
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.fake_sources.routes import Sources
from tests.fake_sources.server import addresses, serving
from tests.fake_sources.world import World
from three_papers import Run

from broadsheet.api.home import open_home
from broadsheet.web.app import make_app


def test_a_paper_walks_from_a_source_to_a_page_and_a_click_back_into_the_ranking(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(seed=5, days=10, papers=400)
    first = world.mailed(world.last_moment)[0]
    morning = world.first_moment.replace(hour=12)
    sources = Sources(world, morning)
    with serving(sources) as base:
        for name, value in addresses(base).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("BROADSHEET_NOW", morning.isoformat())
        run("follow", "--category", "cs.LG")
        report = run("harvest", "arxiv", "--json").document
        rows = {row["day"]: row for row in report["sources"][0]["days"]}
        assert rows[first.isoformat()]["text"].startswith("complete: announced")

        today = run("today", "--json").document
        assert today["basis"] == "date_and_signals"
        chosen = today["results"][0]["id"]
        with open_home(tmp_path / "home", {"BROADSHEET_NOW": morning.isoformat()}) as home:
            client = TestClient(make_app(home), base_url="http://127.0.0.1:8765", follow_redirects=False)
            page = client.get("/").text
            token = page.split('name="token" value="')[1].split('"')[0]
            clicked = client.post(
                "/like",
                data={"id": chosen, "token": token, "back": "/"},
                headers={"Origin": "http://127.0.0.1:8765"},
            )
            assert clicked.status_code == 303

        sources.now = morning + timedelta(days=1)
        monkeypatch.setenv("BROADSHEET_NOW", sources.now.isoformat())
        run("daily", "--json")
        tomorrow = run("today", "--json").document
    assert tomorrow["basis"] == "taste"
    assert chosen not in [result["id"] for result in tomorrow["results"]]
    assert {reason["feature"] for result in tomorrow["results"] for reason in result["reasons"]} >= {"words"}
    for result in tomorrow["results"]:
        assert sum(r["share"] for r in result["reasons"]) == pytest.approx(result["score"], abs=1e-6)
