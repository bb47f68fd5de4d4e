"""arXiv's catch-up pages: a past day's batch of a category or archive, with counts and abstracts."""

from datetime import date, datetime, timedelta

from broadsheet.sources.arxiv.announced import CATCHUP_DAYS, Batch
from broadsheet.sources.arxiv.paging import gather
from broadsheet.sources.arxiv.sections import ListingPage, read_page
from broadsheet.sources.calendar import EASTERN
from broadsheet.sources.http import Client


def reaches(day: date, now: datetime) -> bool:
    """Whether a day is recent enough for catch-up, which refuses what is older than 90 days."""
    return day >= now.astimezone(EASTERN).date() - timedelta(days=CATCHUP_DAYS)


def fetch(client: Client, catchup_url: str, category: str, day: date) -> Batch:
    """The batch of a past announcement day; empty, with zero counts, on a day without one.

    Raises BadAnswer with status 400 for a day that is too old.
    """

    def ask(number: int, _: int) -> ListingPage:
        params = {"abs": "True"} | ({"page": str(number)} if number > 1 else {})
        return client.read(
            f"{catchup_url.rstrip('/')}/{category}/{day.isoformat()}",
            lambda body: parse(body, category, day),
            params,
        )

    return gather(category, day, ask)


def parse(body: bytes, category: str, day: date) -> ListingPage:
    """One page of the catch-up of a category and day."""
    return read_page(body, category, f"The catch-up of {category} for {day}")
