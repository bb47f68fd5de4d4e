"""What a reader does with papers: save, like, dismiss, open, and take it back."""

from collections.abc import Sequence
from typing import TypedDict

from broadsheet.api import documents
from broadsheet.api.documents import RecordedDocument
from broadsheet.api.home import Home
from broadsheet.library import interactions, papers, readers
from broadsheet.papers import Paper, implied_address
from broadsheet.readers import Interaction, InteractionKind


class RecordDocument(TypedDict):
    recorded: list[RecordedDocument]
    addresses: list[str]


def record(
    home: Home,
    kind: InteractionKind,
    ids: Sequence[str],
    reader_name: str = "me",
    *,
    undo: bool = False,
    surface: str = "api",
) -> RecordDocument:
    """Record that a reader did this with these papers, or takes it back; all of them or none."""
    with home.library.write() as conn:
        reader = readers.named(conn, reader_name)
        found = [papers.find(conn, text)[1] for text in ids]
        if undo:
            done = interactions.undo(conn, reader.id, [paper.id for paper in found], kind, home.now, surface)
        else:
            done = interactions.record(
                conn, [Interaction(reader.id, paper.id, kind, home.now, surface) for paper in found]
            )
    opened = kind == "opened" and not undo
    return {
        "recorded": [documents.recorded(interaction) for interaction in done],
        "addresses": [address(paper) for paper in found] if opened else [],
    }


def address(paper: Paper) -> str:
    """Where a paper is read: its own link, or the one that its identifier implies."""
    return paper.links.abs or implied_address(paper.id) or paper.links.pdf or paper.id
