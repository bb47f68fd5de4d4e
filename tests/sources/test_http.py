"""The client is polite, bounded, and never hands on a failed reply."""

import gzip
import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from broadsheet.errors import BadAnswer, NotBefore, Unreachable
from broadsheet.sources.http import Client, Clock, Manners, Validators
from sources.clocks import START, SleepingClock

PAGE = "https://source.example/page"


def client(
    replies: Iterator[httpx.Response | Exception] | Callable[[httpx.Request], httpx.Response],
    clock: SleepingClock | None = None,
    **manners: float | bool,
) -> Client:
    def answer(request: httpx.Request) -> httpx.Response:
        if callable(replies):
            return replies(request)
        reply = next(replies)
        if isinstance(reply, Exception):
            raise reply
        return reply

    settings = Manners(**{"spacing": 0.0, **manners})
    ticking = clock or SleepingClock()
    return Client("arxiv", "me@example.org", settings, ticking.clock(), httpx.MockTransport(answer))


def statuses(*codes: int) -> Iterator[httpx.Response]:
    return (httpx.Response(code, text=f"reply {code}") for code in codes)


def test_four_429_then_200_finish_after_growing_pauses() -> None:
    """Without Retry-After the pauses double; at chance 0 each is half of its longest."""
    clock = SleepingClock()
    answer = client(statuses(429, 429, 429, 429, 200), clock).get(PAGE)
    assert answer.body == b"reply 200"
    assert clock.slept == [0.25, 0.5, 1.0, 2.0]


def test_pauses_are_jittered_between_half_and_whole() -> None:
    clock = SleepingClock(chance=0.5)
    client(statuses(503, 200), clock, spacing=8.0).get(PAGE)
    assert clock.slept[0] == 6.0


def test_the_user_agent_names_the_program_and_a_contact() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["user-agent"])
        return httpx.Response(200)

    client(answer).get(PAGE)
    assert seen[0].startswith("Broadsheet/")
    assert "contact: me@example.org" in seen[0]


def test_requests_keep_their_distance() -> None:
    clock = SleepingClock()
    polite = client(statuses(200, 200, 200), clock, spacing=3.0)
    polite.get(PAGE)
    clock.time += timedelta(seconds=1)
    polite.get(PAGE)
    polite.get(PAGE)
    assert clock.slept == [2.0, 3.0]


def test_spacing_does_not_use_up_patience() -> None:
    polite = client(statuses(*[200] * 10), spacing=3.0, patience=1.0)
    for _ in range(10):
        polite.get(PAGE)
    assert polite.waited == 0.0


def test_retry_after_in_seconds_is_waited_exactly() -> None:
    clock = SleepingClock(chance=0.7)
    replies = iter([httpx.Response(503, headers={"Retry-After": "20"}), httpx.Response(200)])
    client(replies, clock).get(PAGE)
    assert clock.slept == [20.0]


def test_a_retry_after_date_counts_from_the_answers_own_date() -> None:
    """The server's clock is a day ahead of ours; what counts is the difference it states: 90 seconds."""
    clock = SleepingClock()
    headers = {"Date": "Thu, 19 Jun 2031 04:00:00 GMT", "Retry-After": "Thu, 19 Jun 2031 04:01:30 GMT"}
    client(iter([httpx.Response(503, headers=headers), httpx.Response(200)]), clock).get(PAGE)
    assert clock.slept == [90.0]


def test_a_retry_after_date_without_a_date_header_counts_from_our_clock() -> None:
    """Our clock says 03:00, the answer asks for 04:00: an hour, which this run may not wait."""
    headers = {"Retry-After": "Wed, 18 Jun 2031 04:00:00 GMT"}
    with pytest.raises(NotBefore) as refusal:
        client(iter([httpx.Response(503, headers=headers)]), patience=600.0).get(PAGE)
    assert refusal.value.until == datetime(2031, 6, 18, 4, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "soon",
        "-5",
        "",
        "1e3",
        "Wed, 99 Jun 2031",
        "Mon, 01 Jan 0001 00:00:00 +1400",
        "Wed, 18 Jun 2031 04:00:99999999999999999999 GMT",
        "٣",
    ],
)
def test_a_retry_after_of_no_known_form_is_passed_over(text: str) -> None:
    clock = SleepingClock()
    replies = iter([httpx.Response(429, headers=[(b"retry-after", text.encode())]), httpx.Response(200)])
    client(replies, clock).get(PAGE)
    assert clock.slept == [0.25]


