"""JSON lines: one record a line, in the keys of our own export, of the listings and of Daily Papers."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime

import orjson

from broadsheet.papers import Announcement, Arrival, Author, Paper, Signal, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, SignalsOnly, arrival, identifiers_of, told
from broadsheet.sources.files.values import number, record_of, text, texts
from broadsheet.sources.text import author, clean_name

# Daily Papers has no categories of its own.
DAILY_PAPERS = "daily"
_ID_KEYS = ("id", "arxiv_id", "pmid", "openreview", "url")
_LISTED = frozenset(("id", "title", "abstract", "authors", "categories", "published", "announced", "updated"))
_SOURCES = frozenset({"arxiv", "huggingface", "biorxiv", "medrxiv", "feeds", "file", "sample"})


def parse(
    lines: Iterator[tuple[int, bytes] | Skipped], path: str, now: datetime
) -> Iterator[Arrival | SignalsOnly | Skipped]:
    """Each line's paper or counts; a line that cannot be read is Skipped and the next one is read."""
    for line in lines:
        if isinstance(line, Skipped):
            yield line
            continue
        place, content = line
        if place == 1:
            content = content.removeprefix(b"\xef\xbb\xbf")
        if content.isspace() or not content:
            continue
        try:
            record = orjson.loads(content)
        except orjson.JSONDecodeError as fault:
            yield Skipped(path, place, f"no JSON: {fault.msg} at column {fault.colno}")
            continue
        if isinstance(record, dict):
            yield read_record(record, path, place, now)
        else:
            yield Skipped(path, place, "the line holds no object")


def read_record(
    record: Mapping[str, object], path: str, line: int | None, now: datetime
) -> Arrival | SignalsOnly | Skipped:
    """One record in the keys of ``docs/formats.md``; ``now`` is when its announcements were seen."""
    if "obs" in record and "title" not in record:
        return _observations(record, path, line)
    arrived = arrival(_draft(record, line), path)
    if isinstance(arrived, Skipped):
        return arrived
    paper = arrived.paper
    return told(arrived, _announcements(record, paper, now), _signals(record, paper))


def _draft(record: Mapping[str, object], line: int | None) -> Draft:
    draft = Draft(
        title=text(record, "title"),
        abstract=text(record, "abstract", "summary", "text"),
        authors=authors_of(record.get("authors")),
        identifiers=[text(record, key) for key in _ID_KEYS if key in record],
        submitted=_submitted(record),
        updated=dates.instant(text(record, "updated")) if record.get("updated") else None,
        announced=_day(record, "announced"),
        categories=texts(record, "categories"),
        source=_source_of(record),
        line=line,
    )
    # Listings have these keys only, and there are many of them.
    return draft if record.keys() <= _LISTED else _completed(draft, record)


def _completed(draft: Draft, record: Mapping[str, object]) -> Draft:
    """The draft with what a record may tell beside the keys of a listing."""
    draft.identifiers += texts(record, "identifiers")
    draft.doi = text(record, "doi")
    draft.comment = text(record, "comment", "comments_text")
    draft.journal_ref = text(record, "journal_ref", "journal-ref", "venue")
    draft.withdrawn = record.get("withdrawn") is True
    draft.kept = _day(record, "kept") or _day(record, "added")
    version = number(record, "version")
    if version and 1 <= version < 1000:
        draft.version = int(version)
    link = record_of(record, "links")
    draft.address, draft.project = text(link, "abs"), text(link, "project")
    draft.pdf = text(link, "pdf") or text(record, "pdf")
    draft.code = text(record, "github", "code", "code_url") or text(link, "code")
    source = record.get("source")
    if isinstance(source, str) and source in _SOURCES:
        draft.source = source
    return draft


def authors_of(value: object) -> list[Author]:
    """Authors in their order from a list of names or of objects, or from one text of names."""
    if isinstance(value, str):
        value = value.split(";" if ";" in value else " and ")
    if not isinstance(value, list):
        return []
    found = [author(one) if isinstance(one, str) else _author_of_parts(one) for one in value]
    return [one for one in found if one.name]


def _author_of_parts(parts: object) -> Author:
    if not isinstance(parts, dict):
        return Author("")
    family, given = clean_name(text(parts, "family")), clean_name(text(parts, "given"))
    name = clean_name(text(parts, "name", "fullname")) or f"{given} {family}".strip()
    orcid, affiliation = text(parts, "orcid"), text(parts, "affiliation")
    return Author(name, family or None, given or None, orcid or None, affiliation or None)


def _source_of(record: Mapping[str, object]) -> str:
    if "daily_date" in record:
        return "huggingface"
    return "arxiv" if "announced" in record and "categories" in record else "file"


def _submitted(record: Mapping[str, object]) -> datetime | None:
    stated = text(record, "published", "submitted")
    if stated:
        return dates.instant(stated)
    year = number(record, "year")
    return dates.of_parts(int(year), int(number(record, "month") or 1)) if year else None


def _day(record: Mapping[str, object], key: str) -> date | None:
    value = record.get(key)
    return dates.day(value) if isinstance(value, str) else None


def _announcements(record: Mapping[str, object], paper: Paper, now: datetime) -> list[Announcement]:
    found = []
    if paper.announced:
        primary = paper.categories[0] if paper.categories else ""
        source = paper.source if paper.source in _SOURCES - {"file", "huggingface"} else "arxiv"
        found.append(Announcement(paper.id, source, primary, paper.announced, "new", None, now))
    if "daily_date" in record and (featured := _day(record, "daily_date")):
        found.append(Announcement(paper.id, "huggingface", DAILY_PAPERS, featured, "featured", None, now))
    return found


def _signals(record: Mapping[str, object], paper: Paper) -> list[Signal]:
    """Upvotes and stars at noon of the day they were read; a later reading of the same day wins."""
    if record.keys() <= _LISTED:
        return []
    featured = _day(record, "daily_date")
    upvotes: dict[date, float] = {}
    for key, on in (
        ("upvotes_snapshot", featured),
        ("upvotes_feed_day", featured),
        ("upvotes_max", _day(record, "upvotes_max_on")),
    ):
        value = number(record, key)
        if value is not None and on is not None:
            upvotes[on] = max(value, upvotes.get(on, value))
    found = [Signal(paper.id, "upvotes", value, dates.noon(on)) for on, value in upvotes.items()]
    stars = number(record, "github_stars")
    if stars is not None and featured is not None:
        found.append(Signal(paper.id, "stars", stars, dates.noon(featured)))
    return found


def _observations(record: Mapping[str, object], path: str, line: int | None) -> SignalsOnly | Skipped:
    """Readings of one paper's upvotes: ``obs`` is a list of [day, list it stood on, upvotes]."""
    paper_id, _, _ = identifiers_of([text(record, "id")])
    if paper_id is None:
        return Skipped(path, line, f"counts for {text(record, 'id')[:80]!r}, no identifier of a paper")
    readings = record.get("obs")
    highest: dict[date, float] = {}
    for reading in readings if isinstance(readings, list) else ():
        match reading:
            case [str(on), _, int(upvotes)] if (day := dates.day(on)) is not None:
                highest[day] = max(float(upvotes), highest.get(day, 0.0))
    counts = sorted(highest.items())
    signals = tuple(Signal(paper_id, "upvotes", count, dates.noon(on)) for on, count in counts)
    return SignalsOnly(paper_id, signals, line)
