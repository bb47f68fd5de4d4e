"""JSON files that hold one document: which service's answer or which program's export it is."""

from collections.abc import Iterator, Mapping
from datetime import datetime

import orjson

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import (
    arxiv_search,
    crossref,
    csl_json,
    dates,
    feed,
    hf_daily,
    jsonl,
    openalex,
    rxiv_json,
    semantic_scholar,
)
from broadsheet.sources.files.drafts import SignalsOnly
from broadsheet.sources.files.encodings import decoded
from broadsheet.sources.files.values import record_of, records, text

Found = Iterator[Arrival | SignalsOnly | Skipped]
_UNKNOWN = "JSON of no known shape"


def parse(content: bytes, path: str, now: datetime) -> Found:
    """Everything in a document, whatever service or program wrote it.

    What is Skipped names the line on which the document starts, since JSON keeps no lines.
    """
    for one in _parsed(_loaded(content, path), path, now):
        yield Skipped(path, 1, one.why) if isinstance(one, Skipped) and one.line is None else one


def _parsed(document: object, path: str, now: datetime) -> Found:
    if isinstance(document, Skipped):
        yield document
    elif isinstance(document, list):
        yield from _listed(document, path, now)
    elif isinstance(document, dict):
        yield from _answered(document, path, now)
    else:
        yield Skipped(path, 1, _UNKNOWN)


def parse_csl(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    """A document that is said to be CSL JSON: a list of items, an object with ``items``, or one item."""
    document = _loaded(content, path)
    if isinstance(document, Skipped):
        yield document
    elif isinstance(document, dict) and "items" not in document:
        yield from csl_json.parse(iter([document]), path)
    else:
        items = {"items": document} if isinstance(document, list) else document
        yield from csl_json.parse(records(items, "items") if isinstance(items, dict) else iter(()), path)


def _loaded(content: bytes, path: str) -> object:
    try:
        return orjson.loads(decoded(content))
    except orjson.JSONDecodeError as fault:
        return Skipped(path, fault.lineno, f"no JSON: {fault.msg} at column {fault.colno}")


def _listed(listed: list[object], path: str, now: datetime) -> Found:
    first = next((one for one in listed if isinstance(one, dict)), None)
    items = records({"list": listed}, "list")
    if first is None:
        yield Skipped(path, 1, _UNKNOWN if listed else "an empty list")
    elif isinstance(first.get("paper"), dict):
        yield from hf_daily.parse(listed, path, now)
    elif "paper_id" in first and "abs_categories" in first:
        yield from arxiv_search.parse(items, path)
    elif first.keys() & {"itemType", "data", "DOI", "issued", "container-title", "citation-key"}:
        yield from csl_json.parse(items, path)
    elif "paperId" in first:
        yield from semantic_scholar.parse(items, path, now)
    elif first.keys() & {"title", "abstract", "arxiv_id"}:
        for one in items:
            yield jsonl.read_record(one, path, None, now)
    else:
        yield Skipped(path, 1, _UNKNOWN)


def _answered(answer: Mapping[str, object], path: str, now: datetime) -> Found:
    message, listed = record_of(answer, "message"), answer.get("data")
    if "error" in answer:
        yield Skipped(path, 1, f"an error answer: {text(answer, 'error')[:200]}")
    elif "collection" in answer:
        yield from rxiv_json.parse(records(answer, "collection"), path, now)
    elif message:
        yield from _of_crossref(message, path)
    elif "results" in answer:
        yield from openalex.parse(records(answer, "results"), path, now)
    elif "paperId" in answer:
        yield from semantic_scholar.parse(iter([answer]), path, now)
    elif isinstance(listed, list):
        yield from _data(answer, listed, path, now)
    elif "jsonfeed" in text(answer, "version"):
        yield from feed.parse_json(answer, path)
    elif "items" in answer:
        yield from csl_json.parse(records(answer, "items"), path)
    else:
        yield from _single(answer, path, now)


def _of_crossref(message: Mapping[str, object], path: str) -> Found:
    works = records(message, "items") if "items" in message else iter([message])
    found = False
    for one in crossref.parse(works, path):
        found = True
        yield one
    if not found:
        yield Skipped(path, 1, "an answer of Crossref without any work")


def _data(answer: Mapping[str, object], listed: list[object], path: str, now: datetime) -> Found:
    """``data`` holds Semantic Scholar's papers, or a day of Daily Papers as an archive kept it."""
    first = next((one for one in listed if isinstance(one, dict)), None)
    if first is not None and "paper" not in first:
        yield from semantic_scholar.parse(records(answer, "data"), path, now)
    else:
        yield from hf_daily.parse(listed, path, now, dates.day(text(answer, "date")))


def _single(record: Mapping[str, object], path: str, now: datetime) -> Found:
    if isinstance(record.get("paper"), dict):
        yield from hf_daily.parse([record], path, now)
    elif record.keys() & {"display_name", "authorships"}:
        yield from openalex.parse(iter([record]), path, now)
    elif record.keys() & {"issued", "itemType", "DOI", "container-title"}:
        yield from csl_json.parse(iter([record]), path)
    elif record.keys() & {"title", "abstract", "obs"}:
        yield jsonl.read_record(record, path, 1, now)
    else:
        yield Skipped(path, 1, _UNKNOWN)