def test_a_past_retry_after_date_still_pauses() -> None:
    clock = SleepingClock()
    headers = {"Retry-After": "Wed, 18 Jun 2031 02:00:00 GMT"}
    client(iter([httpx.Response(429, headers=headers), httpx.Response(200)]), clock).get(PAGE)
    assert clock.slept == [0.25]


def test_patience_is_counted_over_the_whole_run() -> None:
    """5 + 5 seconds fit a patience of 12, the third 5 do not."""
    wait = {"Retry-After": "5"}
    replies = iter([httpx.Response(429, headers=wait), httpx.Response(200)] * 3)
    clock = SleepingClock()
    polite = client(replies, clock, patience=12.0)
    polite.get(PAGE)
    polite.get(PAGE)
    with pytest.raises(NotBefore) as refusal:
        polite.get(PAGE)
    assert refusal.value.until == START + timedelta(seconds=15)


def test_a_host_that_asked_for_a_long_pause_is_left_alone_until_then() -> None:
    clock = SleepingClock()
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return (
            httpx.Response(429, headers={"Retry-After": "3600"}) if len(asked) == 1 else httpx.Response(200)
        )

    polite = client(answer, clock, patience=60.0)
    for _ in range(2):
        with pytest.raises(NotBefore):
            polite.get(PAGE)
    polite.get("https://other.example/page")
    clock.time += timedelta(hours=1)
    polite.get(PAGE)
    assert asked == ["source.example", "other.example", "source.example"]


def test_another_route_of_the_same_host_may_still_be_asked() -> None:
    """The listing asks to be left alone for an hour; catch-up, which stands in for it, answers."""

    def answer(request: httpx.Request) -> httpx.Response:
        is_listing = request.url.path.startswith("/list")
        return httpx.Response(503, headers={"Retry-After": "3600"}) if is_listing else httpx.Response(200)

    polite = client(answer, patience=60.0)
    for category in ("cs.LG", "cs.AI"):
        with pytest.raises(NotBefore):
            polite.get(f"https://source.example/list/{category}/new")
    assert polite.get("https://source.example/catchup/cs.LG/2031-06-17").body == b""


def test_spacing_goes_by_time_that_passes_although_the_commands_clock_stands_still() -> None:
    """A request that itself took two of the three seconds is followed after one more."""
    clock = SleepingClock()
    slow = clock.clock()

    def answer(_: httpx.Request) -> httpx.Response:
        clock.time += timedelta(seconds=2)
        return httpx.Response(200)

    still = Clock(lambda: START, slow.sleep, slow.random, slow.elapsed)
    polite = Client("arxiv", "", Manners(spacing=3.0), still, httpx.MockTransport(answer))
    polite.get(PAGE)
    polite.get(PAGE)
    assert clock.slept == [1.0]


def test_what_cannot_be_parsed_is_told_as_such_when_patience_is_used_up() -> None:
    def parse(_: bytes) -> None:
        raise BadAnswer("cut short")

    with pytest.raises(BadAnswer, match="cut short"):
        client(statuses(200, 200), patience=0.0).read(PAGE, parse)


def test_an_absurd_wait_is_capped_at_a_week() -> None:
    replies = iter([httpx.Response(503, headers={"Retry-After": "9" * 30})])
    with pytest.raises(NotBefore) as refusal:
        client(replies).get(PAGE)
    assert refusal.value.until == START + timedelta(days=7)


def test_tries_are_bounded() -> None:
    asked: list[int] = []

    def answer(_: httpx.Request) -> httpx.Response:
        asked.append(1)
        return httpx.Response(500)

    with pytest.raises(Unreachable):
        client(answer, patience=1e6).get(PAGE)
    assert len(asked) == 8


def test_a_host_that_cannot_be_reached_is_asked_three_times_and_then_no_more() -> None:
    asked: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(1)
        raise httpx.ConnectError("name does not resolve", request=request)

    polite = client(answer)
    for _ in range(3):
        with pytest.raises(Unreachable):
            polite.get(PAGE)
    assert len(asked) == 3


def test_a_timeout_and_a_cut_body_are_tried_again() -> None:
    replies = iter(
        [httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut"), httpx.Response(200, text="whole")]
    )
    assert client(replies).get(PAGE).body == b"whole"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 204, 206, 304])
