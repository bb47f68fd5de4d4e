"""Search, saved papers and one paper: plain functions, which Starlette runs off the event loop."""

from starlette.requests import Request
from starlette.responses import Response

from broadsheet.api import papers, shelf
from broadsheet.api.documents import SearchDocument
from broadsheet.api.home import Home
from broadsheet.errors import IndexBroken
from broadsheet.search.finding import SearchRequest
from broadsheet.web.printing import has_sample, home_of, print_page
from broadsheet.web.rendering import search_path
from broadsheet.web.requests import READER, asked_day, asked_limit, asked_text

STEP = 20
NEAR = 5
KEYWORD_PAGE = 120


def search_page(request: Request) -> Response:
    """Papers for a query, best first, or the empty form."""
    home = home_of(request)
    asked = {
        name: asked_text(request, name) for name in ("q", "since", "until", "category", "author", "saved")
    }
    found = search(request, asked["q"]) if asked["q"] else None
    results = found["results"] if found else []
    limit = asked_limit(request) or STEP
    more = request.url.include_query_params(limit=min(limit + STEP, 1000))
    many = request.url.include_query_params(limit=KEYWORD_PAGE)
    meant = found["did_you_mean"] if found else None
    return print_page(
        request,
        "search.html",
        {
            "here": "search",
            "asked": asked,
            "found": found,
            "marks": shelf.standing(home, [paper["id"] for paper in results], READER),
            "sample": has_sample(paper["source"] for paper in results),
            "meant": search_path(**{**{k: v for k, v in asked.items() if v}, "q": meant}) if meant else None,
            "keyword_page": f"{many.path}?{many.query}"
            if found and len(results) < min(found["total"], KEYWORD_PAGE)
            else None,
            "longer": f"{more.path}?{more.query}"
            if found and len(results) < min(found["total"], 1000)
            else None,
        },
    )


def search(request: Request, query: str) -> SearchDocument:
    """What ``search`` gives for the query and the filters of a request."""
    category = asked_text(request, "category")
    wanted = SearchRequest(
        query,
        asked_limit(request) or STEP,
        asked_day(request, "since"),
        asked_day(request, "until"),
        (category,) if category else (),
        asked_text(request, "author"),
    )
    return papers.search(
        home_of(request), wanted, reader_name=READER, saved=bool(asked_text(request, "saved"))
    )


def saved_page(request: Request) -> Response:
    """The papers that the reader keeps, the last saved first."""
    home = home_of(request)
    limit = asked_limit(request) or 2 * STEP
    kept = shelf.saved(home, limit, READER)
    return print_page(
        request,
        "saved.html",
        {
            "here": "saved",
            "papers": kept["papers"],
            "total": kept["total"],
            "marks": shelf.standing(home, [paper["id"] for paper in kept["papers"]], READER),
            "sample": has_sample(paper["source"] for paper in kept["papers"]),
            "longer": f"/saved?limit={min(limit + 2 * STEP, 1000)}"
            if len(kept["papers"]) < min(kept["total"], 1000)
            else None,
        },
    )


def _near(home: Home, paper_id: str) -> SearchDocument:
    """What is near a paper; where the index must be made again the page stands without it, and says so."""
    try:
        return papers.similar(home, [paper_id], limit=NEAR)
    except IndexBroken as error:
        return {
            "query": paper_id,
            "total": 0,
            "vectors": {"done": 0, "pending": 0},
            "results": [],
            "notices": [f"{error.message} {error.next_step}"],
            "did_you_mean": None,
        }


def paper_page(request: Request) -> Response:
    """One paper with all that is known of it, and what is near it."""
    home = home_of(request)
    shown = papers.show(home, request.path_params["paper_id"])
    paper_id = shown["paper"]["id"]
    return print_page(
        request,
        "paper.html",
        {
            "here": "paper",
            "shown": shown,
            "near": _near(home, paper_id),
            "marks": shelf.standing(home, [paper_id], READER),
            "sample": has_sample([shown["paper"]["source"]]),
        },
    )
