"""The same documents as ``--json``, under ``/api/v1``; errors as documents too. Reading only."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from broadsheet.api import health, papers, today
from broadsheet.errors import BroadsheetError, UsageError
from broadsheet.web.pages import search
from broadsheet.web.requests import READER, asked_day, asked_limit, asked_text

PREFIX = "/api/v1"


def today_document(request: Request) -> Response:
    return JSONResponse(
        today.today(
            request.app.state.home,
            asked_text(request, "reader") or READER,
            day=asked_day(request, "day"),
            limit=asked_limit(request),
            shown_on=None,
        )
    )


def search_document(request: Request) -> Response:
    query = asked_text(request, "q")
    if not query:
        raise UsageError("The query is empty.", "Give it as q.")
    return JSONResponse(search(request, query))


def suggest_document(request: Request) -> Response:
    text = request.query_params.get("q", "")
    return JSONResponse(papers.suggest(request.app.state.home, text, asked_limit(request) or 10))


def similar_document(request: Request) -> Response:
    ids = request.query_params.getlist("id")
    if not ids:
        raise UsageError("No paper was named.", "Give at least one id.")
    return JSONResponse(
        papers.similar(
            request.app.state.home,
            ids,
            request.query_params.getlist("not"),
            asked_limit(request) or 20,
        )
    )


def show_document(request: Request) -> Response:
    return JSONResponse(papers.show(request.app.state.home, request.path_params["paper_id"]))


def check_document(request: Request) -> Response:
    return JSONResponse(health.check(request.app.state.home))


def failure(error: BroadsheetError) -> Response:
    document = {"code": error.code, "message": error.message, "next_step": error.next_step}
    return JSONResponse({"error": document}, error.http_status)
