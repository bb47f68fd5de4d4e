"""Taking papers in: each arrival is new, changed, merged into a work that is held, or unchanged."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

import orjson
from sqlalchemy import Connection, func, select

from broadsheet.library.batch import Batch
from broadsheet.library.identity import join_by_names, join_by_title, tell_again
from broadsheet.library.likeness import Names, family, names, same_authors, scheme, title_key
from broadsheet.library.rows import among
from broadsheet.library.tables import announced_days, announcements, fingerprints, papers, signals
from broadsheet.papers import Announcement, Arrival, Paper, fold

Outcome = Literal["new", "changed", "merged", "unchanged"]
Said = tuple[int, str, str, date, str]


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of an arrival, and the paper that it now belongs to."""

    outcome: Outcome
    id: str
    key: int


def store(connection: Connection, arrivals: Sequence[Arrival], now: datetime) -> list[Stored]:
    """Store a batch of arrivals (about 1,000 at best); what became of each, in the same order.

    Storing the same arrival again is `unchanged`. `merged` is a second record of a work that is held.
    """
    batch = Batch.begin(connection, now)
    taking = _Taking(batch, arrivals)
    taken = [taking.take(place) for place in range(len(arrivals))]
    batch.write()
    standing = _standing(batch, {key for _, key in taken})
    return [Stored(outcome, standing[key][1], standing[key][0]) for outcome, key in taken]


class _Taking:
    """One batch on its way in."""

    def __init__(self, batch: Batch, arrivals: Sequence[Arrival]) -> None:
        self.batch = batch
        self.arrivals = arrivals
        self.prints = [fingerprint(arrival.paper) for arrival in arrivals]
        self.names = [names(arrival.paper) for arrival in arrivals]
        self.titles = [title_key(arrival.paper.title) for arrival in arrivals]
        self.seen = _seen(batch.connection, self.prints)
        self.held = _announcements_of(batch.connection, self.seen.values())
        batch.load(*self._leads(), keys=self._seen_with_news())
        new_keys = batch.records.keys() - set(self.seen.values())
        self.held |= _announcements_of(batch.connection, new_keys)
        with_signals = any(arrival.signals for arrival in arrivals)
        self.signals = _signals_of(batch.connection, self._known_keys()) if with_signals else set()
        self.taken_in = _newest_days(batch.connection) if any(a.announcements for a in arrivals) else {}

    def take(self, place: int) -> tuple[Outcome, int]:
        """Take one arrival in: what became of it, and its record's key."""
        arrival, print_ = self.arrivals[place], self.prints[place]
        key = self.seen.get(print_)
        outcome: Outcome = "unchanged"
        if key is None:
            key, outcome = self._take_paper(place)
            self.seen[print_] = self.batch.new_fingerprints[print_] = key
        announced, counted = self._take_announcements(key, arrival), self._take_signals(key, arrival)
        return ("changed" if (announced or counted) and outcome == "unchanged" else outcome), key

    def _leads(self) -> tuple[set[str], set[int]]:
        """The names and title keys by which the unseen arrivals may belong to what is held."""
        leads: set[str] = set()
        titles: set[int] = set()
        for place, print_ in enumerate(self.prints):
            if print_ not in self.seen:
                leads.update(*self.names[place])
                if self.arrivals[place].paper.id.startswith("file:"):
                    leads.add(_id_with_authors(self.arrivals[place].paper))
                if (title := self.titles[place]) is not None:
                    titles.add(title)
        return leads, titles

    def _seen_with_news(self) -> set[int]:
        news = set()
        for arrival, print_ in zip(self.arrivals, self.prints, strict=True):
            key = self.seen.get(print_)
            if key is not None and any(_said(key, a) not in self.held for a in arrival.announcements):
                news.add(key)
        return news

    def _known_keys(self) -> set[int]:
        return set(self.seen.values()) | self.batch.records.keys()

    def _take_paper(self, place: int) -> tuple[int, Outcome]:
        batch = self.batch
        paper = self._told_apart(_with_announced_day(self.arrivals[place]))
        holder = batch.by_name.get(paper.id)
        record = None if holder is None else batch.records[holder]
        outcome: Outcome
        if record is None or record.paper.id != paper.id:
            record, outcome = batch.add(paper, self.titles[place]), "new"
        else:
            outcome = "changed" if tell_again(batch, record, paper) else "unchanged"
        join_by_names(batch, record, self._names(place, paper))
        if record.text_touched:
            join_by_title(batch, record)
        if outcome == "new" and len(batch.members[batch.root(record.key).key]) > 1:
            outcome = "merged"
        return record.key, outcome

    def _names(self, place: int, paper: Paper) -> Names:
        told = self.names[place]
        return told if told.own[0] == paper.id else Names((paper.id, *told.own[1:]), told.pointers)

    def _told_apart(self, paper: Paper) -> Paper:
        """Two records without identifier, of one title and no abstract, by other people stay two."""
        holder = self.batch.by_name.get(paper.id)
        if scheme(paper.id) != "file" or holder is None:
            return paper
        held = self.batch.records[holder].paper.authors
        if not held or not paper.authors or same_authors(held, paper.authors):
            return paper
        return replace(paper, id=_id_with_authors(paper))

    def _take_announcements(self, key: int, arrival: Arrival) -> bool:
        before = len(self.held)
        for announcement in arrival.announcements:
            said = _said(key, announcement)
            if said in self.held:
                continue
            self.held.add(said)
            newest = self.taken_in.get((announcement.source, announcement.category))
            self.batch.new_announcements.append(
                {
                    "paper_key": key,
                    "source": announcement.source,
                    "category": announcement.category,
                    "day": announcement.day,
                    "kind": announcement.kind,
                    "version": announcement.version,
                    "seen_at": announcement.seen_at,
                    "late": newest is not None and newest > announcement.day,
                }
            )
            if announcement.kind == "new":
                self._announce(key, announcement.day)
        return len(self.held) > before

    def _announce(self, key: int, day: date) -> None:
        for record in (self.batch.records[key], self.batch.root(key)):
            if record.paper.announced is None or day < record.paper.announced:
                record.say(replace(record.paper, announced=day))

    def _take_signals(self, key: int, arrival: Arrival) -> bool:
        before = len(self.signals)
        for signal in arrival.signals:
            observed = (key, signal.name, signal.observed_at)
            if observed not in self.signals:
                self.signals.add(observed)
                self.batch.new_signals.append(
                    {
                        "paper_key": key,
                        "name": signal.name,
                        "observed_at": signal.observed_at,
                        "value": signal.value,
                    }
                )
        return len(self.signals) > before


