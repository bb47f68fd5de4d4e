"""Why a paper stands where it does, in plain words: one reason a feature, the shares add up to the score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broadsheet.papers import Reason
from broadsheet.ranking.evidence import Judged
from broadsheet.readers import Following

NAMED_WORDS = 4
AUTHOR_SHARE = 2.0
WORD_SHARE = 1.0


@dataclass(frozen=True, slots=True)
class Told:
    """A paper that the reader has an opinion of: its title and whether it is kept."""

    title: str
    kept: bool


@dataclass(frozen=True, slots=True)
class WordShares:
    """The words of n candidates with what each adds to the decision value of its paper."""

    words: tuple[str, ...]
    starts: NDArray[np.int32]
    columns: NDArray[np.int32]
    shares: NDArray[np.float64]

    def strongest(self, candidate: int) -> list[str]:
        """The few words that speak most for a candidate, strongest first."""
        row = slice(self.starts[candidate], self.starts[candidate + 1])
        shares, columns = self.shares[row], self.columns[row]
        order = np.argsort(-shares, kind="stable")[:NAMED_WORDS]
        return [self.words[columns[j]] for j in order if shares[j] > 0]


def taste_reasons(
    judged: Judged, candidate: int, told: Sequence[Told], words: WordShares, followed: Sequence[Following]
) -> tuple[Reason, ...]:
    """The reasons of one candidate, by its position; ``told`` are the known papers in their order."""
    any_kept = any(paper.kept for paper in told)
    share = float(judged.words[candidate])
    reasons = [Reason("words", _of_words(share, words.strongest(candidate), any_kept), share)]
    if judged.meaning is not None:
        reasons.append(_of_meaning(judged, candidate, told))
    if judged.short[candidate] < 0:
        reasons.append(Reason("short_text", "little text to judge it by", float(judged.short[candidate])))
    return (*reasons, *followed_reasons(followed))


def followed_reasons(followed: Sequence[Following]) -> tuple[Reason, ...]:
    """What of a paper is followed by name; of several, the first author and the first word count."""
    first: dict[str, Reason] = {}
    for following in followed:
        if following.kind == "author":
            first.setdefault(
                "author", Reason("followed_author", f"by {following.value}, whom you follow", AUTHOR_SHARE)
            )
        else:
            text = f"“{following.value}”, which you follow"
            first.setdefault("word", Reason("followed_word", text, WORD_SHARE))
    return tuple(first.values())


def _of_words(share: float, strongest: Sequence[str], any_kept: bool) -> str:
    if not any_kept:
        return "words unlike those you dismiss" if share > 0 else "words like those you dismiss"
    if share > 0 and strongest:
        return f"words you keep: {', '.join(strongest)}"
    return "few of the words you keep"


def _of_meaning(judged: Judged, candidate: int, told: Sequence[Told]) -> Reason:
    assert judged.meaning is not None
    share, nearest = float(judged.meaning[candidate]), int(judged.nearest[candidate])
    if nearest < 0:
        return Reason("meaning", "not compared by meaning yet: its vector is still to be made", share)
    paper = told[nearest]
    if paper.kept:
        return Reason(
            "meaning", f"{'near' if share > 0 else 'far from'} what you keep, most to “{paper.title}”", share
        )
    return Reason("meaning", f"nearest to “{paper.title}”, which you dismissed", share)
