"""The documents that every surface prints: made here once from the rooms' records, keys as documented."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Literal, TypedDict

from broadsheet.papers import AnnouncementCount, KindCounts, Links, Paper, RankedPaper, Reason
from broadsheet.readers import Digest, Following, Interaction, Offered, Reader, Topic


class ReasonDocument(TypedDict):
    feature: str
    text: str
    share: float


class ResultDocument(TypedDict):
    rank: int
    score: float
    id: str
    title: str
    abstract: str
    authors: list[str]
    categories: list[str]
    announced: str | None
    submitted: str | None
    withdrawn: bool
    source: str
    reasons: list[ReasonDocument]
    also: list[str]


class OfferedDocument(ResultDocument):
    chance: float
    exploring: bool


class VectorsDocument(TypedDict):
    done: int
    pending: int


class SearchDocument(TypedDict):
    query: str
    total: int
    vectors: VectorsDocument
    results: list[ResultDocument]
    notices: list[str]
    did_you_mean: str | None


class SuggestionDocument(TypedDict):
    text: str
    kind: str
    papers: int


class SuggestDocument(TypedDict):
    query: str
    suggestions: list[SuggestionDocument]
    notices: list[str]


CountsByKind = TypedDict(
    "CountsByKind", {"new": int, "cross": int, "replace": int, "replace-cross": int | None, "total": int}
)


class CountDocument(TypedDict):
    source: str
    category: str
    day: str
    announced: CountsByKind | None
    held: CountsByKind
    late: int
    pending: int
    state: str
    reason: str | None
    next_try: str | None
    text: str


class TodayCountDocument(CountDocument):
    new_to_reader: int


class TodayDocument(TypedDict):
    day: str | None
    reader: str
    basis: Literal["taste", "date_and_signals"]
    digest_id: int | None
    model_age_days: int | None
    vectors: VectorsDocument
    counts: list[TodayCountDocument]
    results: list[OfferedDocument]
    notices: list[str]


class AuthorDocument(TypedDict):
    name: str
    family: str | None
    given: str | None
    orcid: str | None
    affiliation: str | None


class LinksDocument(TypedDict):
    abs: str | None
    pdf: str | None
    code: str | None
    project: str | None


class PaperDocument(TypedDict):
    id: str
    title: str
    abstract: str
    authors: list[AuthorDocument]
    submitted: str | None
    updated: str | None
    announced: str | None
    categories: list[str]
    version: int
    withdrawn: bool
    comment: str | None
    journal_ref: str | None
    doi: str | None
    identifiers: list[str]
    links: LinksDocument
    source: str


class ReaderDocument(TypedDict):
    id: int
    name: str
    email: str | None
    timezone: str
    list_length: int
    deliver_at: str | None


class FollowingDocument(TypedDict):
    reader_id: int
    kind: str
    value: str
    wanted: bool


class TopicDocument(TypedDict):
    id: int
    reader_id: int
    name: str
    query: str
    seeds: list[str]


class RecordedDocument(TypedDict):
    number: int
    id: str
    kind: str
    undoes: int | None


def day_text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def instant_text(instant: datetime | None) -> str | None:
    """RFC 3339 in UTC, to the second."""
    if instant is None:
        return None
    return instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _submitted_day(instant: datetime | None) -> str | None:
    return None if instant is None else instant.astimezone(UTC).date().isoformat()


def _reasons(reasons: Sequence[Reason]) -> list[ReasonDocument]:
    return [{"feature": r.feature, "text": r.text, "share": r.share} for r in reasons]


def result(ranked: RankedPaper) -> ResultDocument:
    paper = ranked.paper
    return {
        "rank": ranked.rank,
        "score": ranked.score,
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": [author.name for author in paper.authors],
        "categories": list(paper.categories),
        "announced": day_text(paper.announced),
        "submitted": _submitted_day(paper.submitted),
        "withdrawn": paper.withdrawn,
        "source": paper.source,
        "reasons": _reasons(ranked.reasons),
        "also": list(ranked.also),
    }


def offered(entry: Offered) -> OfferedDocument:
    return {**result(entry.ranked), "chance": entry.chance, "exploring": entry.exploring}


def _by_kind(counts: KindCounts) -> CountsByKind:
    return {
        "new": counts.new,
        "cross": counts.cross,
        "replace": counts.replace,
        "replace-cross": counts.replace_cross,
        "total": counts.total,
    }


def count(counted: AnnouncementCount) -> CountDocument:
    return {
        "source": counted.source,
        "category": counted.category,
        "day": counted.day.isoformat(),
        "announced": None if counted.announced is None else _by_kind(counted.announced),
        "held": _by_kind(counted.held),
        "late": counted.late,
        "pending": counted.pending,
        "state": counted.state,
        "reason": counted.reason,
        "next_try": instant_text(counted.next_try),
        "text": counted.text,
    }


def _links(links: Links) -> LinksDocument:
    return {"abs": links.abs, "pdf": links.pdf, "code": links.code, "project": links.project}


def paper(paper: Paper) -> PaperDocument:
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": [
            {
                "name": author.name,
                "family": author.family,
                "given": author.given,
                "orcid": author.orcid,
                "affiliation": author.affiliation,
            }
            for author in paper.authors
        ],
        "submitted": instant_text(paper.submitted),
        "updated": instant_text(paper.updated),
        "announced": day_text(paper.announced),
        "categories": list(paper.categories),
        "version": paper.version,
        "withdrawn": paper.withdrawn,
        "comment": paper.comment,
        "journal_ref": paper.journal_ref,
        "doi": paper.doi,
        "identifiers": list(paper.identifiers),
        "links": _links(paper.links),
        "source": paper.source,
    }


def reader(reader: Reader) -> ReaderDocument:
    return {
        "id": reader.id,
        "name": reader.name,
        "email": reader.email,
        "timezone": reader.timezone,
        "list_length": reader.list_length,
        "deliver_at": None if reader.deliver_at is None else reader.deliver_at.isoformat("minutes"),
    }


def following(entry: Following) -> FollowingDocument:
    return {"reader_id": entry.reader_id, "kind": entry.kind, "value": entry.value, "wanted": entry.wanted}


def topic(topic: Topic) -> TopicDocument:
    return {
        "id": topic.id,
        "reader_id": topic.reader_id,
        "name": topic.name,
        "query": topic.query,
        "seeds": list(topic.seeds),
    }


def interaction(done: Interaction) -> dict[str, object]:
    return {
        "number": done.number,
        "paper_id": done.paper_id,
        "kind": done.kind,
        "at": instant_text(done.at),
        "surface": done.surface,
        "digest_id": done.digest_id,
        "rank": done.rank,
        "chance": done.chance,
        "undoes": done.undoes,
    }


def digest(made: Digest) -> dict[str, object]:
    return {
        "id": made.id,
        "day": made.day.isoformat(),
        "made_at": instant_text(made.made_at),
        "basis": made.basis,
        "seed": made.seed,
        "trained_through": made.trained_through,
        "index_version": made.index_version,
        "papers": [
            {"rank": entry.ranked.rank, "id": entry.ranked.paper.id, "chance": entry.chance}
            for entry in made.papers
        ],
    }


def recorded(interaction: Interaction) -> RecordedDocument:
    return {
        "number": interaction.number,
        "id": interaction.paper_id,
        "kind": interaction.kind,
        "undoes": interaction.undoes,
    }
