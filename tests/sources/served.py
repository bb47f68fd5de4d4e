"""A client whose answers a test writes down, and what was asked of it."""

from collections.abc import Callable

import httpx

from broadsheet.sources.http import Client, Manners
from sources.clocks import SleepingClock


class Served:
    """Answers requests by ``reply`` (body, status and body, or a response) and keeps the addresses asked."""

    def __init__(self, reply: Callable[[httpx.URL], str | bytes | httpx.Response]) -> None:
        self.reply = reply
        self.asked: list[httpx.URL] = []

    def client(self, source: str = "arxiv", patience: float = 900.0) -> Client:
        manners = Manners(spacing=0.0, patience=patience)
        transport = httpx.MockTransport(self._answer)
        return Client(source, "me@example.org", manners, SleepingClock().clock(), transport)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url)
        reply = self.reply(request.url)
        return reply if isinstance(reply, httpx.Response) else httpx.Response(200, content=reply)


def pages(*bodies: str | bytes | httpx.Response) -> Served:
    """Answers the bodies one after the other."""
    rest = iter(bodies)
    return Served(lambda _: next(rest))
