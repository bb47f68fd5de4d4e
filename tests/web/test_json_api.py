"""The JSON addresses give the documents of ``--json``."""

from starlette.testclient import TestClient

PAPER = "arxiv:2604.20280"


def test_today_has_the_keys_of_the_contract(client: TestClient) -> None:
    document = client.get("/api/v1/today", params={"limit": "3"}).json()
    assert document["day"] == "2026-04-24"
    assert set(document) == {
        "day", "reader", "basis", "digest_id", "model_age_days", "vectors", "counts", "results", "notices",
    }  # fmt: skip
    assert [result["rank"] for result in document["results"]] == [1, 2, 3]


def test_search_and_similar_give_the_same_form(client: TestClient) -> None:
    found = client.get("/api/v1/search", params={"q": "planetary nebulae", "limit": "5"}).json()
    near = client.get("/api/v1/similar", params={"id": PAPER, "limit": "5"}).json()
    assert found["results"][0]["id"] == PAPER
    assert set(found) == set(near) == {"query", "total", "vectors", "results", "notices", "did_you_mean"}
    assert PAPER not in [result["id"] for result in near["results"]]


def test_show_gives_one_paper(client: TestClient) -> None:
    document = client.get("/api/v1/show/2604.20280v1").json()
    assert document["paper"]["id"] == PAPER
    assert set(document) == {"paper", "versions", "announcements", "signals", "twins"}


def test_an_error_is_a_document_with_its_status(client: TestClient) -> None:
    answer = client.get("/api/v1/show/2604.99999")
    assert answer.status_code == 404
    assert set(answer.json()["error"]) == {"code", "message", "next_step"}
    assert answer.json()["error"]["code"] == "not_found"
    assert client.get("/api/v1/search").status_code == 400
    assert client.get("/api/v1/nowhere").json()["error"]["code"] == "not_found"


def test_suggestions_have_the_keys_of_the_command(client: TestClient) -> None:
    told = client.get("/api/v1/suggest", params={"q": "lang", "limit": "3"}).json()
    assert told.keys() == {"query", "suggestions", "notices"}
    assert 1 <= len(told["suggestions"]) <= 3
    assert all(one["text"].casefold().startswith("lang") for one in told["suggestions"])
    assert all(one.keys() == {"text", "kind", "papers"} for one in told["suggestions"])


def test_a_filter_that_no_paper_can_pass_is_a_document_with_its_code(client: TestClient) -> None:
    answer = client.get("/api/v1/search", params={"q": "since:2031-02-30"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "bad_query"
