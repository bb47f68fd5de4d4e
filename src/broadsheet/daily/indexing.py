"""Bringing the index up to the library: words at once, vectors in portions, one indexer at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import Busy, IndexBroken
from broadsheet.library.database import Library
from broadsheet.ranking import background
from broadsheet.search import index, opening, words
from broadsheet.search.encoders import Encoder

# A transaction on SQLite that stays open keeps the log growing: vectors are made a portion a transaction.
PORTION = 2_048
_ROUNDS = 100

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the derived state lies and which encoder makes vectors (None: words alone)."""

    folder: Path
    encoder: Encoder | None


def update_words(library: Library, folder: Path) -> list[str]:
    """Make every stored paper findable by words; notices when another process is at it or a file was broken.

    Papers that arrive meanwhile are followed too, as long as they come in bounded number.
    """
    try:
        _follow(library, folder)
    except Busy:
        return ["Another process is indexing; it will take these papers in, or 'broadsheet index' will."]
    except IndexBroken as broken:
        with library.read() as conn:
            index.update_words(conn, folder, rebuild=True)
        return [f"The words index was made anew: {broken.message}"]
    return []


def _follow(library: Library, folder: Path) -> None:
    for _ in range(_ROUNDS):
        with library.read() as conn:
            if not index.update_words(conn, folder):
                return


def make_vectors(
    library: Library,
    place: Place,
    limit: int | None,
    progress: Progress,
    keep_going: Callable[[], bool] = lambda: True,
) -> list[str]:
    """Make up to ``limit`` missing vectors (None: all), newest papers first, a portion a transaction."""
    if place.encoder is None:
        return []
    made, pending, notices = 0, 0, []
    left: index.Backlog | None = None
    try:
        while keep_going():
            wanted = PORTION if limit is None else min(PORTION, limit - made)
            if wanted <= 0:
                break
            with library.read() as conn:
                done = index.make_vectors(
                    conn, place.folder, place.encoder, wanted, _offset(progress, made), left
                )
            left = done.left
            made += done.made
            notices += [f"The broken vectors file {name} was made again." for name in done.dropped]
            pending = done.pending
            if not done.made or not pending:
                break
    except Busy:
        return [*notices, "Another process is making vectors; it goes on with these papers."]
    if pending:
        notices.append(f"{pending:,} papers have no vector yet: 'broadsheet index' makes them, or 'serve'.")
    return notices


def update_word_state(library: Library, folder: Path) -> None:
    """Count words for ranking anew where the library has grown enough since."""
    with library.read() as conn:
        background.refresh_word_state(conn, folder)


def remove(folder: Path, encoder_name: str | None) -> None:
    """Take the derived state away, so that it is made anew from the library."""
    words.remove(opening.words_folder(folder))
    if encoder_name is not None:
        index.remove_vectors(folder, encoder_name)


def _offset(progress: Progress, before: int) -> Callable[[int, int], None]:
    return lambda done, total: progress(before + done, None)
