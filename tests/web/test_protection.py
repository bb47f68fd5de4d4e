"""Only this machine is answered, and every answer carries the headers that keep other sites out."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from broadsheet.web.protection import LoopbackOnly, is_loopback
from broadsheet.web.requests import own_path


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:8765", "localhost", "LOCALHOST:1", "[::1]", "[::1]:8765"]
)
def test_this_machine_is_known_with_any_port(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "broadsheet.example",
        "127.0.0.1.broadsheet.example",
        "localhost.broadsheet.example:8765",
        "192.168.1.4:8765",
        "0.0.0.0",
        "127.0.0.1@broadsheet.example",
        "broadsheet.example@127.0.0.1",
        "127.0.0.1:port",
        "127.0.0.1:99999",
        "127.0.0.1/x",
        "127.0.0.1#x",
        "[::1",
        "[::2]",
    ],
)
def test_any_other_name_is_foreign(host: str) -> None:
    assert not is_loopback(host)


def _app() -> LoopbackOnly:
    def hello(request: Request) -> Response:
        return PlainTextResponse("hello")

    return LoopbackOnly(Starlette(routes=[Route("/", hello)]))


def test_a_foreign_host_is_refused_in_plain_words_with_all_headers() -> None:
    answer = TestClient(_app(), base_url="http://127.0.0.1").get("/", headers={"Host": "rebound.example"})
    assert answer.status_code == 400
    assert "answers only on this machine" in answer.text
    assert "rebound.example" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_scripts_inline_styles_framing_and_caching_are_forbidden() -> None:
    answer = TestClient(_app(), base_url="http://localhost:8765").get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy
    assert "unsafe" not in policy
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "back",
    ["https://x.example/", "//x.example", "/\\x.example", "/a\nb", "javascript:alert(1)", "", "a", "/ x"],
)
def test_the_way_back_never_leaves_this_server(back: str) -> None:
    assert own_path(back) == "/"


def test_the_way_back_keeps_a_path_with_query_and_place() -> None:
    assert own_path("/search?q=a+b&limit=40#paper-3") == "/search?q=a+b&limit=40#paper-3"
