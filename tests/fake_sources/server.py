"""The made-up sources over real HTTP on the loopback address, in a thread or as a process of its own."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.fake_sources.faults import Faults, Reply
from tests.fake_sources.routes import Sources


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sources: Sources
    lock: threading.Lock

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        with self.lock:
            if parts.path == "/control":
                reply = Reply(body=json.dumps(_told(self.sources)).encode(), content_type="application/json")
            else:
                reply = self.sources.answer(parts.path, parts.query)
        self._send(reply)

    def do_POST(self) -> None:
        """``/control``: JSON with any of ``now`` (RFC 3339), ``seed``, ``rate``, ``dead``, ``only``."""
        wanted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.lock:
            control(self.sources, wanted)
        self._send(Reply(body=b"{}", content_type="application/json"))

    def _send(self, reply: Reply) -> None:
        if reply.dropped:
            self._hang_up()
            return
        self.send_response_only(reply.status)
        self.send_header("Date", f"{self.sources.now:%a, %d %b %Y %H:%M:%S} GMT")
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
        if reply.cut:
            self._hang_up()

    def _hang_up(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the tests count what was asked by ``Sources.asked``."""


def control(sources: Sources, wanted: dict[str, object]) -> None:
    """Set the world's clock and draw faults anew."""
    if "now" in wanted:
        sources.now = datetime.fromisoformat(str(wanted["now"]))
    if "rate" in wanted:
        sources.faults = Faults(
            seed=int(str(wanted.get("seed", 0))),
            rate=float(str(wanted["rate"])),
            dead=frozenset(wanted.get("dead", ())),  # type: ignore[call-overload]
            only=tuple(wanted.get("only", ())),  # type: ignore[arg-type]
        )


def _told(sources: Sources) -> dict[str, object]:
    return {"now": sources.now.isoformat(), "asked": len(sources.asked), "faults": sources.faults.told}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away (killed, timed out) is no fault of the made-up sources."""


def make_server(sources: Sources, port: int = 0) -> ThreadingHTTPServer:
    """A server on 127.0.0.1; port 0 takes a free one. The caller serves and closes it."""
    handler = type("Handler", (_Handler,), {"sources": sources, "lock": threading.Lock()})
    return _Server(("127.0.0.1", port), handler)


@contextmanager
def serving(sources: Sources) -> Iterator[str]:
    """The base address of a server in a thread, closed on leaving."""
    server = make_server(sources)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def addresses(base: str) -> dict[str, str]:
    """The environment variables that point every source at ``base``, without waiting for anything."""
    told = {
        "ARXIV__OAI_URL": f"{base}/oai",
        "ARXIV__API_URL": f"{base}/api/query",
        "ARXIV__FEED_URL": base,
        "ARXIV__LISTING_URL": f"{base}/list",
        "ARXIV__CATCHUP_URL": f"{base}/catchup",
        "HUGGINGFACE__URL": f"{base}/api/daily_papers",
        "BIORXIV__URL": f"{base}/details",
        "MEDRXIV__URL": f"{base}/details",
        **{f"{s}__SPACING_SECONDS": "0" for s in ("ARXIV", "HUGGINGFACE", "BIORXIV", "MEDRXIV", "FEEDS")},
        **{f"{s}__PATIENCE_SECONDS": "1" for s in ("ARXIV", "HUGGINGFACE", "BIORXIV", "MEDRXIV", "FEEDS")},
    }
    return {f"BROADSHEET_SOURCES__{name}": value for name, value in told.items()}
