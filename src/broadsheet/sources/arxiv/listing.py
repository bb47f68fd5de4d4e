"""arXiv's listing pages: the newest batch with its announced counts, and the last five days."""

from broadsheet.errors import BadAnswer
from broadsheet.sources.arxiv.announced import Batch, numbered
from broadsheet.sources.arxiv.paging import gather, short_note
from broadsheet.sources.arxiv.sections import ListingPage, read_page
from broadsheet.sources.http import Client

PAGE_LENGTH = 2000


def fetch_new(client: Client, listing_url: str, category: str) -> Batch:
    """The newest batch of a category, with the day and the counts that the page prints."""

    def ask(_: int, held: int) -> ListingPage:
        params = {"show": str(PAGE_LENGTH)} | ({"skip": str(held)} if held else {})
        return client.read(
            f"{listing_url.rstrip('/')}/{category}/new", lambda body: parse_new(body, category), params
        )

    return gather(category, None, ask)


def fetch_recent(client: Client, listing_url: str, category: str) -> tuple[Batch, ...]:
    """The last five batches of a category, newest first: new and cross only, without counts by kind."""
    return client.read(
        f"{listing_url.rstrip('/')}/{category}/recent",
        lambda body: parse_recent(body, category),
        {"show": str(PAGE_LENGTH)},
    )


def parse_new(body: bytes, category: str) -> ListingPage:
    """One page of ``/list/<category>/new``."""
    listing = read_page(body, category, f"The listing of {category}")
    if listing.day is None:
        raise BadAnswer(f"The listing of {category} names no day")
    return listing


def parse_recent(body: bytes, category: str) -> tuple[Batch, ...]:
    """``/list/<category>/recent``: a batch for each day with its printed total."""
    listing = read_page(body, category, f"The recent listing of {category}")
    batches = []
    for section in listing.sections:
        if section.day is None:
            raise BadAnswer(f"The recent listing of {category} has a section without a day")
        entries = numbered(section.entries)
        announced = section.announced or None
        notes = short_note(category, section.day, len(entries), section.announced)
        batches.append(Batch(category, section.day, entries, None, announced, notes))
    return tuple(batches)
