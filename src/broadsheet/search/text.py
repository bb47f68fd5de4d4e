"""Text as the words index holds it: folded, one character a word where a script writes without spaces.

The same functions prepare papers and queries, so that whatever folds alike is found alike.
"""

import re
import unicodedata
from functools import cache, lru_cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from broadsheet.papers import fold
from broadsheet.search.plain import greek_spelt, letters, plain

# Thai to Khmer, kana, Han and Hangul: no spaces between words, or endings that stick to them.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_CHARACTER = re.compile(f"[{_UNSPACED}]")

_COMPOUND = re.compile(r"[^\W_]+(?:-[^\W_]+)+")
_LONGEST_COMPOUND = 40
_MOST_PARTS = 8
_INSIDE_NAMES = re.compile("['’‐-]")
_HYPHENS_KEPT = str.maketrans({c: " " for c in map(chr, range(128)) if not (c.isalnum() or c == "-")})

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

    >>> spaced("Lévy-flights: 扩散"), spaced(r"$\\Lambda$CDM") == spaced("ΛCDM")
    ('levy flights 扩 散', True)
    """
    return _folded(plain(text))


def _folded(text: str) -> str:
    folded = fold(text)
    if folded.isascii():
        return folded
    # Folding takes Hangul syllables apart; composing again keeps one character a syllable.
    composed = greek_spelt(letters(unicodedata.normalize("NFC", folded)))
    return " ".join(_UNSPACED_CHARACTER.sub(r" \g<0> ", composed).split())


def running(text: str) -> tuple[str, list[str]]:
    """A text as :func:`spaced` has it, and its hyphenated words written as one, in order.

    >>> running("Self-supervised state-of-the-art in 2-3 lines")
    ('self supervised state of the art in 2 3 lines', ['selfsupervised', 'stateoftheart'])
    """
    made = plain(text)
    if "-" not in made:
        return _folded(made), []
    if not made.isascii():
        return _folded(made), [word for word in map(glued, _COMPOUND.findall(made)) if _is_compound(word)]
    chunks = made.lower().translate(_HYPHENS_KEPT).split()
    compounds = [
        word
        for chunk in chunks
        if "-" in chunk and "-" in (inner := chunk.strip("-")) and "--" not in inner
        if _is_compound(word := inner.replace("-", ""))
    ]
    return " ".join(" ".join(chunks).replace("-", " ").split()), compounds


def _is_compound(word: str) -> bool:
    return len(word) <= _LONGEST_COMPOUND and not word.isdigit()


def glued(text: str) -> str:
    """Text folded to one word: whatever its spaces, hyphens and punctuation, it is the same.

    >>> glued("Self-supervised!") == glued("selfsupervised")
    True
    """
    return spaced(text).replace(" ", "")


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


@lru_cache(50_000)
def word_stems(word: str) -> tuple[str, ...]:
    """The stem of a word that is spaced already, kept: the same words come again and again."""
    return tuple(_stemmer().analyze(word))


def author_terms(name: str) -> list[str]:
    """The terms under which an author is found.

    Each part of the name stands alone ("quillfeather"), and each two parts stand together in
    alphabetical order, also with one of them cut to its initial ("a+quillfeather"). A part that the
    source itself printed as an initial is marked besides ("=a+quillfeather"), so that a full name
    finds it and another full name with the same initial does not. So are the parts of a name that has
    only two ("~quillfeather"), where a middle name may have been left out. A part with a hyphen or an
    apostrophe stands as one word too ("oneill").
    """
    parts = spaced(name).split()[:_MOST_PARTS]
    terms = [f"~{part}" for part in parts if len(part) > 1] if len(parts) == 2 else []
    parts += _joined_parts(name)
    terms += parts
    for i, first in enumerate(parts):
        for second in parts[i + 1 :]:
            terms.append(_pair(first, second))
            terms.extend(_cut_pair(first, second))
            terms.extend(_cut_pair(second, first))
    return terms


def _joined_parts(name: str) -> list[str]:
    if not _INSIDE_NAMES.search(name):
        return []
    return [glued(part) for part in name.split()[:_MOST_PARTS] if _INSIDE_NAMES.search(part.strip("'-’"))]


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
    parts = spaced(name).split()[:_MOST_PARTS]
    if len(parts) < 2:
        return [parts] if parts else []
    place = _family_place(name, parts)
    family, others = parts[place], parts[:place] + parts[place + 1 :]
    groups = [_alternatives(family, other) for other in others]
    return [groups[0], *([*group, f"~{family}"] for group in groups[1:])]


def _family_place(name: str, parts: list[str]) -> int:
    """Where the family name most likely stands: before a comma, else last, but for a lone initial there."""
    before = len(spaced(name.partition(",")[0]).split()) if "," in name else 0
    if 0 < before < len(parts):
        return before - 1
    return len(parts) - 1 if len(parts[-1]) > 1 else max(range(len(parts)), key=lambda i: len(parts[i]))


def _alternatives(family: str, other: str) -> list[str]:
    if len(other) == 1:
        return [_pair(family, other)]
    either = [_pair(family, other), "=" + _pair(family, other[0])]
    return [*either, "=" + _pair(other, family[0])] if len(family) > 1 else either
