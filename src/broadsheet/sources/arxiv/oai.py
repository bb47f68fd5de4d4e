"""arXiv's OAI-PMH: metadata in bulk by the day on which records changed, with resumption.

Prefix ``arXiv`` has split names, categories and comments, but days only and no version; ``arXivRaw`` has
each version's instant and one line of names. Selection goes by datestamp, which is neither the day of
submission nor that of announcement.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from broadsheet.errors import BadAnswer, InvalidIdentifier
from broadsheet.papers import Arrival, Author, parse_id
from broadsheet.sources.arxiv.metadata import paper_of, split_authors
from broadsheet.sources.batches import PaperBatch, dump_state, load_state
from broadsheet.sources.files.dates import instant
from broadsheet.sources.files.drafts import Draft
from broadsheet.sources.http import Client
from broadsheet.sources.markup import Element, child_text, children, name, text, xml
from broadsheet.sources.text import clean_name

Prefix = Literal["arXiv", "arXivRaw"]

_LOST_TOKEN = frozenset({400, 404, 410, 422})
_MOST_RESTARTS = 3
_MOST_PAGES = 10_000


@dataclass(frozen=True, slots=True)
class OaiPage:
    """One page: ``error`` is the protocol's code (noRecordsMatch is an empty page), ``token`` the
    resumption token (None at the end), ``total`` its completeListSize, ``last_stamp`` the newest
    datestamp and ``ordered`` whether they only rose."""

    arrivals: tuple[Arrival, ...] = ()
    deleted: tuple[str, ...] = ()
    token: str | None = None
    total: int | None = None
    error: str | None = None
    last_stamp: str = ""
    ordered: bool = True
    records: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """What to list: records whose datestamp lies from ``since`` to ``until`` (both days included), in
    one set (``cs``, ``cs:cs:LG``) or in all."""

    since: date
    until: date | None = None
    set_spec: str | None = None
    prefix: Prefix = "arXivRaw"


@dataclass(frozen=True, slots=True)
class _Progress:
    since: str
    token: str | None = None
    held: int = 0
    total: int | None = None
    restarts: int = 0
    ordered: bool = True
    last_stamp: str = field(default="")


def list_records(
    client: Client, oai_url: str, selection: Selection, state: str | None = None
) -> Iterator[PaperBatch]:
    """The selected records, page by page; ``state`` (of an earlier batch) goes on where that one ended.

    A token that has expired begins again at the last datestamp that was seen, or at the beginning where
    datestamps came out of order. A list that ends before its completeListSize ends with ``complete``
    False.
    """
    progress = _resumed(state, selection)
    for _ in range(_MOST_PAGES):
        page = _ask(client, oai_url, selection, progress)
        if page.error == "badResumptionToken":
            batch, progress = _restarted(progress, selection)
        else:
            batch, progress = _advanced(progress, page)
        yield batch
        if batch.state is None:
            return


def get_record(client: Client, oai_url: str, paper_id: str, prefix: Prefix = "arXivRaw") -> OaiPage:
    """One paper's record; its error is idDoesNotExist where arXiv has none."""
    identifier = f"oai:arXiv.org:{paper_id.removeprefix('arxiv:')}"
    return client.read(
        oai_url, parse, {"verb": "GetRecord", "metadataPrefix": prefix, "identifier": identifier}
    )


def _resumed(state: str | None, selection: Selection) -> _Progress:
    if state is None:
        return _Progress(since=selection.since.isoformat())
    kept = load_state(state)
    token, total = kept.get("token"), kept.get("total")
    return _Progress(
        since=str(kept["since"]),
        token=str(token) if token is not None else None,
        held=int(str(kept["held"])),
        total=int(str(total)) if total is not None else None,
        restarts=int(str(kept["restarts"])),
        ordered=bool(kept["ordered"]),
        last_stamp=str(kept["last_stamp"]),
    )


def _dumped(progress: _Progress) -> str:
    return dump_state(
        {
            "since": progress.since,
            "token": progress.token,
            "held": progress.held,
            "total": progress.total,
            "restarts": progress.restarts,
            "ordered": progress.ordered,
            "last_stamp": progress.last_stamp,
        }
    )


def _ask(client: Client, oai_url: str, selection: Selection, progress: _Progress) -> OaiPage:
    if progress.token is None:
        params = {"verb": "ListRecords", "metadataPrefix": selection.prefix, "from": progress.since}
        if selection.until:
            params["until"] = selection.until.isoformat()
        if selection.set_spec:
            params["set"] = selection.set_spec
    else:
        params = {"verb": "ListRecords", "resumptionToken": progress.token}
    try:
        return client.read(oai_url, parse, params)
    except BadAnswer as refusal:
        if progress.token is not None and refusal.status in _LOST_TOKEN:
            return OaiPage(error="badResumptionToken")
        raise


def _restarted(progress: _Progress, selection: Selection) -> tuple[PaperBatch, _Progress]:
    if progress.restarts >= _MOST_RESTARTS:
        note = f"OAI-PMH lost its place {progress.restarts} times; the list is not complete."
        return PaperBatch((), None, progress.total, notes=(note,), complete=False), progress
    since = progress.last_stamp if progress.ordered and progress.last_stamp else selection.since.isoformat()
    again = _Progress(since=since, restarts=progress.restarts + 1)
    note = f"OAI-PMH's resumption token had expired; asking again from {since}."
    return PaperBatch((), _dumped(again), progress.total, notes=(note,)), again


