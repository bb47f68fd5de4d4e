"""Saved answers of arXiv's query API, in Atom."""

from collections.abc import Iterator

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.arxiv import api
from broadsheet.sources.files.xml_documents import line_of, root_of
from broadsheet.sources.markup import child_text, children


def parse(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    """Each entry's paper; an entry that is an error message is Skipped with what it says."""
    root = root_of(content, path)
    if isinstance(root, Skipped):
        yield root
        return
    for entry in children(root, "entry"):
        line = line_of(entry)
        if api.is_error(entry):
            yield Skipped(path, line, f"an error of arXiv's API: {child_text(entry, 'summary')[:200]}")
            continue
        found = api.arrival(entry)
        if found is None:
            yield Skipped(path, line, f"{child_text(entry, 'id')[:80]!r} is no id of arXiv's")
        else:
            yield Arrival(found.paper, found.announcements, found.signals, None, line)
