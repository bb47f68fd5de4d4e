"""Gathering the terms of papers into lists, which follow the library beside the words index.

A term counts each telling of a paper's text, so a paper with a second version counts twice until the
index is made again: suggestions need the order of magnitude, not the number.
"""

import heapq
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from broadsheet.errors import IndexBroken
from broadsheet.papers import Paper
from broadsheet.search.files import is_sound
from broadsheet.search.terms import (
    Entry,
    Kind,
    Terms,
    TermsManifest,
    is_whole,
    line_of,
    read,
    read_manifest,
    same_term,
    together,
    write,
    write_manifest,
)
from broadsheet.search.text import STOP_WORDS, spaced

# Of so many papers, two neighbouring words that only one has are no phrase that anybody looks for.
_MANY_PAPERS = 5_000
_SEVERAL_PAPERS = 3
_LONGEST = 60
_AROUND = ",.;:!?()[]{}<>\"'“”‘’„«»*/|–—-"
_BREAKS = frozenset(",.;:!?)]}–—")
_NO_WORDS = STOP_WORDS | {"via", "using", "toward", "towards", "across", "within", "without", "based"}
_TEX = frozenset("\\$^_{}~")


class TermsWriter:
    """The one writer of an index's terms; who holds the words index's lock may hold it.

    Lists that are broken or of another version are taken away: everything is then counted again.
    """

    def __init__(self, place: Path) -> None:
        self._place = place
        place.mkdir(parents=True, exist_ok=True)
        self._manifest = _whole_manifest(place)
        self._gathered = Gathered()

    @property
    def covered(self) -> int:
        """The library's change number up to which everything is counted."""
        return self._manifest.covered

    def add(self, paper: Paper) -> None:
        self._gathered.add(paper)

    def commit(self, covered: int) -> None:
        """Write what was gathered as one list, as the state of the library at change ``covered``."""
        names = list(self._manifest.lists)
        if self._gathered.papers:
            names.append(_next_name(names))
            write(self._place / names[-1], self._gathered.entries())
            self._gathered = Gathered()
        self._settle(TermsManifest(tuple(names), covered))

    def merge(self) -> None:
        """Merge the last lists where they are of like size, each term rewritten at most log n times."""
        names = list(self._manifest.lists)
        lists = [read(self._place / name) for name in names]
        kept, size = len(lists), 0
        while kept and (not size or len(lists[kept - 1]) <= 2 * size):
            kept -= 1
            size += len(lists[kept])
        if len(lists) - kept < 2:
            return
        merged = _next_name(names)
        write(self._place / merged, _summed(heapq.merge(*(terms.entries() for terms in lists[kept:]))))
        self._settle(replace(self._manifest, lists=(*names[:kept], merged)))

    def _settle(self, manifest: TermsManifest) -> None:
        write_manifest(self._place, manifest)
        self._manifest = manifest
        for path in self._place.iterdir():
            if path.suffix in (".terms", ".new") and path.name not in manifest.lists:
                path.unlink()


def covered_by(place: Path) -> int:
    """The change number that the terms cover; 0 where they are missing or cannot be read."""
    try:
        return Terms.open(place).covered
    except IndexBroken:
        return 0


def remove(place: Path) -> None:
    """Take all terms away; who has them open reads on until closing them."""
    if place.is_dir():
        shutil.rmtree(place)


def _whole_manifest(place: Path) -> TermsManifest:
    try:
        manifest = read_manifest(place)
        if all(is_sound(place / name, lambda path: is_whole(read(path))) for name in manifest.lists):
            return manifest
    except (IndexBroken, FileNotFoundError):
        pass
    return TermsManifest()


def _next_name(names: list[str]) -> str:
    """Behind all names there are, so that no list is ever written over one that a reader has open."""
    numbers = [int(name.partition(".")[0]) for name in names if name.partition(".")[0].isdecimal()]
    return f"{max(numbers, default=0) + 1:08}.terms"


def _summed(entries: Iterable[Entry]) -> Iterator[Entry]:
    held: Entry | None = None
    for entry in entries:
        if held is not None and same_term(held[0], entry[0]):
            held = together(entry, held)
        else:
            if held is not None:
                yield held
            held = entry
    if held is not None:
        yield held


class Gathered:
    """Terms of some papers, counted by the form in which they are printed."""

    def __init__(self) -> None:
        self.papers = 0
        self._words: Counter[str] = Counter()
        self._phrases: Counter[tuple[str, str]] = Counter()
        self._authors: Counter[str] = Counter()
        self._forms: dict[str, str] = {}

    def add(self, paper: Paper) -> None:
        self.papers += 1
        self._authors.update([author.name for author in paper.authors])
        chunks = paper.title.split()
        forms = self._forms
        for chunk in chunks:
            if chunk not in forms:
                forms[chunk] = _form(chunk)
        said = [forms[chunk] for chunk in chunks]
        self._words.update(set(said))
        self._phrases.update(
            [
                pair
                for pair, chunk in zip(pairwise(said), chunks, strict=False)
                if pair[0] and pair[1] and chunk[-1] not in _BREAKS
            ]
        )

    def entries(self) -> list[Entry]:
        """All terms in order of their lines."""
        fewest = 2 if self.papers >= _MANY_PAPERS else 1
        phrases = [(" ".join(pair), count) for pair, count in self._phrases.items() if count >= fewest]
        found = _entries("word", [(spaced(word), word, count) for word, count in self._words.items()])
        found += _entries("phrase", [(spaced(phrase), phrase, count) for phrase, count in phrases])
        found += _entries("author", _author_names(self._authors))
        return sorted(found)


def _form(chunk: str) -> str:
    """A word of a title as it is suggested: plain case unless it has capitals inside; "" for no word."""
    word = chunk.strip(_AROUND)
    folded = spaced(word)
    if len(folded) < 2 or len(word) > _LONGEST or folded in _NO_WORDS or folded.isdigit():
        return ""
    if not _TEX.isdisjoint(word):
        return folded
    is_plain = all(part[1:].islower() or len(part) < 2 for part in word.split("-"))
    return word.lower() if is_plain else word


def _entries(kind: Kind, counted: Iterable[tuple[str, str, int]]) -> list[Entry]:
    """One entry for each folded term (told with its printed form and count), shown as printed most often."""
    best: dict[str, Entry] = {}
    for term, shown, papers in counted:
        entry = line_of(term, kind, shown), papers
        best[term] = together(entry, best[term]) if term in best else entry
    best.pop("", None)
    return list(best.values())


def _author_names(counted: Counter[str]) -> Iterator[tuple[str, str, int]]:
    """Each author with the family name first; who has several papers also as printed."""
    for name, papers in counted.items():
        if len(name) > 2 * _LONGEST:
            continue
        term = spaced(name)
        given, _, family = term.rpartition(" ")
        if not given or "," in name:
            yield term, name, papers
            continue
        yield f"{family} {given}", name, papers
        if papers >= _SEVERAL_PAPERS:
            yield term, name, papers
