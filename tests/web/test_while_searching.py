"""A search that takes long keeps no other page waiting: searches run beside the event loop, not on it."""

import asyncio
import threading
from collections.abc import Sequence

import httpx
import numpy as np

from broadsheet.api.home import Home
from broadsheet.search.growing import VectorsWriter
from broadsheet.web.app import make_app


class WaitingEncoder:
    """Takes as long for a query as the test wants."""

    name = "waiting"

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def encode_queries(self, texts: Sequence[str]) -> np.ndarray:
        self.begun.set()
        assert self.may_end.wait(20)
        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))


def test_pages_are_served_while_a_search_runs(home: Home) -> None:
    encoder = WaitingEncoder()
    with VectorsWriter(home.index_folder, encoder.name, "m", 4, 1.0) as writer:
        one = np.array([1])
        writer.add(np.array([[1, 0, 0, 0]], np.float32), one, one, one)
    home.encoders_folder.mkdir()
    home.use_encoder(encoder.name)
    home._encoders[encoder.name] = encoder

    async def both() -> tuple[int, int, bool]:
        transport = httpx.ASGITransport(make_app(home))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as browser:
            search = asyncio.create_task(browser.get("/search?q=galaxies"))
            await asyncio.to_thread(encoder.begun.wait, 20)
            meanwhile = await browser.get("/day/2026-04-24")
            still_running = not search.done()
            encoder.may_end.set()
            return (await search).status_code, meanwhile.status_code, still_running

    assert asyncio.run(both()) == (200, 200, True)
