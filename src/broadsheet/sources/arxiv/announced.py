"""What arXiv says that it announced: the entries of one category's batch for one day, with its counts."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from broadsheet.papers import AnnouncementKind, KindCounts, Paper

CATCHUP_DAYS = 90


@dataclass(frozen=True, slots=True)
class AnnouncedEntry:
    """One paper in a batch. ``position`` counts from 1 in the order of the page; ``paper`` is given only
    by routes that send title, authors and abstract."""

    id: str
    version: int | None
    kind: AnnouncementKind
    position: int
    paper: Paper | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What one route says of a category and day.

    ``counts`` are the numbers that arXiv itself prints, None where the route prints none by kind;
    ``total`` is the sum that it prints. An entry of a replacement whose primary category lies outside
    the batch's is ``replace-cross``, though the printed count holds both. ``notes`` are for the report.
    """

    category: str
    day: date
    entries: tuple[AnnouncedEntry, ...]
    counts: KindCounts | None = None
    total: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def seen(self) -> KindCounts:
        """How many entries of each kind this batch holds."""
        return count(entry.kind for entry in self.entries)


def count(kinds: Iterable[AnnouncementKind]) -> KindCounts:
    """How many of each kind; featuring is not arXiv's and is not counted."""
    tally = Counter(kinds)
    return KindCounts(tally["new"], tally["cross"], tally["replace"], tally["replace-cross"])


def is_within(primary: str, category: str) -> bool:
    """Whether a primary category belongs to a listing's category or archive."""
    return primary == category or primary.startswith(f"{category}.")


def numbered(entries: Iterable[AnnouncedEntry]) -> tuple[AnnouncedEntry, ...]:
    """Entries in their order with each (paper, kind) once, positions counted anew from 1."""
    kept: dict[tuple[str, str], AnnouncedEntry] = {}
    for entry in entries:
        kept.setdefault((entry.id, entry.kind), entry)
    return tuple(
        AnnouncedEntry(entry.id, entry.version, entry.kind, position, entry.paper)
        for position, entry in enumerate(kept.values(), 1)
    )
