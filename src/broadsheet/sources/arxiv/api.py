"""arXiv's query API: metadata by identifiers and by window of submission, in Atom.

An error comes as an entry with its id under ``/api/errors``, with status 200 or 400, and is never a
paper. A page can be empty before the total is reached; large results fail at random offsets, so a window
with more than ``LARGEST_WINDOW`` papers is halved until its parts are small.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from broadsheet.errors import BadAnswer, InvalidIdentifier
from broadsheet.papers import Arrival, Author, parse_id
from broadsheet.sources.arxiv.metadata import paper_of
from broadsheet.sources.batches import PaperBatch, dump_state, load_state
from broadsheet.sources.files.dates import instant
from broadsheet.sources.files.drafts import Draft
from broadsheet.sources.http import Client
from broadsheet.sources.markup import Element, child_text, children, name, xml
from broadsheet.sources.text import clean_name

BATCH = 100
LARGEST_WINDOW = 1000

_MINUTE = timedelta(minutes=1)
_MOST_PAGES = 2 * LARGEST_WINDOW // BATCH


@dataclass(frozen=True, slots=True)
class ApiPage:
    """One answer: how many there are in all, from which offset this page is, its papers in order, how
    many entries it had, and the errors that it reports."""

    total: int
    start: int
    arrivals: tuple[Arrival, ...]
    entries: int
    errors: tuple[str, ...] = ()


def by_ids(client: Client, api_url: str, ids: Sequence[str]) -> Iterator[PaperBatch]:
    """The papers of these identifiers (normal form), a hundred a request, each batch ready to be stored.

    ``missing`` names those that arXiv did not answer; the batch's state is None throughout, since what
    is still to be asked for is what has not been stored. A batch that arXiv refuses whole is halved until
    the identifier at fault stands alone.
    """
    for first in range(0, len(ids), BATCH):
        yield from _by_ids(client, api_url, list(ids[first : first + BATCH]))


def _by_ids(client: Client, api_url: str, asked: list[str]) -> Iterator[PaperBatch]:
    try:
        page = _ask_ids(client, api_url, asked)
    except BadAnswer as refusal:
        if refusal.status != 400:
            raise
        if len(asked) == 1:
            note = f"arXiv refuses the identifier {asked[0]}."
            yield PaperBatch((), None, 0, tuple(asked), (), (note,), False)
            return
        middle = len(asked) // 2
        yield from _by_ids(client, api_url, asked[:middle])
        yield from _by_ids(client, api_url, asked[middle:])
        return
    arrivals = {arrival.paper.id: arrival for arrival in page.arrivals if arrival.paper.id in asked}
    missing = [paper_id for paper_id in asked if paper_id not in arrivals]
    if missing and page.entries < page.total:
        again = _ask_ids(client, api_url, missing)
        arrivals |= {arrival.paper.id: arrival for arrival in again.arrivals if arrival.paper.id in missing}
        missing = [paper_id for paper_id in missing if paper_id not in arrivals]
    yield PaperBatch(
        tuple(arrivals.values()), None, len(arrivals), tuple(missing), (), page.errors, not missing
    )


def _ask_ids(client: Client, api_url: str, asked: list[str]) -> ApiPage:
    bare = [paper_id.removeprefix("arxiv:") for paper_id in asked]
    params = {"id_list": ",".join(bare), "start": "0", "max_results": str(len(bare))}
    return client.read(api_url, _parse_not_empty, params)


def by_date(
    client: Client,
    api_url: str,
    category: str | None,
    window: tuple[datetime, datetime],
    state: str | None = None,
) -> Iterator[PaperBatch]:
    """Papers first submitted within a window of instants, both ends included, oldest window first.

    ``state`` goes on with the windows that were not finished. A range that stays empty although the total
    says more becomes a note and ``complete`` False, never the end.
    """
    windows = _windows(state) if state else [(_minute(window[0]), _minute(window[1]))]
    while windows:
        query = _query(category, *windows[0])
        first = _ask_or_hole(client, api_url, query, 0)
        if first.total > LARGEST_WINDOW and windows[0][0] < windows[0][1]:
            windows[:1] = _halves(*windows[0])
            continue
        yield from _read_window(client, api_url, query, first, windows)
        windows = windows[1:]


def _read_window(
    client: Client, api_url: str, query: str, first: ApiPage, windows: list[tuple[datetime, datetime]]
) -> Iterator[PaperBatch]:
    """One window, read a second time when the first pass gave fewer papers than the total; the state
    stays at this window until its last batch."""
    seen: set[str] = set()
    passes: list[int] = []
    total = first.total
    for start in (first, None):
        before = len(seen)
        for page in _pages(client, api_url, query, start):
            total = page.total
            seen.update(arrival.paper.id for arrival in page.arrivals)
            yield PaperBatch(page.arrivals, _dumped(windows), total, notes=page.errors)
        passes.append(len(seen) - before)
        if len(seen) >= total:
            break
    notes: list[str] = []
    if len(passes) > 1 and passes[1]:
        notes.append(f"Two passes for {query} differ: {passes[0]} papers, then {passes[1]} more.")
    if len(seen) < total:
        notes.append(f"arXiv's API served {len(seen)} of {total} papers for {query}.")
    yield PaperBatch((), _dumped(windows[1:]), total, notes=tuple(notes), complete=len(seen) >= total)


def _pages(client: Client, api_url: str, query: str, first: ApiPage | None) -> Iterator[ApiPage]:
    """The pages of a query (``first`` if it was asked for already) until the total or a hole."""
    page = first or _ask_or_hole(client, api_url, query, 0)
    position = 0
    for _ in range(_MOST_PAGES):
        yield page
        position += page.entries
        if position >= page.total or page.entries == 0:
            return
        page = _ask_or_hole(client, api_url, query, position)


def _ask_or_hole(client: Client, api_url: str, query: str, start: int) -> ApiPage:
    """A page, or one without papers that tells of the hole where arXiv keeps sending nothing."""
    try:
        return _ask_query(client, api_url, query, start)
    except EmptyPage as hole:
        return ApiPage(hole.total, start, (), 0, (f"{hole} ({query})",))


def _ask_query(client: Client, api_url: str, query: str, start: int) -> ApiPage:
    params = {
        "search_query": query,
        "start": str(start),
        "max_results": str(BATCH),
        "sortBy": "submittedDate",
        "sortOrder": "ascending",
    }
    return client.read(api_url, _parse_not_empty, params)


class EmptyPage(BadAnswer):
    """A page without entries before the total was reached."""

    def __init__(self, start: int, total: int) -> None:
        super().__init__(f"arXiv's API sent an empty page at {start} of {total}")
        self.total = total


def _parse_not_empty(body: bytes) -> ApiPage:
    page = parse(body)
    if page.entries == 0 and page.start < page.total:
        raise EmptyPage(page.start, page.total)
    return page


def _query(category: str | None, since: datetime, until: datetime) -> str:
    dates = f"submittedDate:[{since:%Y%m%d%H%M} TO {until:%Y%m%d%H%M}]"
    return f"cat:{category} AND {dates}" if category else dates


def _halves(since: datetime, until: datetime) -> list[tuple[datetime, datetime]]:
    middle = _minute(since + (until - since) / 2)
    return [(since, middle), (min(middle + _MINUTE, until), until)]


def _minute(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(second=0, microsecond=0)


def _dumped(windows: list[tuple[datetime, datetime]]) -> str | None:
    if not windows:
        return None
    return dump_state({"windows": [[since.isoformat(), until.isoformat()] for since, until in windows]})


def _windows(state: str) -> list[tuple[datetime, datetime]]:
    kept = load_state(state)["windows"]
    if not isinstance(kept, list):
        raise BadAnswer("The resume state of arXiv's API is none of ours")
    pairs = [pair for pair in kept if isinstance(pair, list) and len(pair) == 2]
    return [
        (datetime.fromisoformat(str(since)), datetime.fromisoformat(str(until))) for since, until in pairs
    ]


def parse(body: bytes) -> ApiPage:
    """One Atom answer of the API; raises BadAnswer for a document that is none."""
    root = xml(body, "The answer of arXiv's API")
    totals = child_text(root, "totalResults")
    if name(root) != "feed" or not (totals.isascii() and totals.isdigit()):
        raise BadAnswer("The answer of arXiv's API is no result feed")
    entries = children(root, "entry")
    errors = tuple(child_text(entry, "summary") or "Error" for entry in entries if is_error(entry))
    arrivals = (arrival(entry) for entry in entries if not is_error(entry))
    start = child_text(root, "startIndex")
    return ApiPage(
        total=int(totals) - len(errors),
        start=int(start) if start.isascii() and start.isdigit() else 0,
        arrivals=tuple(found for found in arrivals if found is not None),
        entries=len(entries) - len(errors),
        errors=tuple(f"arXiv's API reports: {error}" for error in errors),
    )


def is_error(entry: Element) -> bool:
    """Whether an entry is an error message in the shape of a paper."""
    return "/api/errors" in child_text(entry, "id")


def arrival(entry: Element) -> Arrival | None:
    """The paper of an ``entry`` element of the API's Atom; None where its id is none of arXiv's."""
    try:
        paper_id, version = parse_id(child_text(entry, "id"))
    except InvalidIdentifier:
        return None
    if not paper_id.startswith("arxiv:"):
        return None
    draft = Draft(
        title=child_text(entry, "title"),
        abstract=child_text(entry, "summary"),
        authors=tuple(author for element in children(entry, "author") if (author := _author(element))),
        submitted=instant(child_text(entry, "published")),
        updated=instant(child_text(entry, "updated")),
        categories=_categories(entry),
        version=version,
        comment=child_text(entry, "comment"),
        journal_ref=child_text(entry, "journal_ref"),
        doi=child_text(entry, "doi"),
    )
    paper = paper_of(paper_id, draft)
    return Arrival(paper) if paper else None


def _categories(entry: Element) -> tuple[str, ...]:
    """Primary first, then as listed; classes of other schemes (ACM, MSC) are no categories."""
    primary = [element.get("term") or "" for element in children(entry, "primary_category")]
    terms = [
        element.get("term") or ""
        for element in children(entry, "category")
        if "arxiv.org/schemas" in (element.get("scheme") or "arxiv.org/schemas")
    ]
    return tuple(dict.fromkeys(term for term in (*primary, *terms) if term and " " not in term))


def _author(element: Element) -> Author | None:
    printed = clean_name(child_text(element, "name"))
    affiliation = clean_name(child_text(element, "affiliation")) or None
    return Author(printed, affiliation=affiliation) if printed else None
