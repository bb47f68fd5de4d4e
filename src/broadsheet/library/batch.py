"""The part of the library that one batch of arrivals touches, held in memory while it is decided on.

A few statements load it, a few write it back, whatever the number of arrivals.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, Update, bindparam, func, select, update

from broadsheet.library import dialects
from broadsheet.library.counting import next_numbers
from broadsheet.library.likeness import title_key
from broadsheet.library.rows import PAPER_COLUMNS, among, columns_of, paper_of
from broadsheet.library.tables import (
    announcements,
    fingerprints,
    identifiers,
    merges,
    papers,
    pointers,
    signals,
    twins,
    versions,
)
from broadsheet.papers import Paper

Columns = dict[str, object]


@dataclass(slots=True)
class Record:
    """A row of papers while it is decided on."""

    key: int
    paper: Paper
    title_key: int | None
    same_as: int | None = None
    fresh: bool = False
    touched: bool = False
    text_touched: bool = False

    def say(self, paper: Paper) -> bool:
        """Take another telling for the record's own; whether that changed anything."""
        if paper == self.paper:
            return False
        self.touched = True
        self.text_touched |= (paper.title, paper.abstract) != (self.paper.title, self.paper.abstract)
        if paper.title != self.paper.title:
            self.title_key = title_key(paper.title)
        self.paper = paper
        return True


