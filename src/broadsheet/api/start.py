"""The first morning: encoder, papers, index, each step saying in a line what it did or could not do."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from broadsheet.api import adding, days, encoders
from broadsheet.api.home import Home
from broadsheet.errors import BroadsheetError
from broadsheet.library import papers

# A first page should not wait for minutes on a source that cannot be reached.
_PATIENCE_SECONDS = 10.0


def take_in(home: Home, paths: Sequence[Path], progress: Callable[[int, int | None], None]) -> Iterator[str]:
    """Do what a first page needs and yield a sentence for each step."""
    yield from _encoder(home)
    if paths:
        document = adding.add(home, paths, None, None, progress)
        yield f"Read {document['read']:,} records from {', '.join(map(str, paths))}."
        yield from document["notices"]
    else:
        yield from _harvest_or_sample(home, progress)
    made = adding.index(home, None, False, progress)
    yield f"Indexed {made['papers']:,} papers, {made['vectors']:,} with vectors."


def _encoder(home: Home) -> Iterator[str]:
    if home.encoder_name is not None:
        return
    try:
        encoders.add(home, "minilm", None)
        yield "The encoder minilm is ready: search and ranking go by meaning and by words."
    except BroadsheetError as error:
        yield f"No encoder, so everything goes by words alone: {error.message} {error.next_step}"


def _harvest_or_sample(home: Home, progress: Callable[[int, int | None], None]) -> Iterator[str]:
    document = days.harvest(home, days.Asked(patience_seconds=_PATIENCE_SECONDS), progress)
    yield from document["notices"]
    with home.library.read() as conn:
        held = papers.count(conn)
    if held:
        yield f"{held:,} papers are held."
        return
    read = adding.add_sample(home)
    yield f"No source could be reached, so this shows the packaged sample of {read} papers."
