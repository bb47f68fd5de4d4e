"""Filling a template for a request: the parts that all pages share."""

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from broadsheet.api.home import Home
from broadsheet.web.protection import form_token, keep_token


def print_page(request: Request, template: str, context: Mapping[str, object], status: int = 200) -> Response:
    """The page with this browser's token, and the way back to it, in its forms."""
    token = form_token(request)
    back = quote(request.url.path, safe="/:") + (f"?{request.url.query}" if request.url.query else "")
    text = request.app.state.templates.get_template(template).render(context, token=token, back=back)
    response = HTMLResponse(text, status)
    keep_token(request, response, token)
    return response


def home_of(request: Request) -> Home:
    home: Home = request.app.state.home
    return home


def is_looked_at(request: Request) -> bool:
    """Whether a person sees this answer: not for HEAD, nor for a page fetched ahead."""
    return request.method == "GET" and "prefetch" not in request.headers.get("sec-purpose", "")


def has_sample(sources: Iterable[str]) -> bool:
    return any(source == "sample" for source in sources)
