"""Formats of one tag a line: the lines of each record, whatever stands between and around them."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Tagged:
    """One record: its values by tag in order, and the line on which it starts."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def first(self, *tags: str) -> str:
        """The first value of the first of these tags that has one, or the empty string."""
        return next((one for tag in tags for one in self.values.get(tag, ()) if one), "")

    def every(self, *tags: str) -> list[str]:
        """All values of these tags, tag by tag."""
        return [one for tag in tags for one in self.values.get(tag, ()) if one]


@dataclass(frozen=True, slots=True)
class Layout:
    """How a format's lines look.

    ``tag`` matches a line's tag and value; a record begins at ``begins`` and ends at ``ends`` (either
    may be missing in a file); ``once`` are tags that no record has twice; ``goes_on`` matches a line that
    continues the value before it.
    """

    tag: re.Pattern[str]
    begins: str
    ends: str
    once: frozenset[str]
    goes_on: re.Pattern[str]


def records(text: str, path: str, layout: Layout) -> Iterator[Tagged]:
    """The records of a file; lines that belong to none are warned of and left out."""
    record: Tagged | None = None
    last: list[str] | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        found = layout.tag.match(line)
        if found is None:
            if line.strip():
                last = _untagged(line, number, path, layout, last)
            continue
        tag, value = found[1], found[2].strip()
        if record is not None and _is_next(tag, record, layout):
            yield record
            record = None
        if tag == layout.ends:
            last = None
            continue
        if record is None:
            record = Tagged(number)
        last = record.values.setdefault(tag, [])
        last.append(value)
    if record is not None:
        yield record


def _is_next(tag: str, record: Tagged, layout: Layout) -> bool:
    if tag in (layout.begins, layout.ends):
        return True
    return tag in layout.once and tag in record.values


def _untagged(line: str, number: int, path: str, layout: Layout, last: list[str] | None) -> list[str] | None:
    """Join a continued line to the value before it, or warn of a stray one."""
    if last and layout.goes_on.match(line):
        last[-1] = f"{last[-1]} {line.strip()}".strip()
        return last
    logger.warning("%s, line %s: stray text is left out: %.60s", path, number, line.strip())
    return None
