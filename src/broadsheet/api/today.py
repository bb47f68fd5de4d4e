"""The reader's page of a day."""

from datetime import date

from broadsheet.api import documents
from broadsheet.api.documents import TodayCountDocument, TodayDocument
from broadsheet.api.home import Home
from broadsheet.daily import counts, digest
from broadsheet.daily.digest import DigestPage
from broadsheet.library import readers
from broadsheet.ranking.ranking import Index
from broadsheet.readers import Reader
from broadsheet.search import index

_NO_DAY = "No announcement is held yet."
SAMPLE_NOTICE = "You are looking at the packaged sample: real papers, with summaries in place of abstracts."


def today(
    home: Home,
    reader_name: str = "me",
    *,
    day: date | None = None,
    limit: int | None = None,
    shown_on: str | None = None,
) -> TodayDocument:
    """A reader's page of a day (the newest one held when none is given), made once and kept.

    ``shown_on`` names the surface on which it is really shown; None leaves no trace of a showing.
    """
    now = home.now
    with home.library.read() as conn:
        reader = readers.named(conn, reader_name)
        day = day or digest.newest_day(conn, now, reader)
    if day is None:
        return _empty(home, reader)
    derived = Index(home.index_folder, home.encoder_name)
    page = digest.digest_for(home.library, derived, reader, day, now, limit or reader.list_length)
    if shown_on is not None:
        digest.record_shown(home.library, page, reader, now, shown_on)
    return _document(home, reader, day, page)


def _document(home: Home, reader: Reader, day: date, page: DigestPage) -> TodayDocument:
    offered = [documents.offered(entry) for entry in page.papers]
    is_sample = any(entry["source"] == "sample" for entry in offered)
    with home.library.read() as conn:
        seen = counts.seen_before(conn, reader.id, day)
        told: list[TodayCountDocument] = [
            {**documents.count(row), "new_to_reader": counts.new_to_reader(conn, row, seen)}
            for row in counts.day_counts(conn, day, digest.followed_categories(conn, reader))
        ]
        report = index.report(conn, home.index_folder, home.encoder_name)
    return {
        "day": day.isoformat(),
        "reader": reader.name,
        "basis": page.basis,
        "digest_id": page.digest.id or None,
        "model_age_days": page.model_age_days,
        "vectors": {"done": report.vectors, "pending": report.pending},
        "counts": told,
        "results": offered,
        "notices": [*([SAMPLE_NOTICE] if is_sample else []), *page.notices],
    }


def _empty(home: Home, reader: Reader) -> TodayDocument:
    with home.library.read() as conn:
        report = index.report(conn, home.index_folder, home.encoder_name)
    return {
        "day": None,
        "reader": reader.name,
        "basis": "date_and_signals",
        "digest_id": None,
        "model_age_days": None,
        "vectors": {"done": report.vectors, "pending": report.pending},
        "counts": [],
        "results": [],
        "notices": [_NO_DAY],
    }
