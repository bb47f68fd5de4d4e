"""Whether a paper is found by its title, whole or damaged.

    python benchmarks/known_items.py HOME [--papers 2000] [--without-vectors]

HOME has papers and an index. Draws papers by a fixed seed and asks for each by its title, and by its
title with two words left out and one misspelt (of titles with five words or more: a letter of a word
of four or more is left out, doubled, replaced or swapped with the next). Prints as JSON how often the
paper is first, and among the first three; a paper whose title others have too counts where any stands.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sqlalchemy import Connection

from broadsheet.api.home import Home, open_home
from broadsheet.library import papers
from broadsheet.papers import fold
from broadsheet.search.finding import SearchRequest, find

SEED = 0
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--papers", type=int, default=2000)
    parser.add_argument("--without-vectors", action="store_true")
    options = parser.parse_args()
    with open_home(options.home) as home, home.library.read() as connection:
        titles = list(drawn(connection, options.papers))
        encode = not options.without_vectors
        draw = np.random.default_rng(SEED)
        broken = [made for title in titles if (made := damaged(title, draw))]
        report = {
            "papers held": papers.count(connection),
            "whole": shares_of(connection, home, [(title, title) for title in titles], encode),
            "damaged": shares_of(connection, home, broken, encode),
        }
    print(json.dumps(report, indent=1))


def drawn(connection: Connection, count: int) -> Iterator[str]:
    keys = np.array(papers.change_heads(connection).keys)
    chosen = np.random.default_rng(SEED).choice(np.sort(keys), min(count, len(keys)), replace=False)
    for paper in papers.load(connection, chosen.tolist()).values():
        yield paper.title


def damaged(title: str, draw: np.random.Generator) -> tuple[str, str] | None:
    """The damaged title and the whole one; None for a title that is too short to be damaged."""
    words = title.split()
    if len(words) < 5:
        return None
    kept = [words[i] for i in np.sort(draw.choice(len(words), len(words) - 2, replace=False)).tolist()]
    places = [i for i, word in enumerate(kept) if len(word) >= 4 and word.isalpha()]
    if not places:
        return None
    place = int(draw.choice(places))
    kept[place] = misspelt(kept[place], draw)
    return " ".join(kept), title


def misspelt(word: str, draw: np.random.Generator) -> str:
    at = int(draw.integers(0, len(word) - 1))
    made = [
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + str(draw.choice(list(LETTERS))) + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    ]
    return made[int(draw.integers(0, len(made)))]


def shares_of(
    connection: Connection, home: Home, asked: list[tuple[str, str]], encode: bool
) -> dict[str, float]:
    encoder = home.encoder() if encode else None
    ranks = []
    for done, (text, title) in enumerate(asked, 1):
        found = find(connection, home.index_folder, encoder, SearchRequest(text, 10))
        ranks.append(next((r.rank for r in found.results if fold(r.paper.title) == fold(title)), 11))
        if sys.stderr.isatty():
            print(f"\r{done} of {len(asked)}", end="", file=sys.stderr)
    taken = np.array(ranks)
    return {
        "asked": len(ranks),
        "first": round(float((taken == 1).mean()), 4),
        "first three": round(float((taken <= 3).mean()), 4),
    }


if __name__ == "__main__":
    main()
