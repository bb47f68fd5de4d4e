"""bioRxiv and medRxiv: everything that was posted between two days, page after page.

Pages hold 100 records (30 in some forms), so the next one begins after the records that came. The service
sometimes promises more than it serves, and sometimes answers with an empty body, which is asked for again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal

from broadsheet.errors import BadAnswer, InvalidIdentifier
from broadsheet.papers import Announcement, AnnouncementKind, Arrival, Paper, Skipped, normal_id
from broadsheet.sources.batches import PaperBatch, dump_state, load_state
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival, told
from broadsheet.sources.files.plain_text import plain
from broadsheet.sources.files.values import number, records, text
from broadsheet.sources.http import Client
from broadsheet.sources.json_answers import json_object
from broadsheet.sources.text import author

Server = Literal["biorxiv", "medrxiv"]

_MOST_PAGES = 10_000


@dataclass(frozen=True, slots=True)
class RxivPage:
    """One page: how many records there are in all, how many this page holds, the papers of those that
    could be read, and notes on the others."""

    total: int
    size: int
    arrivals: tuple[Arrival, ...]
    notes: tuple[str, ...] = ()


def fetch(
    client: Client,
    url: str,
    server: Server,
    days: tuple[date, date],
    now: datetime,
    state: str | None = None,
) -> Iterator[PaperBatch]:
    """All records posted from one day to another (both included), page by page.

    ``state`` of an earlier batch goes on after it. Where fewer are served than promised, the last batch
    says how many and is not ``complete``.
    """
    kept = load_state(state) if state else {"cursor": 0, "total": 0}
    cursor, total = int(str(kept["cursor"])), int(str(kept["total"]))
    address = f"{_address(url, server)}/{days[0].isoformat()}/{days[1].isoformat()}"
    for _ in range(_MOST_PAGES):
        page = client.read(f"{address}/{cursor}/json", lambda body: parse(body, server, now))
        cursor, total = cursor + page.size, max(total, page.total)
        if page.size and cursor < total:
            yield PaperBatch(page.arrivals, _dumped(cursor, total), total, notes=page.notes)
            continue
        lacking = cursor < total
        short = (f"{server} {days[0]} to {days[1]}: {cursor} of {total} served.",) if lacking else ()
        yield PaperBatch(page.arrivals, None, total, notes=(*page.notes, *short), complete=not lacking)
        return


def _dumped(cursor: int, total: int) -> str:
    return dump_state({"cursor": cursor, "total": total})


def _address(url: str, server: Server) -> str:
    address = url.rstrip("/")
    if "/details" not in address:
        address += "/details"
    return address if address.endswith(f"/{server}") else f"{address}/{server}"


def parse(body: bytes, server: Server, now: datetime) -> RxivPage:
    """One answer of the details service; raises BadAnswer for an empty body or anything else.

    "No posts found" is an empty page.
    """
    answer = json_object(body, f"The answer of {server}")
    message = next(records(answer, "messages"), None)
    if message is None:
        raise BadAnswer(f"The answer of {server} has no message")
    status = text(message, "status").lower()
    if status != "ok" and "no posts found" not in status:
        raise BadAnswer(f"{server} answers: {status[:200]}")
    arrivals, notes, size = [], [], 0
    for record in records(answer, "collection"):
        size += 1
        made = read_record(record, server, now)
        if isinstance(made, Skipped):
            notes.append(f"{server}: the record {text(record, 'doi')[:80]!r} was left out: {made.why}.")
        else:
            arrivals.append(made)
    return RxivPage(int(number(message, "total") or 0), size, tuple(arrivals), tuple(notes))


def read_record(record: Mapping[str, object], server: Server, now: datetime) -> Arrival | Skipped:
    """One preprint of an answer, announced on the day of its version."""
    doi, posted = text(record, "doi"), dates.day(text(record, "date"))
    version = max(1, int(number(record, "version") or 1))
    moment = dates.instant(text(record, "date"))
    category = text(record, "category")
    made = arrival(
        Draft(
            title=text(record, "title"),
            abstract=plain(text(record, "abstract")),
            authors=[author(name) for name in text(record, "authors").split(";") if name.strip()],
            identifiers=[f"doi:{doi}"],
            submitted=moment if version == 1 else None,
            updated=moment,
            categories=[category] if category else [],
            version=version,
            address=f"https://www.{server}.org/content/{doi}v{version}",
            pdf=f"https://www.{server}.org/content/{doi}v{version}.full.pdf",
            source=server,
            withdrawn="withdrawn" in text(record, "type").lower(),
        ),
        server,
    )
    if isinstance(made, Skipped) or posted is None:
        return made if isinstance(made, Skipped) else Skipped(server, None, "no date")
    if not made.paper.id.startswith("doi:"):
        return Skipped(server, None, "no DOI")
    kind: AnnouncementKind = "new" if version == 1 else "replace"
    announcement = Announcement(made.paper.id, server, category, posted, kind, version, now.astimezone(UTC))
    published = _published(record, made.paper)
    return told(replace(made, paper=published), [announcement], [])


def _published(record: Mapping[str, object], paper: Paper) -> Paper:
    """The paper with the DOI of its published version, where the record names one."""
    try:
        published = normal_id(f"doi:{text(record, 'published')}")
    except InvalidIdentifier:
        return paper
    same = published == paper.id or not published.startswith("doi:")
    return paper if same else replace(paper, doi=published.removeprefix("doi:"))
