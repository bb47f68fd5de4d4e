"""The reader's page of a day."""

from datetime import date

from sqlalchemy import Connection

from broadsheet.api import documents
from broadsheet.api.documents import TodayCountDocument, TodayDocument, VectorsDocument
from broadsheet.api.home import Home
from broadsheet.daily import counts, digest
from broadsheet.daily.digest import DigestPage
from broadsheet.errors import IndexBroken
from broadsheet.library import papers, readers
from broadsheet.ranking.ranking import Index
from broadsheet.readers import Reader
from broadsheet.search import index

_NO_PAPER = "No paper is held yet: 'broadsheet harvest' takes in what was announced, 'broadsheet add' files."
_NO_DAY = "None of the {:,} papers held has an announcement day; search finds them, a harvest brings days."
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
        vectors = _vectors(conn, home)
    return {
        "day": day.isoformat(),
        "reader": reader.name,
        "basis": page.basis,
        "digest_id": page.digest.id or None,
        "model_age_days": page.model_age_days,
        "vectors": vectors,
        "counts": told,
        "results": offered,
        "notices": [*([SAMPLE_NOTICE] if is_sample else []), *page.notices],
    }


def _empty(home: Home, reader: Reader) -> TodayDocument:
    with home.library.read() as conn:
        held, vectors = papers.count(conn), _vectors(conn, home)
    return {
        "day": None,
        "reader": reader.name,
        "basis": "date_and_signals",
        "digest_id": None,
        "model_age_days": None,
        "vectors": vectors,
        "counts": [],
        "results": [],
        "notices": [_NO_DAY.format(held) if held else _NO_PAPER],
    }


def _vectors(conn: Connection, home: Home) -> VectorsDocument:
    try:
        done, pending = index.vectors_standing(conn, home.index_folder, home.encoder_name)
    except IndexBroken:
        # The ranking goes by words alone then, and says why in its notices.
        done, pending = 0, papers.count(conn)
    return {"done": done, "pending": pending}
