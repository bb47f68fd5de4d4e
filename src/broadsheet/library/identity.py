"""Which records are one work: joining them, keeping twins apart but linked, undoing a wrong merge."""

import orjson

from broadsheet.library.batch import Batch, Record
from broadsheet.library.likeness import Names, alike, relation, scheme
from broadsheet.library.renewal import filled, renewed
from broadsheet.library.rows import as_json
from broadsheet.papers import Paper, fold


def tell_again(batch: Batch, record: Record, paper: Paper) -> bool:
    """Take another telling of a record that is held; whether it changed anything.

    What a newer version replaces, and what an older one says, stands in the record's versions.
    """
    old = record.paper
    changed = record.say(renewed(old, paper))
    if paper.version > old.version:
        changed |= batch.keep_version(record.key, old)
    elif paper.version < old.version and _says_other(paper, old):
        changed |= batch.keep_version(record.key, paper)
    root = batch.root(record.key)
    if root is not record:
        changed |= root.say(filled(root.paper, record.paper))
    return changed


def _says_other(paper: Paper, other: Paper) -> bool:
    return bool(paper.title or paper.abstract) and (
        (fold(paper.title), fold(paper.abstract)) != (fold(other.title), fold(other.abstract))
    )


def join_by_names(batch: Batch, record: Record, names: Names) -> None:
    """Join a record with all that share a name with it, and link it with all it points to."""
    for name in names.own:
        holder = batch.by_name.get(name)
        if holder is not None and holder != record.key:
            join(batch, record, batch.records[holder], f"both are {name}", share_a_name=True)
        if holder is None or name == record.paper.id:
            batch.name(name, record.key)
        for key in sorted(batch.pointing.get(name, ())):
            link(batch, record, batch.records[key], f"names {name}")
    for name in names.pointers:
        batch.point(name, record.key)
        if (holder := batch.by_name.get(name)) is not None:
            link(batch, record, batch.records[holder], f"names {name}")


def join_by_title(batch: Batch, record: Record) -> None:
    """Join a record with those of the same title and authors."""
    key = record.title_key
    if key is None:
        return
    for candidate in sorted(batch.by_title[key]):
        other = batch.records[candidate]
        if candidate != record.key and alike(record.paper, other.paper):
            join(batch, record, other, "same title and authors")
    batch.by_title[key].add(record.key)


def join(batch: Batch, record: Record, other: Record, why: str, share_a_name: bool = False) -> None:
    """Merge or link the works of two records, unless that was undone before."""
    one, two = batch.root(record.key), batch.root(other.key)
    if one is two or _were_parted(batch, one, two):
        return
    if relation(_ids(batch, one), _ids(batch, two), share_a_name) == "twin":
        link(batch, one, two, why)
        return
    stays, goes = sorted((one, two), key=lambda r: (scheme(r.paper.id) == "file", r.key))
    before = stays.paper
    stays.say(filled(before, goes.paper))
    batch.new_merges.append(
        {
            "record_key": goes.key,
            "into_key": stays.key,
            "why": why,
            "merged_at": batch.now,
            "undone_at": None,
            "filled": _difference(before, stays.paper),
        }
    )
    for key in batch.members.pop(goes.key):
        batch.records[key].same_as = stays.key
        batch.records[key].touched = True
        batch.members[stays.key].add(key)


def link(batch: Batch, record: Record, other: Record, why: str) -> None:
    """Note that two works are twins: a preprint and its published version, most often."""
    first, second = sorted((batch.root(record.key).key, batch.root(other.key).key))
    if first != second:
        batch.new_twins.setdefault((first, second), why)


def _were_parted(batch: Batch, one: Record, two: Record) -> bool:
    if not batch.parted:
        return False
    pairs = ((a, b) for a in batch.members[one.key] for b in batch.members[two.key])
    return any(frozenset(pair) in batch.parted for pair in pairs)


def _ids(batch: Batch, root: Record) -> set[str]:
    return {batch.records[key].paper.id for key in batch.members[root.key]}


def _difference(before: Paper, after: Paper) -> str:
    """The columns that a merge filled, with their values before and after, for an undo."""
    old, new = as_json(before), as_json(after)
    return orjson.dumps({name: (old[name], new[name]) for name in old if old[name] != new[name]}).decode()
