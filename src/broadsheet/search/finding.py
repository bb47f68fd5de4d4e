"""Finding papers for a query, and papers like others: from a request to a ranked list of papers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from sqlalchemy import Connection
from tantivy import Query as Match

from broadsheet.errors import BadQuery, IndexBroken, UsageError
from broadsheet.library import papers as library
from broadsheet.papers import Paper, RankedPaper, Reason
from broadsheet.search import fusion, matching, retrieval
from broadsheet.search.collapsing import distinct
from broadsheet.search.encoders import Encoder, text_of
from broadsheet.search.explaining import query_words, reasons
from broadsheet.search.fusion import Shares
from broadsheet.search.index import day_of, pending_of
from broadsheet.search.mixed import Meaning, Mixed
from broadsheet.search.narrowing import Restriction
from broadsheet.search.opening import meaning_at, terms_at, vectors_at, words_at, words_made
from broadsheet.search.query import Clause, Query, as_words, check_order, identifier, parse
from broadsheet.search.retrieval import Wanted
from broadsheet.search.spelling import Held, spelt
from broadsheet.search.terms import Terms
from broadsheet.search.text import spaced
from broadsheet.search.words import Keys, Words

MOST_RESULTS = 1000
_SPARE = 20
_NO_WORDS = "The query holds no word to look for: this is what is held, newest first."
UNLIKE_WEIGHT = 0.3

Load = Callable[[str], Encoder]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked. Empty text means absent; days are inclusive; ``within`` are the only keys wanted."""

    query: str
    limit: int = 20
    since: date | None = None
    until: date | None = None
    categories: tuple[str, ...] = ()
    author: str = ""
    within: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A ranked list, best first; ``total`` counts all that match a word or reach the meaning threshold.

    ``did_you_mean`` is the whole query with words that no paper has put right, None where none are.
    """

    results: list[RankedPaper]
    total: int
    vectors_done: int
    vectors_pending: int
    notices: list[str]
    did_you_mean: str | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """What a search reads: the words, and vectors with their encoder where there are any."""

    words: Words
    vectors: Meaning | None
    done: int
    pending: int
    notices: list[str]


def find(
    connection: Connection,
    directory: Path,
    encoder: Encoder | None,
    request: SearchRequest,
    load: Load | None = None,
) -> Found:
    """Papers for a query, best first: exact matches, then words and meaning fused.

    Without an encoder, or where vectors are missing, the words stand for both and a notice says so. While
    papers are encoded anew, ``load`` gives the encoder of old vectors by its name; without it they are
    compared through their map. A request without any words lists what passes the filters, newest first.
    Raises UsageError for a limit outside 1..1000, BadQuery for a filter that no paper can pass and
    IndexBroken where the index must be made again.
    """
    _check_limit(request.limit)
    parts = _opened(connection, directory, encoder.name if encoder else None)
    if parts is None:
        parse(request.query)
        return Found([], 0, 0, 0, [])
    query = _understood(parts.words, request.query)
    restriction = _restriction(connection, parts.words, query, request)
    held = Held(connection, parts.words, _terms(directory, parts))
    said = spelt(held, query, request.author)
    if spaced(query.words) or query.ids:
        asking = _asking(parts, query, load)
        found = _best(connection, asking, encoder, query, (restriction, request))
    else:
        found = _newest(connection, parts, restriction, request.limit)
        told = _unknown(connection, query, np.empty(0, np.int64))
        if request.query.strip() and not query.required and not query.excluded:
            told.append(_NO_WORDS)
        found = replace(found, notices=[*found.notices, *told])
    return replace(found, notices=[*said.notices(), *found.notices], did_you_mean=said.corrected)


def _terms(directory: Path, parts: Parts) -> Terms | None:
    """The terms that spellings are taken from; a search stands without them, and says so."""
    try:
        return terms_at(directory)
    except IndexBroken as error:
        parts.notices.append(f"{error.message} {error.next_step}")
        return None


def _asking(parts: Parts, query: Query, load: Load | None) -> Parts:
    """Old vectors beside new ones are asked by the encoder that made them."""
    if load is None or not isinstance(parts.vectors, Mixed) or not query.words:
        return parts
    old = load(parts.vectors.old_encoder)
    return replace(parts, vectors=parts.vectors.asking(old.encode_queries([query.words])[0]))


def _understood(words: Words, text: str) -> Query:
    """The query in a text; a title that is held is meant as one, even where it looks like a bad filter."""
    try:
        return parse(text)
    except BadQuery:
        if not words.count(matching.with_title(words.schema, text)):
            raise
        return as_words(text)


def _best(
    connection: Connection,
    parts: Parts,
    encoder: Encoder | None,
    query: Query,
    asked: tuple[Restriction, SearchRequest],
) -> Found:
    restriction, request = asked
    exact = _exact(connection, parts.words, query, request)
    vector = encoder.encode_queries([query.words])[0] if encoder and parts.vectors and query.words else None
    wanted = retrieval.wanted(parts.words, query.words, vector)
    count = max(fusion.CANDIDATES, request.limit + _SPARE)
    found = retrieval.candidates(parts.words, parts.vectors, wanted, restriction, count)
    shares = fusion.with_exact(retrieval.ranked(parts.vectors, found), exact)
    results = _results(connection, shares, request.limit, query.words, restriction)
    total = max(found.total, len(shares.keys) if len(shares.keys) < request.limit else len(results))
    return Found(
        results, total, parts.done, parts.pending, [*parts.notices, *_unknown(connection, query, exact)]
    )


def similar(
    connection: Connection,
    directory: Path,
    encoder_name: str | None,
    ids: Sequence[str],
    unlike: Sequence[str] = (),
    limit: int = 20,
) -> Found:
    """Papers near to some papers and far from others, by their words and stored vectors.

    The papers given, and other records of these works, are not among the results. Raises NotFound or
    InvalidIdentifier for an id that is not held, UsageError for a limit outside 1..1000 and IndexBroken
    where the index must be made again.
    """
    _check_limit(limit)
    near = dict(library.find(connection, text) for text in ids)
    far = dict(library.find(connection, text) for text in unlike)
    parts = _opened(connection, directory, encoder_name)
    if parts is None or not near:
        return Found([], 0, 0, 0, [])
    schema = parts.words.schema
    same = [twin.id for key in near for twin in library.twins(connection, key)]
    keys = {*near, *far, *library.keys_of(connection, same).values()}
    given = matching.with_keys(schema, np.array(sorted(keys), np.int64))
    restriction = Restriction(excluded=(given,))
    wanted = _like(parts, near)
    found = retrieval.candidates(parts.words, parts.vectors, wanted, restriction)
    shares = retrieval.ranked(parts.vectors, found)
    if far:
        shares = _pushed(parts, shares, _like(parts, far))
    results = _results(connection, shares, limit, "", restriction)
    return Found(results, max(found.total, len(results)), parts.done, parts.pending, parts.notices)


def _like(parts: Parts, papers: dict[int, Paper]) -> Wanted:
    """What some papers have in common as a query: all their words, and the mean of their vectors."""
    text = " ".join(text_of(paper) for paper in papers.values())
    match = matching.scored(parts.words.schema, text)
    if parts.vectors is None:
        return Wanted(match)
    rows, there = parts.vectors.rows(np.array(list(papers), np.int64))
    mean = rows[there].sum(axis=0)
    length = float(np.linalg.norm(mean))
    return Wanted(match, np.asarray(mean / length, np.float32) if length else None)


def _pushed(parts: Parts, shares: Shares, far: Wanted) -> Shares:
    """The list with what is near to the unwanted papers pushed down, by meaning where it is known."""
    by_meaning = retrieval.meaning_scores(parts.vectors, far, shares.keys)
    if by_meaning is None:
        by_meaning = retrieval.word_scores(parts.words, far.match, shares.keys)
    return fusion.without(shares, by_meaning, UNLIKE_WEIGHT)


def _opened(connection: Connection, directory: Path, encoder_name: str | None) -> Parts | None:
    """The parts of the index; None where library and index are both empty."""
    if not words_made(directory) and not library.count(connection):
        return None
    words = words_at(directory)
    covers_all = words.covered == library.newest_change(connection)
    # Counting millions of rows takes longer than searching them; an index that covers all has counted.
    held = len(words) if covers_all else library.count(connection)
    vectors = vectors_at(directory, encoder_name) if encoder_name else None
    pending = pending_of(connection, vectors, held) if vectors else held
    done = max(0, held - pending)
    meaning = meaning_at(directory, encoder_name) if encoder_name else None
    notices = _notices(encoder_name, done, pending, meaning)
    if not covers_all:
        notices.append("The newest papers are not in the index yet: run `broadsheet index`.")
    return Parts(words, meaning, done, pending, notices)


def _notices(encoder_name: str | None, done: int, pending: int, meaning: Meaning | None) -> list[str]:
    if not done + pending:
        return []
    if encoder_name is None:
        return ["Found by words alone: there is no encoder. `broadsheet encoder add minilm` adds one."]
    if not done:
        return ["Found by words alone: no vectors are made yet. `broadsheet index` makes them."]
    if pending and isinstance(meaning, Mixed):
        old = min(pending, meaning.mapped)
        told = (
            f"{old} of {done + pending} papers are still compared by their vectors of {meaning.old_encoder}."
        )
        rest = pending - old
        return [told, *([f"{rest} papers have no vector yet and are found by words alone."] if rest else [])]
    if pending:
        return [f"{pending} papers have no vector yet and are found by words alone."]
    return []


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MOST_RESULTS:
        raise UsageError(f"The limit must lie between 1 and {MOST_RESULTS}, not {limit}.")


def _restriction(connection: Connection, words: Words, query: Query, request: SearchRequest) -> Restriction:
    """What query and options ask of papers; several categories, and several ids, are alternatives."""
    fields = words.schema
    wanted, categories, ids = _sorted_out(query.required)
    unwanted, unwanted_categories, unwanted_ids = _sorted_out(query.excluded)
    required = [matching.condition(fields, clause) for clause in wanted]
    groups = [group for group in (categories, [*filter(str.strip, request.categories)]) if group]
    required += [matching.in_categories(fields, group) for group in groups]
    required += [_with_ids(connection, words, ids)] if ids else []
    if spaced(request.author):
        required.append(matching.condition(fields, Clause("author", request.author)))
    excluded = [matching.condition(fields, clause) for clause in unwanted]
    excluded += [matching.in_categories(fields, unwanted_categories)] if unwanted_categories else []
    excluded += [_with_ids(connection, words, unwanted_ids)] if unwanted_ids else []
    since = max((day for day in (query.since, request.since) if day), default=None)
    until = min((day for day in (query.until, request.until) if day), default=None)
    check_order(since, until)
    return Restriction(
        tuple(required),
        tuple(excluded),
        since,
        until,
        None if request.within is None else np.array(sorted(request.within), np.int64),
    )


def _sorted_out(clauses: Sequence[Clause]) -> tuple[list[Clause], list[str], list[str]]:
    """Conditions on words and names, categories, and ids."""
    alone = [clause for clause in clauses if clause.field not in ("category", "id")]
    categories = [clause.text for clause in clauses if clause.field == "category"]
    return alone, categories, [clause.text for clause in clauses if clause.field == "id"]


def _with_ids(connection: Connection, words: Words, ids: Sequence[str]) -> Match:
    """The papers that these ids lead to; the library knows the ids of merged records too."""
    keys = library.keys_of(connection, ids).values()
    return matching.with_keys(words.schema, np.array(sorted(keys), np.int64))


def _exact(connection: Connection, words: Words, query: Query, request: SearchRequest) -> Keys:
    """The papers whose id or whole title the text is, among those that the request's options allow.

    The text's own operators do not count here: a title may look like one.
    """
    options = _restriction(connection, words, Query(query.text), request)
    named = matching.any_of(
        [_with_ids(connection, words, query.ids), matching.with_title(words.schema, query.text)]
    )
    return words.keys(matching.restricted(named, options.matches(words), ()))


def _unknown(connection: Connection, query: Query, exact: Keys) -> list[str]:
    """What is said of identifiers that lead nowhere."""
    asked = [clause.text for clause in query.required if clause.field == "id"]
    no_ids = [text for text in asked if identifier(text) is None]
    ids = [text for text in asked if text not in no_ids]
    if ids and library.keys_of(connection, ids):
        ids = []
    if query.ids and not len(exact):
        ids += query.ids
    told = [
        f"id:{text} is no identifier: write an arXiv id, a DOI, pmid:… or a paper's address."
        for text in no_ids
    ]
    return [*told, *([f"Not in the library: {', '.join(dict.fromkeys(ids))}."] if ids else [])]


def _newest(connection: Connection, parts: Parts, restriction: Restriction, limit: int) -> Found:
    """What passes the filters, newest first; the score is the day among those shown."""
    everything = matching.everything(parts.words.schema)
    match = matching.restricted(everything, restriction.matches(parts.words), restriction.excluded)
    keys, days = parts.words.newest(match, 2 * limit + _SPARE)
    order = np.lexsort((keys, -days))
    placed = distinct(connection, keys[order], limit, lambda row, paper: True)
    scores = fusion.minmax(days[order][[place.row for place in placed]].astype(float)).tolist()
    results = [
        RankedPaper(place.paper, score, rank, (_date_reason(score),), tuple(place.also))
        for rank, (place, score) in enumerate(zip(placed, scores, strict=True), 1)
    ]
    total = parts.words.count(match)
    return Found(results, total, parts.done, parts.pending, parts.notices)


def _date_reason(share: float) -> Reason:
    return Reason("date", "newest first", share)


def _results(
    connection: Connection, shares: Shares, limit: int, text: str, restriction: Restriction
) -> list[RankedPaper]:
    """The first papers of a list; passed over are keys that have left the library since, and papers
    whose day has moved out of the days asked for since they were indexed."""

    def allowed(row: int, paper: Paper) -> bool:
        return bool(shares.of("exact")[row]) or restriction.allows(day_of(paper))

    asked = query_words(text)
    scores = shares.scores
    return [
        RankedPaper(
            place.paper,
            float(scores[place.row]),
            rank,
            reasons(shares, place.row, asked, place.paper),
            tuple(place.also),
        )
        for rank, place in enumerate(distinct(connection, shares.keys, limit, allowed), 1)
    ]
