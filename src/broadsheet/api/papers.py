"""Finding papers, looking at one, taking them out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypedDict

from broadsheet.api import documents
from broadsheet.api.documents import PaperDocument, SearchDocument, SuggestDocument
from broadsheet.api.home import Home
from broadsheet.delivery import exports
from broadsheet.errors import UsageError
from broadsheet.library import interactions, papers, readers
from broadsheet.papers import Announcement, Paper, Signal
from broadsheet.readers import InteractionKind
from broadsheet.search import finding, suggesting
from broadsheet.search.finding import Found, SearchRequest

EXPORT_FORMS = tuple(exports.FORMS)
_MOST_RESULTS = 1_000


class VersionDocument(TypedDict):
    version: int
    submitted: str | None
    title: str
    abstract: str
    comment: str | None
    withdrawn: bool


class AnnouncementDocument(TypedDict):
    paper_id: str
    source: str
    category: str
    day: str
    kind: str
    version: int | None
    seen_at: str | None


class SignalDocument(TypedDict):
    paper_id: str
    name: str
    value: float
    observed_at: str | None


class TwinDocument(TypedDict):
    id: str
    title: str
    why: str


class ShowDocument(TypedDict):
    paper: PaperDocument
    versions: list[VersionDocument]
    announcements: list[AnnouncementDocument]
    signals: list[SignalDocument]
    twins: list[TwinDocument]


def search(
    home: Home, request: SearchRequest, *, reader_name: str = "me", saved: bool = False
) -> SearchDocument:
    """Papers for a query, best first; with ``saved`` only among what the reader saved or liked."""
    with home.library.read() as conn:
        reader = readers.named(conn, reader_name)
        if saved:
            request = replace(request, within=_kept(interactions.standing(conn, reader.id)))
        found = finding.find(conn, home.index_folder, home.encoder(), request, home.loaded)
    return _found(request.query, found)


def similar(home: Home, ids: Sequence[str], away: Sequence[str] = (), limit: int = 20) -> SearchDocument:
    """Papers near those of ``ids`` and far from those of ``away``."""
    with home.library.read() as conn:
        found = finding.similar(conn, home.index_folder, home.encoder_name, ids, away, limit)
    return _found(" ".join(ids), found)


def suggest(home: Home, text: str, limit: int = 10) -> SuggestDocument:
    """How a query may go on from what was typed: words, phrases, authors and titles that are held."""
    with home.library.read() as conn:
        found = suggesting.suggest(conn, home.index_folder, text, limit)
    missing = (
        "" if suggesting.is_ready(home.index_folder) else "No terms are gathered: run `broadsheet index`."
    )
    return {
        "query": text,
        "suggestions": [{"text": s.text, "kind": s.kind, "papers": s.papers} for s in found],
        "notices": [missing] if missing else [],
    }


def show(home: Home, paper_id: str) -> ShowDocument:
    """One paper by any identifier; raises NotFound or InvalidIdentifier."""
    with home.library.read() as conn:
        key, paper = papers.find(conn, paper_id)
        return {
            "paper": documents.paper(paper),
            "versions": [
                {
                    "version": version.version,
                    "submitted": documents.instant_text(version.submitted),
                    "title": version.title,
                    "abstract": version.abstract,
                    "comment": version.comment,
                    "withdrawn": version.withdrawn,
                }
                for version in papers.versions(conn, key)
            ],
            "announcements": [_announcement(said) for said in papers.announcements(conn, key)],
            "signals": [_signal(signal) for signal in papers.signals(conn, key)],
            "twins": [
                {"id": twin.id, "title": twin.title, "why": twin.why} for twin in papers.twins(conn, key)
            ],
        }


def _announcement(said: Announcement) -> AnnouncementDocument:
    return {
        "paper_id": said.paper_id,
        "source": said.source,
        "category": said.category,
        "day": said.day.isoformat(),
        "kind": said.kind,
        "version": said.version,
        "seen_at": documents.instant_text(said.seen_at),
    }


def _signal(signal: Signal) -> SignalDocument:
    return {
        "paper_id": signal.paper_id,
        "name": signal.name,
        "value": signal.value,
        "observed_at": documents.instant_text(signal.observed_at),
    }


def export(
    home: Home, form: str, *, saved: bool = False, query: str | None = None, reader_name: str = "me"
) -> Iterator[str]:
    """Pieces of text that together are the papers in one of EXPORT_FORMS: all, saved or found ones."""
    if form not in EXPORT_FORMS:
        raise UsageError(f"{form!r} is no form of export.", f"Give one of {', '.join(EXPORT_FORMS)}.")
    with home.library.read() as conn:
        reader = readers.named(conn, reader_name)
        kept = _kept(interactions.standing(conn, reader.id)) if saved else None
        wanted: Iterator[Paper]
        if query is not None:
            request = SearchRequest(query, _MOST_RESULTS, within=kept)
            found = finding.find(conn, home.index_folder, home.encoder(), request, home.loaded)
            wanted = (ranked.paper for ranked in found.results)
        else:
            wanted = (paper for key, paper in papers.every(conn) if kept is None or key in kept)
        yield from exports.export(wanted, form)


def _kept(standing: Mapping[InteractionKind, Mapping[int, datetime]]) -> frozenset[int]:
    return frozenset(standing.get("saved", {})) | frozenset(standing.get("liked", {}))


def _found(query: str, found: Found) -> SearchDocument:
    return {
        "query": query,
        "total": found.total,
        "vectors": {"done": found.vectors_done, "pending": found.vectors_pending},
        "results": [documents.result(ranked) for ranked in found.results],
        "notices": list(found.notices),
        "did_you_mean": found.did_you_mean,
    }
