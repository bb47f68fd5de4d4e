"""What a reader does on a page: forms, sent by POST only, each answered by the way back to the page."""

from collections.abc import Awaitable, Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from broadsheet.api import interactions
from broadsheet.readers import InteractionKind
from broadsheet.web.protection import read_form
from broadsheet.web.requests import READER, own_path

ACTIONS: tuple[tuple[str, InteractionKind], ...] = (
    ("/save", "saved"),
    ("/like", "liked"),
    ("/dismiss", "dismissed"),
)


def action(kind: InteractionKind) -> Callable[[Request], Awaitable[Response]]:
    """The view that records this kind of interaction, or takes it back when ``undo`` is set."""

    async def view(request: Request) -> Response:
        fields = await read_form(request)
        await run_in_threadpool(
            interactions.record,
            request.app.state.home,
            kind,
            [fields.get("id", "")],
            READER,
            undo=fields.get("undo") == "1",
            surface="page",
        )
        return RedirectResponse(own_path(fields.get("back", "/")), 303)

    return view