def _advanced(progress: _Progress, page: OaiPage) -> tuple[PaperBatch, _Progress]:
    held = progress.held + page.records
    total = page.total if page.total is not None else progress.total
    ordered = progress.ordered and page.ordered and page.last_stamp >= progress.last_stamp
    last_stamp = max(progress.last_stamp, page.last_stamp)
    further = _Progress(progress.since, page.token, held, total, progress.restarts, ordered, last_stamp)
    if page.token is not None and not _turns_in_a_circle(progress, page, held, total):
        batch = PaperBatch(page.arrivals, _dumped(further), total, (), page.deleted, page.notes)
        return batch, further
    short = page.token is not None or (total is not None and held < total)
    notes = (*page.notes, f"OAI-PMH ended after {held} of {total} records.") if short else page.notes
    return PaperBatch(page.arrivals, None, total, (), page.deleted, notes, not short), further


def _turns_in_a_circle(progress: _Progress, page: OaiPage, held: int, total: int | None) -> bool:
    """Whether a list no longer gets anywhere: the same token again, or far more records than its size."""
    return page.token == progress.token or (total is not None and held > 2 * total + 1000)


def parse(body: bytes) -> OaiPage:
    """One OAI-PMH answer; raises BadAnswer for what is none, or names an error other than an empty
    list, an expired token or an unknown id."""
    root = xml(body, "The OAI-PMH answer")
    if name(root) != "OAI-PMH":
        raise BadAnswer(f"The OAI-PMH answer is a {name(root)!r} document")
    for error in children(root, "error"):
        code = error.get("code") or "unknown"
        if code not in ("noRecordsMatch", "badResumptionToken", "idDoesNotExist"):
            raise BadAnswer(f"OAI-PMH refuses: {code}, {text(error).strip()}", status=200)
        return OaiPage(error=code)
    lists = children(root, "ListRecords") or children(root, "GetRecord")
    if not lists:
        raise BadAnswer("The OAI-PMH answer holds no records and no error")
    return _page(lists[0])


def _page(listing: Element) -> OaiPage:
    arrivals: list[Arrival] = []
    deleted: list[str] = []
    notes: list[str] = []
    stamps: list[str] = []
    records = children(listing, "record")
    for element in records:
        headers = children(element, "header")
        identifier = child_text(headers[0], "identifier") if headers else ""
        stamps += [child_text(headers[0], "datestamp")[:10]] if headers else []
        arrival = record(element)
        if headers and headers[0].get("status") == "deleted":
            deleted += [identifier] if identifier else []
        elif arrival is None:
            notes.append(f"The record {identifier or 'without identifier'} holds no arXiv metadata.")
        else:
            arrivals.append(arrival)
    tokens = children(listing, "resumptionToken")
    token = text(tokens[0]).strip() if tokens else ""
    size = (tokens[0].get("completeListSize") or "") if tokens else ""
    stamps = [stamp for stamp in stamps if stamp]
    return OaiPage(
        arrivals=tuple(arrivals),
        deleted=tuple(deleted),
        token=token or None,
        total=int(size) if size.isascii() and size.isdigit() else None,
        last_stamp=max(stamps, default=""),
        ordered=stamps == sorted(stamps),
        records=len(records),
        notes=tuple(notes),
    )


def record(element: Element) -> Arrival | None:
    """The paper of a ``record`` element in prefix arXiv or arXivRaw; None where it holds none."""
    for metadata in children(element, "metadata"):
        for form in metadata:
            if name(form) in ("arXiv", "arXivRaw"):
                return _arrival(form)
    return None


def _arrival(form: Element) -> Arrival | None:
    try:
        paper_id, _ = parse_id(f"arXiv:{child_text(form, 'id')}")
    except InvalidIdentifier:
        return None
    raw = name(form) == "arXivRaw"
    versions = children(form, "version") if raw else []
    moments = [instant(child_text(version, "date")) for version in versions]
    created, updated = instant(child_text(form, "created")), instant(child_text(form, "updated"))
    draft = Draft(
        title=child_text(form, "title"),
        abstract=child_text(form, "abstract"),
        authors=split_authors(child_text(form, "authors")) if raw else _authors(form),
        submitted=moments[0] if moments else created,
        updated=moments[-1] if moments else updated or created,
        categories=tuple(dict.fromkeys(child_text(form, "categories").split())),
        version=_newest_version(versions) if raw else None,
        comment=child_text(form, "comments"),
        journal_ref=child_text(form, "journal-ref"),
        doi=child_text(form, "doi"),
    )
    paper = paper_of(paper_id, draft)
    return Arrival(paper) if paper else None


def _newest_version(versions: list[Element]) -> int:
    numbers = [(version.get("version") or "").lstrip("v") for version in versions]
    return max((int(number) for number in numbers if number.isascii() and number.isdigit()), default=1)


def _authors(form: Element) -> tuple[Author, ...]:
    return tuple(
        author
        for group in children(form, "authors")
        for element in children(group, "author")
        if (author := _author(element)) is not None
    )


def _author(element: Element) -> Author | None:
    family, given = clean_name(child_text(element, "keyname")), clean_name(child_text(element, "forenames"))
    suffix = clean_name(child_text(element, "suffix"))
    printed = " ".join(part for part in (given, family, suffix) if part)
    if not printed:
        return None
    affiliation = clean_name(child_text(element, "affiliation")) or None
    return Author(printed, family or None, given or None, None, affiliation)
