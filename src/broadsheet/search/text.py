"""Text as the words index holds it: folded, one character a word where a script writes without spaces.

The same functions prepare papers and queries, so that whatever folds alike is found alike.
"""

import re
import unicodedata
from functools import cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from broadsheet.papers import fold

# Thai to Khmer, kana, Han and Hangul: no spaces between words, or endings that stick to them.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")

_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below
between both but by can could did do does doing down during each few for from further had has have
having he her here hers him his how i if in into is it its itself just me more most my no nor not of
off on once only or other our ours out over own same she should so some such than that the their
theirs them then there these they this those through to too under until up us very was we were what
when where which while who whom why will with would you your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def spaced(text: str) -> str:
    """Folded text whose words stand between single spaces.

    >>> spaced("Lévy-flights: 扩散")
    'levy flights 扩 散'
    """
    folded = fold(text)
    if folded.isascii():
        return folded
    # Folding takes Hangul syllables apart; composing again keeps one character a syllable.
    composed = unicodedata.normalize("NFC", folded)
    return " ".join(_UNSPACED_CHARACTER.sub(r" \g<0> ", composed).split())


def is_unspaced(word: str) -> bool:
    """Whether a word from :func:`spaced` is a single character of an unspaced script."""
    return _UNSPACED_CHARACTER.fullmatch(word) is not None


def analyzer(stemmed: bool) -> TextAnalyzer:
    """What the index does to spaced text: cut at spaces and, for running text, stem as English."""
    builder = TextAnalyzerBuilder(Tokenizer.whitespace())
    return builder.filter(Filter.stemmer("english")).build() if stemmed else builder.build()


@cache
def _stemmer() -> TextAnalyzer:
    return analyzer(stemmed=True)


def stems(text: str) -> list[str]:
    """The stemmed words of a text in order, stop words included."""
    return list(_stemmer().analyze(spaced(text)))


def author_terms(name: str) -> list[str]:
    """The terms under which an author is found.

    Each part of the name stands alone ("quillfeather"), and each two parts stand together in
    alphabetical order, also with one of them cut to its initial ("a+quillfeather"). A part that the
    source itself printed as an initial is marked besides ("=a+quillfeather"), so that a full name
    finds it and another full name with the same initial does not.
    """
    parts = spaced(name).split()[:8]
    terms = list(parts)
    for i, first in enumerate(parts):
        for second in parts[i + 1 :]:
            terms.append(_pair(first, second))
            terms.extend(_cut_pair(first, second))
            terms.extend(_cut_pair(second, first))
    return terms


def _cut_pair(whole: str, cut: str) -> tuple[str, ...]:
    if len(whole) == 1:
        return ()
    return (_pair(whole, cut[0]),) if len(cut) > 1 else ("=" + _pair(whole, cut),)


def _pair(one: str, other: str) -> str:
    return f"{one}+{other}" if one < other else f"{other}+{one}"


def author_query_terms(name: str) -> list[list[str]]:
    """What an author's terms must hold for a name as asked: of each inner list at least one.

    >>> author_query_terms("quillfeather_a")
    [['a+quillfeather']]
    """
    parts = spaced(name).split()[:8]
    if len(parts) < 2:
        return [parts] if parts else []
    anchor = max(range(len(parts)), key=lambda i: len(parts[i]))
    others = parts[:anchor] + parts[anchor + 1 :]
    return [_alternatives(parts[anchor], other) for other in others]


def _alternatives(anchor: str, other: str) -> list[str]:
    whole = _pair(anchor, other)
    return [whole] if len(other) == 1 else [whole, "=" + _pair(anchor, other[0])]
