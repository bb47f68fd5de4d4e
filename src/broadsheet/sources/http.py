"""The one polite HTTP client: the only place that asks other hosts for anything, and the only one that waits.

A client is made for one source and one run. It spaces its requests, honours Retry-After in both forms,
waits longer each time after a fault, and gives up by raising: Unreachable (tries used up), NotBefore (the
next wait does not fit the run's patience) or BadAnswer (an answer that cannot be what was asked for). A
failed reply's body is never read into anything.
"""

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib import metadata
from typing import TypeVar

import httpx

from broadsheet.errors import BadAnswer, NotBefore, Unreachable
from broadsheet.sources.addresses import pinned

log = logging.getLogger(__name__)
T = TypeVar("T")

_PASSING_FAULTS = frozenset({408, 425, 429, 500, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FIRST_PAUSE = 0.5
_LONGEST_PAUSE = 120.0
_LONGEST_NOT_BEFORE = timedelta(days=7)
_MOST_REDIRECTS = 5
_CONNECTING_TRIES = 3


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the client takes time and chance from.

    ``now`` may stand still (a command is given its moment); ``elapsed`` counts seconds from anywhere and
    never does. ``random`` gives numbers in [0, 1).
    """

    now: Callable[[], datetime] = _utc_now
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random
    elapsed: Callable[[], float] = time.monotonic


@dataclass(frozen=True, slots=True)
class Manners:
    """How one source is asked.

    ``spacing`` is the pause between the starts of two requests, ``patience`` the most that a run waits
    in all because the source asked for it or failed (spacing is not counted), both in seconds. ``tries``
    bounds how often one address is asked for; ``bad_tries`` how often an answer that cannot be parsed is
    asked for again. ``size_limit`` counts unpacked bytes. Without ``private_allowed`` the host must
    resolve to public addresses only: meant for addresses that readers typed.
    """

    spacing: float = 3.0
    patience: float = 900.0
    tries: int = 8
    bad_tries: int = 3
    timeout: float = 60.0
    size_limit: int = 64 * 1024 * 1024
    private_allowed: bool = True


@dataclass(frozen=True, slots=True)
class Validators:
    """What a source gave to ask later whether anything has changed; both may be None."""

    etag: str | None = None
    last_modified: str | None = None

    def headers(self) -> dict[str, str]:
        pairs = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in pairs.items() if value}


@dataclass(frozen=True, slots=True)
class Answer:
    """A good answer. ``not_modified`` means that the body is empty and what is held still stands."""

    url: str
    body: bytes
    content_type: str
    validators: Validators
    not_modified: bool = False


class _PassingFault(Exception):
    """A fault that may be gone at the next try; ``wait`` is what the source itself asked for, in seconds."""

    def __init__(self, why: str, wait: float | None = None, no_connection: bool = False) -> None:
        super().__init__(why)
        self.wait = wait
        self.no_connection = no_connection


def user_agent(contact: str) -> str:
    """How Broadsheet names itself to a source: program, version, and where its operator can be reached."""
    try:
        version = metadata.version("broadsheet")
    except metadata.PackageNotFoundError:
        version = "unreleased"
    reach = f"contact: {contact}" if contact else "no contact given"
    return f"Broadsheet/{version} (self-hosted daily paper; {reach})"


class Client:
    """Asks one source's hosts, politely. Not for use by several threads at once.

    ``contact`` is an address or page where the operator can be reached and stands in the User-Agent;
    ``transport`` replaces the network (a test server's, httpx.MockTransport).
    """

    def __init__(
        self,
        source: str,
        contact: str,
        manners: Manners = Manners(),
        clock: Clock = Clock(),
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.source = source
        self.manners = manners
        self.clock = clock
        self.waited = 0.0
        self._asked_at: float | None = None
        self._closed_until: dict[str, datetime] = {}
        self._dead: set[bytes] = set()
        self._redirects_told: set[str] = set()
        self._http = httpx.Client(
            headers={
                "User-Agent": user_agent(contact),
                "Accept-Encoding": "gzip, deflate",
            },
            timeout=httpx.Timeout(manners.timeout, connect=min(20.0, manners.timeout)),
            follow_redirects=False,
            transport=transport,
            trust_env=manners.private_allowed,
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def get(
        self, url: str, params: Mapping[str, str] | None = None, validators: Validators | None = None
    ) -> Answer:
        """One address's answer (status 200, or 304 to ``validators``), tried again while faults may pass.

        Raises Unreachable, NotBefore or BadAnswer (with ``status`` where the source refused).
        """
        return self._insist(url, params, validators, _as_it_is)

    def read(self, url: str, parse: Callable[[bytes], T], params: Mapping[str, str] | None = None) -> T:
        """What ``parse`` makes of the answer's body.

        A body that ``parse`` refuses with BadAnswer (cut short, an error page, empty where more was
        promised) is asked for again ``bad_tries`` times, then its BadAnswer is raised.
        """
        return self._insist(url, params, None, lambda answer: parse(answer.body))

    def read_if_changed(
        self, url: str, parse: Callable[[bytes], T], validators: Validators | None
    ) -> tuple[T, Validators] | None:
        """As :meth:`read`, with the validators for the next asking; None if nothing has changed."""

        def use(answer: Answer) -> tuple[T, Validators] | None:
            return None if answer.not_modified else (parse(answer.body), answer.validators)

        return self._insist(url, None, validators, use)

    def _insist(
        self,
        url: str,
        params: Mapping[str, str] | None,
        validators: Validators | None,
        use: Callable[[Answer], T],
    ) -> T:
        address = self._address(url, params)
        faults = refusals = 0
        while True:
            try:
                return use(self._ask(address, validators))
            except _PassingFault as fault:
                faults += 1
                self._give_up_if_hopeless(address, fault, faults + refusals)
                wait = fault.wait
            except BadAnswer as refusal:
                refusals += 1
                pause = self._pause(faults + refusals)
                lost = refusal.status is not None or refusals >= self.manners.bad_tries
                if lost or self.waited + pause > self.manners.patience:
                    raise
                wait = pause
            self._wait(address, wait or self._pause(faults + refusals))

    def _address(self, url: str, params: Mapping[str, str] | None) -> str:
        try:
            parsed = httpx.URL(url, params=dict(params)) if params else httpx.URL(url)
        except httpx.InvalidURL as fault:
            raise self._no_address(url) from fault
        if parsed.scheme not in ("http", "https") or not parsed.host:
            raise self._no_address(url)
        return str(parsed)

    def _no_address(self, url: str) -> BadAnswer:
        return BadAnswer(
            f"{self.source}: {url[:200]!r} is no web address",
            "Give an address that begins with https:// (or http://).",
            status=400,
        )

    def _give_up_if_hopeless(self, address: str, fault: _PassingFault, failures: int) -> None:
        most = min(self.manners.tries, _CONNECTING_TRIES) if fault.no_connection else self.manners.tries
        if failures < most:
            return
        if fault.no_connection:
            self._dead.add(httpx.URL(address).netloc)
        raise Unreachable(
            f"{self.source}: {address} failed {failures} times, last with: {fault}",
            "Try again later; what was taken in before is kept.",
        ) from fault

    def _pause(self, failures: int) -> float:
        longest = min(_LONGEST_PAUSE, max(_FIRST_PAUSE, self.manners.spacing) * 2.0 ** (failures - 1))
        return longest * (0.5 + self.clock.random() / 2)

    def _wait(self, address: str, seconds: float) -> None:
        if self.waited + seconds > self.manners.patience:
            until = self.clock.now() + min(timedelta(seconds=seconds), _LONGEST_NOT_BEFORE)
            self._closed_until[_route(httpx.URL(address))] = until
            raise self._not_before(address, until)
        self.waited += seconds
        self.clock.sleep(seconds)

    def _not_before(self, address: str, until: datetime) -> NotBefore:
        route = _route(httpx.URL(address))
        return NotBefore(
            f"{self.source}: {route} is not to be asked before {until:%Y-%m-%d %H:%M} UTC", until
        )

    def _ask(self, address: str, validators: Validators | None) -> Answer:
        """One try, redirects within the host included."""
        url = httpx.URL(address)
        for _ in range(_MOST_REDIRECTS + 1):
            self._refuse_closed(url)
            self._keep_spacing()
            answer = self._request(url, validators)
            if isinstance(answer, Answer):
                return answer
            url = self._redirected(url, answer)
        raise BadAnswer(f"{self.source}: {address} redirects in a circle")

    def _refuse_closed(self, url: httpx.URL) -> None:
        if url.netloc in self._dead:
            raise Unreachable(f"{self.source}: {url.host} could not be reached a moment ago")
        closed = self._closed_until.get(_route(url))
        if closed is not None and self.clock.now() < closed:
            raise self._not_before(str(url), closed)

    def _keep_spacing(self) -> None:
        if self._asked_at is not None:
            early = self._asked_at + self.manners.spacing - self.clock.elapsed()
            if early > 0:
                self.clock.sleep(min(early, self.manners.spacing))
        self._asked_at = self.clock.elapsed()

    def _request(self, url: httpx.URL, validators: Validators | None) -> Answer | str:
        """The answer, or the address that a redirect names."""
        headers = validators.headers() if validators else {}
        extensions: dict[str, str] = {}
        target = url
        if not self.manners.private_allowed:
            target, extensions = pinned(url)
            headers["Host"] = url.netloc.decode("ascii")
        try:
            with self._http.stream("GET", target, headers=headers, extensions=extensions) as response:
                return self._received(url, response, bool(validators))
        except (httpx.TransportError, httpx.DecodingError) as fault:
            no_connection = isinstance(fault, httpx.ConnectError | httpx.ConnectTimeout)
            raise _PassingFault(f"{type(fault).__name__} {fault}", no_connection=no_connection) from fault

    def _received(self, url: httpx.URL, response: httpx.Response, conditional: bool) -> Answer | str:
        status = response.status_code
        if status in _REDIRECTS and "location" in response.headers:
            return str(response.headers["location"])
        if status in _PASSING_FAULTS:
            raise _PassingFault(f"status {status}", self._asked_wait(response))
        held = status == 304 and conditional
        if status != 200 and not held:
            raise BadAnswer(f"{self.source}: {url} was refused with status {status}", status=status)
        return Answer(
            url=str(url),
            body=b"" if held else self._body(url, response),
            content_type=response.headers.get("content-type", ""),
            validators=Validators(response.headers.get("etag"), response.headers.get("last-modified")),
            not_modified=held,
        )

    def _body(self, url: httpx.URL, response: httpx.Response) -> bytes:
        limit = self.manners.size_limit
        deadline = self.clock.elapsed() + 10 * self.manners.timeout
        body = bytearray()
        for piece in response.iter_bytes():
            body += piece
            if len(body) > limit:
                raise BadAnswer(f"{self.source}: {url} sent more than {limit} bytes", status=200)
            if self.clock.elapsed() > deadline:
                raise _PassingFault("an answer that would not end")
        return bytes(body)

    def _asked_wait(self, response: httpx.Response) -> float | None:
        """Seconds that Retry-After asks for, from a number or a date; None where it says nothing."""
        text = response.headers.get("retry-after", "").strip()
        if text.isascii() and text.isdigit():
            return float(min(int(text[:12]), int(_LONGEST_NOT_BEFORE.total_seconds()))) or None
        until = _http_date(text)
        if until is None:
            return None
        asked_at = _http_date(response.headers.get("date", "")) or self.clock.now()
        seconds = (until - asked_at).total_seconds()
        return min(seconds, _LONGEST_NOT_BEFORE.total_seconds()) if seconds > 0 else None

    def _redirected(self, url: httpx.URL, location: str) -> httpx.URL:
        target = url.join(location)
        upgraded = url.scheme == "http" and target.scheme == "https"
        same_port = upgraded or _port(target) == _port(url)
        if target.host != url.host or not same_port or (target.scheme != url.scheme and not upgraded):
            raise BadAnswer(
                f"{self.source}: {url} redirects to {target}, another place, and is not followed",
                "If the source has moved for good, set its new address in the settings.",
                status=302,
            )
        if url.host not in self._redirects_told:
            self._redirects_told.add(url.host)
            log.warning(
                "%s: %s redirects to %s; set the new address to save a request", self.source, url, target
            )
        return target


def _as_it_is(answer: Answer) -> Answer:
    return answer


def _route(url: httpx.URL) -> str:
    """What a source's wish to be left alone applies to: its host and the first step of the path, since
    the routes of one source can stand in for each other."""
    return f"{url.netloc.decode('ascii')}/{url.path.lstrip('/').partition('/')[0]}"


def _port(url: httpx.URL) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme)


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