def _with_announced_day(arrival: Arrival) -> Paper:
    """The paper with the earliest of its announcements of kind new for its day, whatever it says."""
    paper = arrival.paper
    earliest = min((a.day for a in arrival.announcements if a.kind == "new"), default=None)
    return paper if paper.announced == earliest else replace(paper, announced=earliest)


def fingerprint(paper: Paper) -> int:
    """A number that only this telling of a paper has; a telling that was taken in is never news again."""
    return int.from_bytes(hashlib.blake2b(orjson.dumps(paper), digest_size=8).digest(), "big", signed=True)


def _id_with_authors(paper: Paper) -> str:
    told = "\n".join((fold(paper.title), fold(paper.abstract), *map(family, paper.authors)))
    return f"file:{hashlib.sha256(told.encode()).hexdigest()[:16]}"


def _said(key: int, announcement: Announcement) -> Said:
    return (key, announcement.source, announcement.category, announcement.day, announcement.kind)


def _seen(connection: Connection, prints: Iterable[int]) -> dict[int, int]:
    statement = select(fingerprints.c.fingerprint, fingerprints.c.paper_key)
    found = among(connection, statement, fingerprints.c.fingerprint, prints)
    return {print_: key for print_, key in found}


def _announcements_of(connection: Connection, keys: Iterable[int]) -> set[Said]:
    a = announcements.c
    statement = select(a.paper_key, a.source, a.category, a.day, a.kind)
    return {tuple(row) for row in among(connection, statement, a.paper_key, keys)}


def _signals_of(connection: Connection, keys: Iterable[int]) -> set[tuple[int, str, datetime]]:
    s = signals.c
    statement = select(s.paper_key, s.name, s.observed_at)
    return {tuple(row) for row in among(connection, statement, s.paper_key, keys)}


def _newest_days(connection: Connection) -> dict[tuple[str, str], date]:
    """For each source and category the newest day whose announcement was taken in."""
    d = announced_days.c
    statement = select(d.source, d.category, func.max(d.day)).where(d.taken_in_at.is_not(None))
    found = connection.execute(statement.group_by(d.source, d.category))
    return {(source, category): day for source, category, day in found}


def _standing(batch: Batch, keys: set[int]) -> dict[int, tuple[int, str]]:
    """The key and id of the paper that each record belongs to now."""
    root = papers.alias()
    statement = select(
        papers.c.key, func.coalesce(root.c.key, papers.c.key), func.coalesce(root.c.id, papers.c.id)
    ).outerjoin_from(papers, root, papers.c.same_as == root.c.key)
    unloaded = keys - batch.records.keys()
    standing = {
        record: (key, id_) for record, key, id_ in among(batch.connection, statement, papers.c.key, unloaded)
    }
    for key in keys & batch.records.keys():
        found = batch.root(key)
        standing[key] = (found.key, found.paper.id)
    return standing