@dataclass(slots=True)
class Batch:
    """Records by key, who is named what, and the rows that wait to be written."""

    connection: Connection
    now: datetime
    next_key: int
    records: dict[int, Record] = field(default_factory=dict)
    members: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    by_name: dict[str, int] = field(default_factory=dict)
    pointing: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    by_title: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    parted: set[frozenset[int]] = field(default_factory=set)
    told_versions: set[tuple[int, int]] = field(default_factory=set)
    new_names: dict[str, int] = field(default_factory=dict)
    new_pointers: set[tuple[str, int]] = field(default_factory=set)
    new_twins: dict[tuple[int, int], str] = field(default_factory=dict)
    new_merges: list[Columns] = field(default_factory=list)
    new_versions: list[Columns] = field(default_factory=list)
    new_fingerprints: dict[int, int] = field(default_factory=dict)
    new_announcements: list[Columns] = field(default_factory=list)
    new_signals: list[Columns] = field(default_factory=list)

    @classmethod
    def begin(cls, connection: Connection, now: datetime) -> "Batch":
        """An empty batch, under the lock that lets one transaction at a time write papers."""
        dialects.lock_writing(connection)
        highest = connection.execute(select(func.max(papers.c.key))).scalar() or 0
        batch = cls(connection, now, highest + 1)
        undone = select(merges.c.record_key, merges.c.into_key).where(merges.c.undone_at.is_not(None))
        batch.parted = {frozenset((one, other)) for one, other in connection.execute(undone)}
        return batch

    def load(self, names: Iterable[str], titles: Iterable[int], keys: Iterable[int]) -> None:
        """Load every record that one of the names, titles or keys leads to, with its whole work."""
        names, wanted = set(names), set(keys)
        statement = select(identifiers.c.identifier, identifiers.c.paper_key)
        for name, key in among(self.connection, statement, identifiers.c.identifier, names):
            self.by_name[name] = key
            wanted.add(key)
        statement = select(pointers.c.identifier, pointers.c.paper_key)
        for name, key in among(self.connection, statement, pointers.c.identifier, names):
            self.pointing[name].add(key)
            wanted.add(key)
        by_title = select(papers.c.title_key, papers.c.key)
        for title, key in among(self.connection, by_title, papers.c.title_key, titles):
            self.by_title[title].add(key)
            wanted.add(key)
        self._load_works(wanted)

    def _load_works(self, keys: set[int]) -> None:
        roots = {same_as or key for key, same_as in self._heads(keys)}
        statement = select(*PAPER_COLUMNS, papers.c.title_key, papers.c.same_as)
        for column in (papers.c.key, papers.c.same_as):
            for row in among(self.connection, statement, column, roots):
                record = Record(row.key, paper_of(row), row.title_key, row.same_as)
                self.records[record.key] = record
                self.members[record.same_as or record.key].add(record.key)
        told = select(versions.c.paper_key, versions.c.version)
        for key, version in among(self.connection, told, versions.c.paper_key, list(self.records)):
            self.told_versions.add((key, version))

    def _heads(self, keys: Iterable[int]) -> list[tuple[int, int | None]]:
        found = among(self.connection, select(papers.c.key, papers.c.same_as), papers.c.key, keys)
        return [(key, same_as) for key, same_as in found]

    def add(self, paper: Paper, title: int | None) -> Record:
        """A new record with its title key, its own work until it is joined to another."""
        record = Record(self.next_key, paper, title, fresh=True, touched=True, text_touched=True)
        self.next_key += 1
        self.records[record.key] = record
        self.members[record.key].add(record.key)
        return record

    def root(self, key: int) -> Record:
        """The record that stands for the work of a record."""
        record = self.records[key]
        return record if record.same_as is None else self.records[record.same_as]

    def name(self, identifier: str, key: int) -> None:
        """Let an identifier lead to a record."""
        if self.by_name.get(identifier) != key:
            self.by_name[identifier] = self.new_names[identifier] = key

    def point(self, identifier: str, key: int) -> None:
        """Note that a record names a relative, which may come later."""
        if key not in self.pointing[identifier]:
            self.pointing[identifier].add(key)
            self.new_pointers.add((identifier, key))

    def keep_version(self, key: int, paper: Paper) -> bool:
        """Put a version into the record's history; whether it was not there yet."""
        if (key, paper.version) in self.told_versions:
            return False
        self.told_versions.add((key, paper.version))
        self.new_versions.append(
            {
                "paper_key": key,
                "version": paper.version,
                "submitted": version_day(paper),
                "title": paper.title,
                "abstract": paper.abstract,
                "comment": paper.comment,
                "withdrawn": paper.withdrawn,
            }
        )
        return True

    def write(self) -> None:
        """Write all that waits, each kind in one go."""
        self._write_papers()
        self._write_names()
        insert_missing = dialects.insert_missing
        insert_missing(self.connection, versions, self.new_versions)
        insert_missing(
            self.connection,
            twins,
            [{"first_key": a, "second_key": b, "why": why} for (a, b), why in self.new_twins.items()],
        )
        insert_missing(self.connection, merges, self.new_merges)
        insert_missing(self.connection, announcements, self.new_announcements)
        insert_missing(self.connection, signals, self.new_signals)
        insert_missing(
            self.connection,
            fingerprints,
            [{"fingerprint": f, "paper_key": key} for f, key in self.new_fingerprints.items()],
        )

    def _write_papers(self) -> None:
        touched = [record for record in self.records.values() if record.touched]
        changes = next_numbers(self.connection, "change", len(touched))
        fresh: list[Columns] = []
        spoken: list[Columns] = []
        moved: list[Columns] = []
        for record, change in zip(touched, changes, strict=True):
            columns = self._columns(record, change)
            if record.fresh:
                fresh.append({**columns, "key": record.key, "text_change": change, "added_at": self.now})
            elif record.text_touched:
                spoken.append({**columns, "row_key": record.key, "text_change": change})
            else:
                moved.append({**columns, "row_key": record.key})
        dialects.insert_new(self.connection, papers, fresh)
        for rows in (spoken, moved):
            if rows:
                self.connection.execute(_rewriting(rows[0]), rows)

    def _columns(self, record: Record, change: int) -> Columns:
        return {
            **columns_of(record.paper),
            "same_as": record.same_as,
            "change": change,
            "title_key": record.title_key,
        }

    def _write_names(self) -> None:
        if self.new_names:
            rows = [{"identifier": name, "paper_key": key} for name, key in self.new_names.items()]
            dialects.insert_or_replace(self.connection, identifiers, rows, "paper_key")
        named = [{"identifier": name, "paper_key": key} for name, key in sorted(self.new_pointers)]
        dialects.insert_missing(self.connection, pointers, named)


def _rewriting(columns: Columns) -> Update:
    names = [name for name in columns if name != "row_key"]
    return (
        update(papers)
        .where(papers.c.key == bindparam("row_key"))
        .values({name: bindparam(name) for name in names})
    )


def version_day(paper: Paper) -> datetime | None:
    """When a paper's version was submitted, as far as its dates tell."""
    return paper.updated or paper.submitted if paper.version > 1 else paper.submitted
