"""Save, like, dismiss and taking back: by a form of our own page, and in no other way."""

import re

import pytest
from starlette.testclient import TestClient

from broadsheet.api.home import Home
from broadsheet.api.shelf import standing

PAPER = "arxiv:2604.20280"
PATHS = [("/save", "saved"), ("/like", "liked"), ("/dismiss", "dismissed")]


def _token(client: TestClient) -> str:
    found = re.search(r'name="token" value="([^"]+)"', client.get(f"/paper/{PAPER}").text)
    assert found
    return found[1]


@pytest.mark.parametrize(("path", "kind"), PATHS)
def test_a_button_records_and_pressing_it_again_takes_it_back(
    client: TestClient, home: Home, path: str, kind: str
) -> None:
    form = {"token": _token(client), "id": PAPER, "back": f"/paper/{PAPER}"}
    answer = client.post(path, data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/paper/{PAPER}")
    assert standing(home, [PAPER]) == {PAPER: [kind]}
    assert 'aria-pressed="true"' in client.get(f"/paper/{PAPER}").text
    client.post(path, data={**form, "undo": "1"})
    assert standing(home, [PAPER]) == {}
    assert 'aria-pressed="true"' not in client.get(f"/paper/{PAPER}").text


@pytest.mark.parametrize(("path", "kind"), PATHS)
def test_nothing_changes_by_get(client: TestClient, home: Home, path: str, kind: str) -> None:
    assert client.get(path, params={"token": _token(client), "id": PAPER}).status_code == 405
    assert standing(home, [PAPER]) == {}


@pytest.mark.parametrize(
    ("fields", "headers"),
    [
        ({}, {}),
        ({"token": ""}, {}),
        ({"token": "guessed"}, {}),
        ({"token": "the right one"}, {"Origin": "https://elsewhere.example"}),
        ({"token": "the right one"}, {"Origin": "null"}),
        ({"token": "the right one"}, {"Origin": "http://127.0.0.1:9999"}),
    ],
)
def test_a_form_of_another_site_is_refused(
    client: TestClient, home: Home, fields: dict[str, str], headers: dict[str, str]
) -> None:
    token = _token(client)
    if fields.get("token") == "the right one":
        fields = {"token": token}
    answer = client.post("/save", data={"id": PAPER, **fields}, headers=headers)
    assert answer.status_code == 403
    assert standing(home, [PAPER]) == {}


def test_our_own_origin_is_accepted(client: TestClient, home: Home) -> None:
    form = {"token": _token(client), "id": PAPER}
    client.post("/save", data=form, headers={"Origin": "http://127.0.0.1:8765"})
    assert standing(home, [PAPER]) == {PAPER: ["saved"]}


def test_a_form_without_a_cookie_is_refused(client: TestClient, home: Home) -> None:
    token = _token(client)
    client.cookies.clear()
    assert client.post("/save", data={"id": PAPER, "token": token}).status_code == 403
    assert standing(home, [PAPER]) == {}


def test_a_form_larger_than_any_of_ours_is_refused(client: TestClient) -> None:
    answer = client.post("/save", data={"id": "x" * 70_000, "token": _token(client)})
    assert answer.status_code == 413


def test_a_paper_that_is_not_held_is_not_found(client: TestClient) -> None:
    answer = client.post("/save", data={"id": "2604.99999", "token": _token(client)})
    assert answer.status_code == 404


def test_the_answer_never_leads_to_another_site(client: TestClient) -> None:
    form = {"token": _token(client), "id": PAPER, "back": "//elsewhere.example/"}
    assert client.post("/save", data=form).headers["location"] == "/"


def test_saved_papers_have_a_page_of_their_own_the_last_saved_first(client: TestClient) -> None:
    assert "Nothing is saved yet" in client.get("/saved").text
    client.post("/save", data={"token": _token(client), "id": PAPER})
    page = client.get("/saved").text
    assert "Ancient &#39;ghost&#39; planetary nebulae" in page
    assert "1 paper," in page
