"""A harvest of the made-up arXiv, over real HTTP or straight into the made-up sources' answers."""

from collections.abc import Sequence
from datetime import datetime

import httpx
from tests.fake_sources.routes import Sources

from broadsheet.daily.harvest import harvest
from broadsheet.daily.plans import ArxivAddresses, ArxivPlan, SourceReport, Span
from broadsheet.library.database import Library
from broadsheet.sources.http import Client, Clock, Manners

DIRECT = "http://made-up.invalid"


def transport(sources: Sources) -> httpx.MockTransport:
    """The made-up sources without a socket, with the same faults."""

    def answer(request: httpx.Request) -> httpx.Response:
        reply = sources.answer(request.url.path, request.url.query.decode())
        if reply.dropped or reply.cut:
            raise httpx.RemoteProtocolError("the connection was closed early", request=request)
        headers = {
            "content-type": reply.content_type,
            "date": f"{sources.now:%a, %d %b %Y %H:%M:%S} GMT",
            **dict(reply.headers),
        }
        return httpx.Response(reply.status, headers=headers, content=reply.body)

    return httpx.MockTransport(answer)


def plan(
    base: str, categories: Sequence[str], now: datetime, through: httpx.BaseTransport | None = None
) -> ArxivPlan:
    """A plan whose client never truly waits: the passed sleep returns at once."""
    client = Client(
        "arxiv",
        "nobody@broadsheet.invalid",
        Manners(spacing=0.0, patience=120.0),
        Clock(now=lambda: now, sleep=lambda seconds: None, random=lambda: 0.5),
        through,
    )
    addresses = ArxivAddresses(f"{base}/oai", f"{base}/api/query", base, f"{base}/list", f"{base}/catchup")
    return ArxivPlan(client, tuple(categories), addresses)


def harvest_once(library: Library, planned: ArxivPlan, now: datetime) -> SourceReport:
    with planned.client:
        [report] = harvest(library, [planned], Span(), now, lambda line: None)
    return report
