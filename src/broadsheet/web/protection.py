"""What keeps other sites out: the Host header, the origin of a form, its token, and the headers sent.

The pages are for one reader on this machine. A foreign page could still make a browser send a request
here (by a form, or by a name that it points at 127.0.0.1), so each request is checked.
"""

import hmac
import secrets
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from broadsheet.errors import ForeignRequest, FormTooLarge

TOKEN_COOKIE = "broadsheet_form"
FORM_LIMIT = 65_536

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # same-origin rather than no-referrer: with the latter browsers send "Origin: null" with our own forms
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine itself, with any port.

    >>> is_loopback("127.0.0.1:8765"), is_loopback("broadsheet.example")
    (True, False)
    """
    try:
        parts = urlsplit(f"//{host}")
        _ = parts.port
    except ValueError:
        return False
    return parts.netloc == host and "@" not in host and parts.hostname in _LOOPBACK


class LoopbackOnly:
    """Answers 400 to any request whose Host header is not this machine, and sets the headers of all."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or not is_loopback(hosts[0]):
            await _refusal(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)


async def _refusal(scope: Scope, receive: Receive, send: Send) -> None:
    text = (
        "This Broadsheet answers only on this machine.\n"
        "Open it as http://127.0.0.1 or http://localhost with the port that was printed at its start.\n"
    )
    await Response(text, 400, media_type="text/plain")(scope, receive, send)


def form_token(request: Request) -> str:
    """The token that this browser's forms carry: the one in its cookie, or a new one."""
    return request.cookies.get(TOKEN_COOKIE) or secrets.token_urlsafe(24)


def keep_token(request: Request, response: Response, token: str) -> None:
    """Give the browser the token whose twin stands in the page's forms."""
    if request.cookies.get(TOKEN_COOKIE) != token:
        response.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict", path="/")


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that one of our own pages sent; raises ForeignRequest for any other.

    The origin must be ours wherever the browser names it (browsers always do with POST), and the token
    in the form must be that of the cookie, which other sites can neither read nor send.
    """
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers["host"]:
        raise ForeignRequest("This form came from another site.", "Go back to the page and try again.")
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or int(length) > FORM_LIMIT:
        raise FormTooLarge("This form is larger than any form of ours.")
    body = (await request.body()).decode("utf-8", "replace")
    fields = {name: values[-1] for name, values in parse_qs(body).items()}
    expected = request.cookies.get(TOKEN_COOKIE, "")
    if not expected or not hmac.compare_digest(fields.get("token", "").encode(), expected.encode()):
        raise ForeignRequest(
            "This form's token is not the one that this browser was given.",
            "Load the page again and press the button once more.",
        )
    return fields
