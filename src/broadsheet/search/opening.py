"""The index kept open between searches, as long as the files that name its state stay the same.

Opening costs more than searching. Words and vectors are snapshots which any number of threads may read;
a writer's next state is another snapshot, opened by the first search that meets it.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from broadsheet.search import mapping, terms, words
from broadsheet.search.files import Stamp, stamp_of
from broadsheet.search.manifests import MANIFEST, folder_of
from broadsheet.search.mapping import Map
from broadsheet.search.mixed import Meaning, Mixed
from broadsheet.search.terms import Terms
from broadsheet.search.vectors import Vectors
from broadsheet.search.words import Words

T = TypeVar("T")
State = tuple[Stamp | None, ...]

_PLACES = 4


class _Kept(Generic[T]):
    """What was opened last at each of a few places, with the state it was opened in."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Path, tuple[State, T]] = OrderedDict()

    def get(self, place: Path, naming: tuple[Path, ...], opened: Callable[[], T]) -> T:
        """What ``opened`` gives, or gave when the naming files were the same."""
        # Looked at before opening: what changes in between is newer than its name, and opened again.
        state = tuple(map(_stamp, naming))
        with self._lock:
            held = self._held.get(place)
            if held is None or held[0] != state:
                held = (state, opened())
                self._held[place] = held
            self._held.move_to_end(place)
            if len(self._held) > _PLACES:
                self._held.popitem(last=False)
            return held[1]


_words: _Kept[Words] = _Kept()
_vectors: _Kept[Vectors] = _Kept()
_maps: _Kept[Map] = _Kept()
_rests: _Kept["_Rest"] = _Kept()
_terms: _Kept[Terms] = _Kept()


def _stamp(path: Path) -> Stamp | None:
    try:
        return stamp_of(path)
    except FileNotFoundError:
        return None


def words_folder(directory: Path) -> Path:
    return directory / "words"


def words_made(directory: Path) -> bool:
    return words.is_made(words_folder(directory))


def words_at(directory: Path) -> Words:
    """The words index under an index directory; raises IndexBroken where there is none."""
    place = words_folder(directory)
    return _words.get(place, words.naming(place), lambda: Words.open(place))


def vectors_at(directory: Path, encoder_name: str) -> Vectors | None:
    """An encoder's vectors, None where none were ever made; raises IndexBroken for damaged ones."""
    place = folder_of(directory, encoder_name)
    if not (place / MANIFEST).is_file():
        return None
    return _vectors.get(place, (place / MANIFEST,), lambda: Vectors.open(directory, encoder_name))


def meaning_at(directory: Path, encoder_name: str) -> Meaning | None:
    """An encoder's vectors, and while some are missing those of the encoder before it through their map.

    None where none were ever made. Raises IndexBroken for damaged ones, and for a map between others.
    """
    new = vectors_at(directory, encoder_name)
    place = mapping.place_of(directory, encoder_name)
    if new is None or (new.manifest.through and not new.manifest.pending) or not place.is_file():
        return new
    learned = _maps.get(place, (place,), lambda: mapping.read(place))
    old = vectors_at(directory, learned.ends.old)
    if old is None:
        return new
    return Mixed(new, _rest(directory, (encoder_name, new), (learned.ends.old, old)), learned)


@dataclass(slots=True)
class _Rest:
    """Old vectors of papers without a new one, as they were when there were so many new ones."""

    of: int
    vectors: Vectors


def _rest(directory: Path, new: tuple[str, Vectors], old: tuple[str, Vectors]) -> Vectors:
    """Old vectors but for those of papers with a new one. New ones come by the hundred, and setting
    millions aside takes a second, so this follows them in steps of a hundredth."""
    manifest = folder_of(directory, old[0]) / MANIFEST
    place = folder_of(directory, new[0]) / "rest"
    count = len(new[1])
    kept = _rests.get(place, (manifest,), lambda: _Rest(count, old[1].without(new[1].held())))
    if not kept.of <= count <= 1.01 * kept.of:
        kept.of, kept.vectors = count, old[1].without(new[1].held())
    return kept.vectors


def terms_folder(directory: Path) -> Path:
    return directory / "terms"


def terms_at(directory: Path) -> Terms | None:
    """The terms under an index directory, None where none were gathered yet; raises IndexBroken."""
    place = terms_folder(directory)
    if not (place / terms.MANIFEST).is_file():
        return None
    return _terms.get(place, (place / terms.MANIFEST,), lambda: Terms.open(place))
