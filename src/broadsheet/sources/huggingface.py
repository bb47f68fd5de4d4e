"""Hugging Face Daily Papers: which papers were featured on a day, with upvotes and repositories.

The ``date`` that is asked for is the day of featuring, not of publishing; a day fills up over hours, so it
is asked for again. Records in their older form carry no day of featuring of their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from broadsheet.papers import Announcement, Arrival, Author, Signal, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival, told
from broadsheet.sources.files.jsonl import DAILY_PAPERS
from broadsheet.sources.files.values import number, record_of, records, text
from broadsheet.sources.http import Client
from broadsheet.sources.json_answers import json_objects
from broadsheet.sources.text import clean_name

SOURCE = "huggingface"
PAGE_LENGTH = 100

_MOST_PAGES = 30
_SIGNALS = (("upvotes", "upvotes"), ("githubStars", "stars"))


@dataclass(frozen=True, slots=True)
class Featured:
    """The papers of one asking, each with its announcement and signals, and notes for the report."""

    arrivals: tuple[Arrival, ...]
    notes: tuple[str, ...] = ()


def fetch_day(client: Client, url: str, day: date, now: datetime) -> Featured:
    """The papers featured on a day, as far as the day is filled."""
    return _fetch(client, url, {"date": day.isoformat()}, day, now)


def fetch_week(client: Client, url: str, day: date, now: datetime) -> Featured:
    """The papers featured in the ISO week of a day, each on its own day where the record says it."""
    year, week, _ = day.isocalendar()
    return _fetch(client, url, {"week": f"{year}-W{week:02}"}, None, now)


def fetch_month(client: Client, url: str, day: date, now: datetime) -> Featured:
    """The papers featured in the month of a day, each on its own day where the record says it."""
    return _fetch(client, url, {"month": f"{day:%Y-%m}"}, None, now)


def _fetch(client: Client, url: str, wanted: Mapping[str, str], day: date | None, now: datetime) -> Featured:
    address = url.rstrip("/")
    if not address.endswith("/daily_papers"):
        address += "/api/daily_papers"
    found: dict[str, Arrival] = {}
    notes: list[str] = []
    for number_of_page in range(_MOST_PAGES):
        params = {**wanted, "limit": str(PAGE_LENGTH), "p": str(number_of_page)}
        page, size = client.read(address, lambda body: _sized(body, day, now), params)
        fresh = {one.paper.id: one for one in page.arrivals if one.paper.id not in found}
        found |= fresh
        notes += [note for note in page.notes if note not in notes]
        if not fresh or not _may_be_capped(size):
            break
    return Featured(tuple(found.values()), tuple(notes))


def _may_be_capped(size: int) -> bool:
    """Whether a page of this size may have been cut by a limit of the server's own: such are round."""
    return size >= PAGE_LENGTH or (size > 0 and size % 10 == 0)


def _sized(body: bytes, day: date | None, now: datetime) -> tuple[Featured, int]:
    entries = json_objects(body, "The answer of Daily Papers")
    return _featured(entries, day, now), len(entries)


def parse(body: bytes, day: date | None, now: datetime) -> Featured:
    """The papers of one answer. ``day`` is the day that was asked for, None for a week or month; a
    record's own day of featuring counts before it. Signals are of ``now``."""
    return _sized(body, day, now)[0]


def _featured(entries: list[Mapping[str, object]], day: date | None, now: datetime) -> Featured:
    arrivals: dict[str, Arrival] = {}
    notes = []
    for entry in entries:
        made = read_entry(entry, day, now)
        if isinstance(made, Skipped):
            notes.append(f"Daily Papers: {made.why}.")
        else:
            arrivals.setdefault(made.paper.id, made)
    return Featured(tuple(arrivals.values()), tuple(notes))


def read_entry(entry: Mapping[str, object], day: date | None, now: datetime) -> Arrival | Skipped:
    """One entry of an answer, featured on the day that it names itself, else on ``day``."""
    record = record_of(entry, "paper")
    made = arrival(_draft(record), "Daily Papers")
    if isinstance(made, Skipped) or not made.paper.id.startswith("arxiv:"):
        why = f"the entry {text(record, 'id')[:40]!r} has no id of arXiv's"
        return Skipped("Daily Papers", None, why)
    featured = dates.day(text(record, "submittedOnDailyAt")) or day
    announcements = [] if featured is None else [_announcement(made.paper.id, featured, now)]
    return told(made, announcements, _signals(made.paper.id, record, now))


def _announcement(paper_id: str, featured: date, now: datetime) -> Announcement:
    return Announcement(paper_id, SOURCE, DAILY_PAPERS, featured, "featured", None, now.astimezone(UTC))


def _draft(record: Mapping[str, object]) -> Draft:
    names = (clean_name(text(author, "name")) for author in records(record, "authors"))
    identifier = text(record, "id")
    return Draft(
        title=text(record, "title"),
        abstract=text(record, "summary"),
        authors=[Author(name) for name in names if name],
        identifiers=[f"arXiv:{identifier}"],
        submitted=dates.instant(text(record, "publishedAt")),
        address=f"https://arxiv.org/abs/{identifier}",
        pdf=f"https://arxiv.org/pdf/{identifier}",
        code=text(record, "githubRepo"),
        project=text(record, "projectPage"),
        source=SOURCE,
    )


def _signals(paper_id: str, record: Mapping[str, object], now: datetime) -> list[Signal]:
    counts = ((name, number(record, key)) for key, name in _SIGNALS)
    return [Signal(paper_id, name, count, now.astimezone(UTC)) for name, count in counts if count is not None]
