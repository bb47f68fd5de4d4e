"""The day's page, and the health of what makes it."""

from datetime import date

from starlette.requests import Request
from starlette.responses import Response

from broadsheet.api import health, shelf, today
from broadsheet.web.printing import has_sample, home_of, is_looked_at, print_page
from broadsheet.web.requests import READER, as_day, asked_limit

FIRST_LENGTH = 10
STEP = 20


def today_page(request: Request) -> Response:
    """The newest announcement day held."""
    return _day(request, None)


def day_page(request: Request) -> Response:
    """The page of one announcement day."""
    return _day(request, as_day(request.path_params["day"]))


def _day(request: Request, day: date | None) -> Response:
    home, limit = home_of(request), asked_limit(request)
    page = today.today(home, READER, day=day, limit=limit, shown_on="page" if is_looked_at(request) else None)
    # The page says so itself, as the other pages do, and in more words.
    page["notices"] = [text for text in page["notices"] if text != today.SAMPLE_NOTICE]
    at = date.fromisoformat(page["day"]) if page["day"] else day
    results = page["results"]
    length = limit or FIRST_LENGTH
    path = f"/day/{at.isoformat()}" if at else "/"
    return print_page(
        request,
        "today.html",
        {
            "here": "today",
            "page": page,
            "asked": day.isoformat() if day else None,
            "days": shelf.neighbours(home, at),
            "marks": shelf.standing(home, [paper["id"] for paper in results], READER),
            "sample": has_sample(paper["source"] for paper in results),
            "longer": f"{path}?limit={min(length + STEP, 1000)}" if length <= len(results) < 1000 else None,
        },
    )


def health_page(request: Request) -> Response:
    """Is everything all right, and what to do if not; the status is 503 when it is not."""
    check = health.check(home_of(request))
    return print_page(request, "health.html", {"here": "health", "check": check}, 200 if check["ok"] else 503)
