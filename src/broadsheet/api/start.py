"""The first morning: encoder, papers, index, each step saying in a line what it did or could not do."""

from collections.abc import Callable, Sequence
from pathlib import Path

from broadsheet.api import adding, days, encoders
from broadsheet.api.adding import AddDocument, Progress
from broadsheet.api.home import Home
from broadsheet.errors import BroadsheetError
from broadsheet.library import papers

# A first page should not wait for minutes on a source that cannot be reached.
_PATIENCE_SECONDS = 10.0


def take_in(home: Home, paths: Sequence[Path], progress: Progress, say: Callable[[str], None]) -> int:
    """Do what a first page needs, with a sentence for each step; the exit code as ``add`` has it.

    Raises BroadsheetError where files are named and nothing of them could be read.
    """
    _obtain_encoder(home, say)
    exit_code = 0
    if paths:
        document = adding.add(home, paths, None, None, progress)
        exit_code = adding.add_exit_code(document)
        _say_what_was_read(document, paths, say)
    else:
        _harvest_or_sample(home, progress, say)
    made = adding.index(home, None, False, progress)
    say(f"Indexed {made['papers']:,} papers, {made['vectors']:,} with vectors.")
    return exit_code


def _say_what_was_read(document: AddDocument, paths: Sequence[Path], say: Callable[[str], None]) -> None:
    named = ", ".join(map(str, paths))
    for line in adding.skipped_lines(document):
        say(line)
    if adding.add_exit_code(document) == 1:
        raise BroadsheetError(f"Nothing could be read from {named}.", "Name files of papers that are there.")
    taken = document["read"] - len(document["skipped"])
    say(f"Took in {taken:,} of {document['read']:,} records from {named}.")
    for notice in document["notices"]:
        say(notice)


def _obtain_encoder(home: Home, say: Callable[[str], None]) -> None:
    if home.encoder_name is not None:
        return
    say("Obtaining the encoder (some 80 MB, once) …")
    try:
        encoders.add(home, "minilm")
        say("The encoder minilm is ready: search and ranking go by meaning and by words.")
    except BroadsheetError as error:
        say(f"No encoder, so everything goes by words alone: {error.message} {error.next_step}")


def _harvest_or_sample(home: Home, progress: Progress, say: Callable[[str], None]) -> None:
    document = days.harvest(home, days.Asked(patience_seconds=_PATIENCE_SECONDS), progress)
    for notice in document["notices"]:
        say(notice)
    with home.library.read() as conn:
        held = papers.count(conn)
    if held:
        say(f"{held:,} papers are held.")
        return
    read = adding.add_sample(home)
    say(f"No source could be reached, so this shows the packaged sample of {read} papers.")