def test_a_failed_reply_is_never_parsed_and_not_asked_for_again(status: int) -> None:
    parsed: list[bytes] = []
    with pytest.raises(BadAnswer) as refusal:
        client(statuses(status)).read(PAGE, parsed.append)
    assert refusal.value.status == status
    assert parsed == []


def test_what_cannot_be_parsed_is_asked_for_three_times() -> None:
    bodies = iter(
        [httpx.Response(200, text="{"), httpx.Response(200, text="{"), httpx.Response(200, text="[1]")]
    )

    def parse(body: bytes) -> list[int]:
        try:
            return json.loads(body)
        except ValueError as fault:
            raise BadAnswer("cut short") from fault

    assert client(bodies).read(PAGE, parse) == [1]
    with pytest.raises(BadAnswer):
        client(iter([httpx.Response(200, text="{")] * 3)).read(PAGE, parse)


def test_what_is_unchanged_is_not_sent_again() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.headers.get("if-none-match") == '"a"':
            return httpx.Response(304)
        return httpx.Response(200, headers={"ETag": '"a"', "Last-Modified": "x"}, text="news")

    polite = client(answer)
    first = polite.get(PAGE)
    again = polite.get(PAGE, validators=first.validators)
    assert (first.validators, first.not_modified) == (Validators('"a"', "x"), False)
    assert (again.body, again.not_modified) == (b"", True)


def test_packed_bodies_are_unpacked_and_counted_unpacked() -> None:
    packed = gzip.compress(b"0" * 100_000)
    assert len(packed) < 1_000

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=packed)

    assert len(client(answer, size_limit=100_000).get(PAGE).body) == 100_000
    with pytest.raises(BadAnswer, match="more than 99999 bytes"):
        client(answer, size_limit=99_999).get(PAGE)


def test_an_upgrade_to_https_is_followed_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.scheme == "http":
            return httpx.Response(301, headers={"Location": str(request.url.copy_with(scheme="https"))})
        return httpx.Response(200, text="secure")

    polite = client(answer)
    with caplog.at_level(logging.WARNING):
        bodies = [polite.get("http://source.example/a").body, polite.get("http://source.example/b").body]
    assert bodies == [b"secure", b"secure"]
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "target",
    [
        "https://elsewhere.example/page",
        "http://source.example/page",
        "https://source.example:8443/page",
        "file:///x",
    ],
)
def test_a_redirect_to_another_place_is_refused(target: str) -> None:
    replies = iter([httpx.Response(302, headers={"Location": target})])
    with pytest.raises(BadAnswer, match="another place"):
        client(replies).get(PAGE)


def test_a_redirect_in_a_circle_ends() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(302, headers={"Location": PAGE})

    with pytest.raises(BadAnswer, match="circle"):
        client(answer).get(PAGE)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1/feed",
        "http://localhost:8080/feed",
        "http://10.1.2.3/feed",
        "http://192.168.0.1/feed",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/feed",
        "http://[::ffff:127.0.0.1]/feed",
        "http://2130706433/feed",
        "http://0.0.0.0/feed",
        "http://100.64.0.1/feed",
        "http://224.0.0.1/feed",
        "file:///etc/hostname",
        "ftp://93.184.216.34/feed",
    ],
)
def test_readers_feeds_cannot_reach_inside(address: str) -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        raise AssertionError("the inner host was asked")

    with pytest.raises(BadAnswer):
        client(answer, private_allowed=False).get(address)


def test_a_public_feed_is_asked_by_the_number_that_was_checked() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200)

    client(answer, private_allowed=False).get("http://93.184.216.34:8000/feed")
    assert (seen[0].url.host, seen[0].headers["host"]) == ("93.184.216.34", "93.184.216.34:8000")


@pytest.mark.parametrize(
    "address", ["htp://x/", "http://", "//x/feed", "http://[::1", "", "feed.xml", "mailto:a@b"]
)
def test_what_is_no_web_address_is_named_and_not_asked(address: str) -> None:
    with pytest.raises(BadAnswer, match="no web address"):
        client(statuses(200)).get(address)


def test_an_owners_setting_opens_the_inner_network() -> None:
    assert client(statuses(200), private_allowed=True).get("http://127.0.0.1/feed").body == b"reply 200"
