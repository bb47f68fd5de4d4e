"""Changing the encoder: the two are compared on papers that have vectors of both, before it is done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from broadsheet.errors import EncoderError
from broadsheet.library import papers
from broadsheet.library.database import Library
from broadsheet.search import index, mapping
from broadsheet.search.encoders import Encoder
from broadsheet.search.index import Backlog
from broadsheet.search.mapping import LEAST_FOUND, LEAST_PAIRS, PAIRS, Ends, Map, Titles
from broadsheet.search.opening import vectors_at
from broadsheet.search.vectors import Vectors

Keys = NDArray[np.int64]
Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Change:
    """From which encoders to which: ``load`` gives one of the ``others`` by its name."""

    encoder: Encoder
    others: Sequence[str]
    load: Callable[[str], Encoder]
    pairs: int = PAIRS


def prepare(library: Library, folder: Path, change: Change, progress: Progress) -> Map | None:
    """Make ready for an encoder: encode some papers anew, learn the map from old vectors, keep it.

    None where no map is needed: no other vectors serve papers that this encoder has none of. Raises
    EncoderError, telling the figures, where old vectors would not do beside new ones, and Busy while
    another process makes vectors with this encoder.
    """
    place = mapping.place_of(folder, change.encoder.name)
    with library.read() as conn:
        found = _old(conn, folder, change)
        if found is None:
            place.unlink(missing_ok=True)
            return None
        old_name, old, left = found
        count = _wanted(folder, change, old, left)
        made = index.make_vectors(conn, folder, change.encoder, count, progress, left)
        if not made.pending:
            place.unlink(missing_ok=True)
            return None
        learned = _learned(conn, folder, change, old_name)
    if not learned.measured.will_do:
        raise EncoderError(
            f"Vectors of {old_name} would not do beside those of {change.encoder.name}: {_told(learned)}",
            f"Make all vectors first with `broadsheet index --encoder {change.encoder.name}`, or change at "
            "once with --anyway: papers without a new vector are then found by words alone.",
        )
    mapping.save(place, learned)
    return learned


def forgo(folder: Path, encoder_name: str) -> None:
    """Do without old vectors: no map leads to this encoder's."""
    mapping.place_of(folder, encoder_name).unlink(missing_ok=True)


def _old(conn: Connection, folder: Path, change: Change) -> tuple[str, Vectors, Backlog] | None:
    """The other encoder whose vectors stand for most of those that are missing, and what is missing,
    its papers first; None where there is none or little is missing."""
    names = [name for name in change.others if name != change.encoder.name]
    others = {name: held for name in names if (held := vectors_at(folder, name))}
    if not others:
        return None
    left = index.make_vectors(conn, folder, change.encoder, 0).left
    keys = left.missing[:, 0]
    stands = {name: held.dated(keys)[0] for name, held in others.items()}
    best = max(sorted(stands), key=lambda name: int(stands[name].sum()))
    if not stands[best].any():
        return None
    order = np.argsort(~stands[best], kind="stable")
    return best, others[best], replace(left, missing=left.missing[order])


def _wanted(folder: Path, change: Change, old: Vectors, left: Backlog) -> int:
    """How many vectors to make so that there are enough pairs; all, where no more are missing."""
    new = vectors_at(folder, change.encoder.name)
    have = len(_pairs(new, old)) if new else 0
    return max(0, min(len(left.missing), change.pairs - have))


def _pairs(new: Vectors, old: Vectors) -> Keys:
    """The papers with vectors of the same text in both, newest day first."""
    keys = new.held()
    _, changes, days = new.dated(keys)
    there, old_changes, _ = old.dated(keys)
    both = np.flatnonzero(there & (changes == old_changes))
    return keys[both[np.lexsort((keys[both], -days[both]))]]


def _learned(conn: Connection, folder: Path, change: Change, old_name: str) -> Map:
    new, old = vectors_at(folder, change.encoder.name), vectors_at(folder, old_name)
    keys = np.empty(0, np.int64) if new is None or old is None else _pairs(new, old)[: change.pairs]
    if new is None or old is None or len(keys) < LEAST_PAIRS:
        raise EncoderError(
            f"Only {len(keys)} papers have vectors of {old_name} and {change.encoder.name} of the same text.",
            f"Make all vectors first: `broadsheet index --encoder {change.encoder.name}`.",
        )
    old_encoder = change.load(old_name)
    if old_encoder.model != old.manifest.model:
        raise EncoderError(
            f"The vectors of {old_name} were made by another model than {old_name} is now.",
            "Change with --anyway: papers without a new vector are then found by words alone.",
        )
    aside, _ = mapping.kept_aside(len(keys))
    held = papers.load(conn, keys[aside].tolist())
    titles = [held[key].title if key in held else "" for key in keys[aside].tolist()]
    return mapping.learn(
        Ends(old_name, old.manifest.model, change.encoder.name, new.manifest.model),
        old.rows(keys)[0],
        new.rows(keys)[0],
        Titles(change.encoder.encode_queries(titles), old_encoder.encode_queries(titles)),
    )


def _told(learned: Map) -> str:
    m = learned.measured
    return (
        f"the titles of {m.kept_aside} papers kept aside find their papers at a mean reciprocal rank of "
        f"{m.found_by_new:.3f} by new vectors, {m.found_by_old:.3f} with half of them old and "
        f"{m.found_by_map:.3f} with half of them mapped; at least {LEAST_FOUND:.0%} of the first is asked."
    )
