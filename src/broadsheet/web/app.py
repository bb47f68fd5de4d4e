"""The application: its routes, and the one place where errors become pages in plain words."""

import logging

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from broadsheet.api.home import Home
from broadsheet.errors import BroadsheetError, NotFound, UsageError
from broadsheet.web import days, json_api, pages
from broadsheet.web.actions import ACTIONS, action
from broadsheet.web.protection import LoopbackOnly
from broadsheet.web.rendering import environment

log = logging.getLogger("broadsheet.web")

_HEADINGS = {
    400: "That makes no sense here",
    403: "Not from there",
    404: "Not found",
    405: "Not that way",
    413: "Too large",
    502: "A source did not answer",
    503: "Not just now",
}


def routes() -> list[Route | Mount]:
    return [
        Route("/", days.today_page),
        Route("/day/{day}", days.day_page),
        Route("/search", pages.search_page),
        Route("/saved", pages.saved_page),
        Route("/paper/{paper_id:path}", pages.paper_page),
        Route("/health", days.health_page),
        *(Route(path, action(kind), methods=["POST"]) for path, kind in ACTIONS),
        Route(f"{json_api.PREFIX}/today", json_api.today_document),
        Route(f"{json_api.PREFIX}/search", json_api.search_document),
        Route(f"{json_api.PREFIX}/suggest", json_api.suggest_document),
        Route(f"{json_api.PREFIX}/similar", json_api.similar_document),
        Route(f"{json_api.PREFIX}/show/{{paper_id:path}}", json_api.show_document),
        Route(f"{json_api.PREFIX}/check", json_api.check_document),
        Mount("/static", StaticFiles(packages=[("broadsheet.web", "static")])),
    ]


def make_app(home: Home) -> ASGIApp:
    """The pages of an opened home, for its one reader on this machine."""
    app = Starlette(
        routes=routes(),
        exception_handlers={
            BroadsheetError: _broadsheet_error,
            HTTPException: _http_error,
            Exception: _unforeseen,
        },
    )
    app.state.home = home
    app.state.templates = environment()
    # outermost, so that the page of an unforeseen error carries the headers too
    return LoopbackOnly(app)


async def _broadsheet_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, BroadsheetError)
    return _error_page(request, error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        told: BroadsheetError = NotFound("There is no such page.", "The address may be mistyped or old.")
    else:
        told = UsageError("This address cannot be used in that way.")
        told.http_status = error.status_code
    return _error_page(request, told)


async def _unforeseen(request: Request, error: Exception) -> Response:
    """Starlette raises the error again after this answer, so that the server's log has it whole."""
    told = BroadsheetError(
        "Something went wrong in Broadsheet itself.",
        "The terminal in which it runs says more. Your papers and what you saved are untouched.",
    )
    return _error_page(request, told)


def _error_page(request: Request, error: BroadsheetError) -> Response:
    if request.url.path.startswith(json_api.PREFIX):
        return json_api.failure(error)
    text = request.app.state.templates.get_template("error.html").render(
        here="error",
        heading=_HEADINGS.get(error.http_status, "Something went wrong"),
        message=error.message,
        next_step=error.next_step,
    )
    return HTMLResponse(text, error.http_status)
