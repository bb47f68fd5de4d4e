"""TeX and letters beyond the English alphabet as plain words, alike in papers and in queries.

What TeX only says about looks goes, names of letters become the letters' names, and a sub- or superscript
hangs on by a hyphen, so that ``H$_2$O`` and ``H₂O`` meet in ``h2o``.
"""

import re
from functools import cache

from broadsheet.papers import fold
from broadsheet.sources.tex import to_unicode

GREEK = dict(
    zip(
        map(chr, range(0x3B1, 0x3CA)),
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma"
        " tau upsilon phi chi psi omega".split(),
        strict=True,
    )
)
_GREEK_NAMES = frozenset(GREEK.values())
_LOOKS = frozenset(
    "mathcal mathbb mathrm mathbf mathit mathsf mathtt mathfrak mathscr mathnormal boldsymbol bm pmb bf rm it"
    " sf tt sc em cal text textrm textbf textit textsc textsf texttt textsl textup textnormal textmd"
    " textsuperscript textsubscript emph underline overline operatorname ensuremath mbox hbox hat widehat"
    " tilde widetilde bar vec dot ddot check breve acute grave mathring left right middle big Big bigg Bigg"
    " bigl bigr Bigl Bigr limits nolimits displaystyle textstyle scriptstyle small large frac dfrac tfrac"
    " binom c v u H k r d b t".split()
)
# One class of first signs, so that the search jumps from one to the next.
_TEX = re.compile(
    r"""[\\{}$_^](?:
      (?<=\\)(?:
          [-/]
        | ["'`^~=.]\s*(?=\{?\\?[^\W\d_])
        | (?P<macro>[A-Za-z]+)\*?\s?(?=(?P<goes_on>[{}$]*[A-Za-z0-9\\])?)
        | (?P<escaped>.)
        )
    | (?P<script>(?<=[_^])\{?(?=[{}$]*[\w\\]))
    | (?P<apart>(?<=\})\s*\{|(?<=\$)\$)
    | (?<=[\\{}$])
    )""",
    re.VERBOSE | re.DOTALL,
)
_LETTERS = {
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ȷ": "j", "æ": "ae", "œ": "oe", "þ": "th",
    "ŋ": "ng",
}  # fmt: skip
_LETTER = re.compile(f"[{''.join(_LETTERS)}]")
# One or two Greek letters are symbols; more of them are a word of the Greek language.
_GREEK_RUN = re.compile("[α-ω]+")
_MOST_SYMBOLS = 2
_SOFT = re.compile("\u00ad")
_HYPHENS = re.compile("[\u2010\u2011\u2212\ufe63\uff0d]")
# What folding makes a space of, as the plain space that lets most texts go the fast way.
_MARKS = re.compile("[\u2012-\u201f\u2026\u00ab\u00bb\u00a0\u2009\u202f]")


def plain(text: str) -> str:
    """Text without TeX, with plain hyphens; still with its case, accents and other signs.

    >>> plain(r"$\\alpha$-divergence of K\\"ahler maps")
    ' alpha-divergence of Kahler maps'
    """
    if "\\" in text or "$" in text or "{" in text:
        text = _TEX.sub(_without_tex, text)
    if text.isascii():
        return text
    return _MARKS.sub(" ", _HYPHENS.sub("-", _SOFT.sub("", text)))


def _without_tex(found: re.Match[str]) -> str:
    if name := found["macro"]:
        said = _said(name)
        return f"{said} " if found["goes_on"] and said[1:] in _GREEK_NAMES else said
    if found["script"] is not None:
        return "-"
    return " " if found["escaped"] or found["apart"] else ""


@cache
def _said(name: str) -> str:
    """What a macro stands for: nothing, a letter, a Greek letter's name, a space for a sign."""
    if name in _LOOKS:
        return ""
    lowered = name.lower().removeprefix("var")
    if lowered in _GREEK_NAMES:
        return f" {lowered}"
    turned = to_unicode(f"\\{name}")
    return f" {name} " if turned.startswith("\\") else letters(fold(turned)) or " "


def letters(folded: str) -> str:
    """Folded text with the letters that have no accent to lose written in plain ones."""
    return _LETTER.sub(lambda found: _LETTERS[found[0]], folded)


def greek_spelt(folded: str) -> str:
    """Folded text with Greek letters that stand alone, or two together, spelt out as words.

    >>> greek_spelt("λcdm"), greek_spelt("λογος")
    (' lambda cdm', 'λογος')
    """
    return _GREEK_RUN.sub(_spelt, folded)


def _spelt(found: re.Match[str]) -> str:
    run = found[0]
    return " ".join(["", *(GREEK[c] for c in run), ""]) if len(run) <= _MOST_SYMBOLS else run
