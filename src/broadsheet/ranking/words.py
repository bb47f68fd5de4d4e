"""Papers as weighted words: the vocabulary, and TF-IDF rows of unit length.

The weights are those of Salton and Buckley (1988): the logarithm of the count times the inverse
document frequency, rows normalised. Stop words, words in fewer than five papers or in more than a tenth of
them are left out. In libraries under 1,000 papers a rarer word counts, and in those under 500 a more
common one: up to 50 papers, or half of them. At most 20,000 words are kept.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from broadsheet.papers import Paper
from broadsheet.search.text import STOP_WORDS

_WORD = re.compile(r"[^\W\d_][^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")

MOST_WORDS = 20_000
RAREST = 5
COMMONEST = 0.1
MANY = 50
HANDFUL = 10


def text_of(paper: Paper) -> str:
    """What is read of a paper: its title and its abstract."""
    return f"{paper.title}. {paper.abstract}"


def words_of(text: str) -> list[str]:
    """The words of a text, lower case and without accents; numbers and single signs are no words.

    >>> words_of("Lévy flights and Lyman-α at 10kpc: a re-analysis")
    ['levy', 'flights', 'and', 'lyman', 'at', 'kpc', 're', 'analysis']
    """
    if not text.isascii():
        text = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return _WORD.findall(text.lower())


class DocumentCounts:
    """In how many papers each word stands; texts are added one by one, in bounded memory."""

    def __init__(self) -> None:
        self.papers = 0
        self._counts: Counter[str] = Counter()

    def add(self, words: Iterable[str]) -> None:
        """Count one paper's words."""
        self.papers += 1
        self._counts.update(set(words))

    def vocabulary(self) -> "Vocabulary":
        """The words kept, by the alphabet; where there are too many, the most widespread."""
        rarest = min(RAREST, max(1, self.papers // 200))
        commonest = max(COMMONEST * self.papers, min(self.papers / 2, MANY))
        if self.papers < HANDFUL:
            commonest = self.papers
        kept = [
            (-n, word)
            for word, n in self._counts.items()
            if rarest <= n <= commonest and word not in STOP_WORDS
        ]
        words = sorted(word for _, word in sorted(kept)[:MOST_WORDS])
        counts = np.array([self._counts[word] for word in words], dtype=np.float64)
        idf = np.log((1 + self.papers) / (1 + counts)) + 1
        return Vocabulary(tuple(words), idf)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that count, in the order of the columns, and ``idf`` (len(words),), their weights."""

    words: tuple[str, ...]
    idf: NDArray[np.float64]

    def rows(self, papers: Iterable[Sequence[str]]) -> csr_array:
        """TF-IDF rows (papers, words) of unit length, from each paper's words; zeros where none is known."""
        column = {word: j for j, word in enumerate(self.words)}
        indices: list[int] = []
        counts: list[int] = []
        starts = [0]
        for words in papers:
            found = Counter(column[word] for word in words if word in column)
            indices.extend(found.keys())
            counts.extend(found.values())
            starts.append(len(indices))
        return self._weighed(
            np.array(indices, np.int32), np.array(counts, np.float64), np.array(starts, np.int32)
        )

    def _weighed(
        self, indices: NDArray[np.int32], counts: NDArray[np.float64], starts: NDArray[np.int32]
    ) -> csr_array:
        values = (1 + np.log(counts)) * self.idf[indices]
        squares = np.concatenate([[0.0], np.cumsum(values**2)])
        lengths = np.sqrt(squares[starts[1:]] - squares[starts[:-1]])
        values /= np.repeat(lengths, np.diff(starts))
        return csr_array((values, indices, starts), shape=(len(starts) - 1, len(self.words)))
