"""TeX's ways of writing text turned into Unicode; mathematics is left exactly as it was typed.

Only what has one meaning in running text is turned: accents, letters and symbols by name, escaped
characters, groups that change the look. Any other macro stays as typed (:func:`unknown_macros` counts
them), and ``\\$`` stays too, since a bare dollar opens mathematics for whoever prints the text.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau"
    " upsilon phi chi psi omega"
)
_COMBINING = {
    "`": "\u0300",
    "'": "\u0301",
    "^": "\u0302",
    "~": "\u0303",
    "=": "\u0304",
    "u": "\u0306",
    ".": "\u0307",
    '"': "\u0308",
    "r": "\u030a",
    "H": "\u030b",
    "v": "\u030c",
    "d": "\u0323",
    "c": "\u0327",
    "k": "\u0328",
    "b": "\u0331",
}
_LETTERS = {
    "ss": "ß",
    "SS": "ẞ",
    "o": "ø",
    "O": "Ø",
    "l": "ł",
    "L": "Ł",
    "ae": "æ",
    "AE": "Æ",
    "oe": "œ",
    "OE": "Œ",
    "aa": "å",
    "AA": "Å",
    "i": "ı",
    "j": "ȷ",
    "dh": "ð",
    "DH": "Ð",
    "dj": "đ",
    "DJ": "Đ",
    "th": "þ",
    "TH": "Þ",
    "ng": "ŋ",
    "NG": "Ŋ",
}
_SYMBOLS = {
    "S": "§",
    "P": "¶",
    "copyright": "©",
    "textcopyright": "©",
    "textregistered": "®",
    "texttrademark": "™",
    "pounds": "£",
    "textsterling": "£",
    "texteuro": "€",
    "euro": "€",
    "deg": "°",
    "degree": "°",
    "textdegree": "°",
    "pm": "±",
    "textpm": "±",
    "mp": "∓",
    "times": "×",
    "texttimes": "×",
    "div": "÷",
    "cdot": "·",
    "textperiodcentered": "·",
    "sim": "∼",
    "textasciitilde": "~",
    "simeq": "≃",
    "approx": "≈",
    "neq": "≠",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "ll": "≪",
    "gg": "≫",
    "infty": "∞",
    "propto": "∝",
    "in": "∈",
    "to": "→",
    "rightarrow": "→",
    "leftarrow": "←",
    "odot": "⊙",
    "ell": "ℓ",
    "partial": "∂",
    "nabla": "∇",
    "dagger": "†",
    "dag": "†",
    "bullet": "•",
    "textbullet": "•",
    "ldots": "…",
    "dots": "…",
    "textellipsis": "…",
    "textendash": "–",
    "textemdash": "—",
    "textquoteleft": "‘",
    "textquoteright": "’",
    "textquotedblleft": "“",
    "textquotedblright": "”",
    "textquotesingle": "'",
    "textquotedbl": '"',
    "textunderscore": "_",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textmu": "µ",
    "micro": "µ",
    "LaTeX": "LaTeX",
    "TeX": "TeX",
    "xspace": "",
    "bibinfo": "",
    "newline": " ",
    "linebreak": " ",
    "par": " ",
    "quad": " ",
    "qquad": " ",
    "space": " ",
}
_ESCAPED = {
    "%": "%",
    "&": "&",
    "_": "_",
    "#": "#",
    "/": "",
    "-": "",
    ",": " ",
    ";": " ",
    ":": " ",
    "!": "",
    " ": " ",
}
_STYLES = frozenset(
    "emph text textbf textit textsc texttt textrm textsf textsl textmd textup textnormal underline uline"
    " mbox hbox mathrm ensuremath url path nolinkurl bibstring enquote".split()
)
_SWITCHES = frozenset("em it bf tt rm sc sl sf itshape bfseries ttfamily rmfamily scshape small".split())

_TOKEN = re.compile(
    r"""\\(?:
      \\(?P<linebreak>[^A-Za-z]|\Z)?
    | (?:(?P<mark>["'`^~=.])|(?P<named>[cvuHkrdb])(?![A-Za-z]))\s*(?:
        \{\s*(?:\\(?P<dotless_in>[ij])|(?P<inner>[^\W\d_]))\s*\}
        | \\(?P<dotless>[ij])(?![A-Za-z])\s?
        | (?P<letter>[^\W\d_])
      )
    | (?P<macro>[A-Za-z]+)(?P<after>\{\}|[ ](?![\\$]))?
    | (?P<escaped>[%&_#/,;:! -])
    | (?P<composed>[^\W\d_])
    )""",
    re.VERBOSE,
)
_MARK = "\ufdd0"
_HREF = re.compile(r"\\href\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_MATHS_TOKEN = re.compile(r"\\[()\[\]]|\\.|\$\$?", re.DOTALL)
_CLOSING = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_GROUPS = re.compile(
    r"\\\\(?:[A-Za-z]+\s*\{)?|\\(?P<macro>[A-Za-z]+)\*?\s*\{|\\.|[\^_]\{|\{(?:\\(?P<switch>[a-z]+)\s+)?|\}"
)
_ACRONYM = re.compile(r"[^\W_]*[A-Z][^\W_]*[A-Z0-9][\w.-]*\Z")
# The tie stands first, so that the search jumps from one to the next; what must stand before it follows.
_TIE = re.compile(
    r"~(?:(?:(?<=[^\W\d]~)|(?<=[.,;)]~))(?=[\w\\(])|(?<=\d~)(?=[A-Za-z\\(])|(?<=[\w.,;)]~)(?=\ufdd0))"
)
_ANY_TIE = re.compile(r"~(?<![/\\]~)")
# What BibTeX values say for characters that would be markup; a noncharacter stands for each meanwhile.
_LITERAL = str.maketrans({"\ufdd1": "\\", "\ufdd2": "{", "\ufdd3": "}", "\ufdd4": "~", "\ufdd5": "^"})
_BIBTEX_ONLY = (
    ("---", "—"),
    ("--", "–"),
    ("``", "“"),
    ("''", "”"),
    ("\\textbackslash{}", "\ufdd1"),
    ("\\textasciitilde{}", "\ufdd4"),
    ("\\textasciicircum{}", "\ufdd5"),
    ("\\{", "\ufdd2"),
    ("\\}", "\ufdd3"),
)
_PASSES = 8
_GROUP_PIECES = 20
_LONGEST = 50_000


def _symbols() -> dict[str, str]:
    table = {**_SYMBOLS, **_LETTERS}
    for name in _GREEK.split():
        spelled = "LAMDA" if name == "lambda" else name.upper()
        table[name] = unicodedata.lookup(f"GREEK SMALL LETTER {spelled}")
        table[name.capitalize()] = unicodedata.lookup(f"GREEK CAPITAL LETTER {spelled}")
    return table


_NAMED = _symbols()


def maths_spans(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each stretch of mathematics: between dollars, ``\\(…\\)`` or ``\\[…\\]``.

    An escaped dollar neither opens nor closes; what is never closed is text. Linear in the length.
    """
    tokens = [(m.start(), m.end(), m[0]) for m in _MATHS_TOKEN.finditer(text)]
    last = {token: place for place, (_, _, token) in enumerate(tokens)}
    place = 0
    while place < len(tokens):
        start, _, token = tokens[place]
        closing = _CLOSING.get(token)
        if closing is None or last.get(closing, -1) <= place:
            place += 1
            continue
        place += 1
        while tokens[place][2] != closing:
            place += 1
        yield start, tokens[place][1]
        place += 1


def to_unicode(text: str, *, all_groups: bool = False) -> str:
    """Text with TeX's accents, letters, escapes and looks as Unicode, mathematics untouched.

    ``all_groups`` takes every pair of braces away, as in BibTeX, where braces only protect, and turns
    TeX's dashes, quotes and ties; otherwise braces go only where they clearly group letters.
    Doing it twice changes nothing more. Text of more than 50,000 characters is no title, name or
    abstract and comes back as it is.
    """
    if len(text) > _LONGEST:
        return text
    outside, maths = _without_maths(text)
    if all_groups:
        for typed, meant in _BIBTEX_ONLY:
            outside = outside.replace(typed, meant)
        outside = _ANY_TIE.sub(" ", outside)
    for _ in range(_PASSES):
        if "\\" not in outside and "{" not in outside and "~" not in outside:
            break
        turned = _turned(outside, all_groups)
        if turned == outside:
            break
        outside = turned
    if all_groups:
        outside = outside.translate(_LITERAL)
    if not maths:
        return outside
    pieces = outside.split(_MARK)
    return pieces[0] + "".join(m + piece for m, piece in zip(maths, pieces[1:], strict=True))


def unknown_macros(text: str) -> Counter[str]:
    """The macros left in a text outside mathematics, counted by name."""
    outside, _ = _without_maths(text)
    return Counter(m["macro"] for m in _TOKEN.finditer(outside) if m["macro"] and m["macro"] not in _NAMED)


def _turned(outside: str, all_groups: bool) -> str:
    if "\\" in outside:
        if "\\href" in outside:
            outside = _HREF.sub(_address_of, outside)
        outside = _TOKEN.sub(_unicode_of, outside)
    if "~" in outside:
        outside = _TIE.sub(" ", outside)
    if "{" in outside:
        outside = _ungrouped(outside, all_groups)
    return outside


def _without_maths(text: str) -> tuple[str, list[str]]:
    """The text with a mark in the place of each stretch of mathematics, and those stretches."""
    text = text.replace(_MARK, "")
    has_other = "\\(" in text or "\\[" in text
    if "$" not in text and not has_other:
        return text, []
    if has_other or "\\$" in text or "$$" in text:
        return _without_spans(text)
    pieces = text.split("$")
    if len(pieces) % 2 == 0:
        pieces[-2:] = ["$".join(pieces[-2:])]
    return _MARK.join(pieces[::2]), [f"${piece}$" for piece in pieces[1::2]]


def _without_spans(text: str) -> tuple[str, list[str]]:
    pieces, maths, end = [], [], 0
    for start, stop in maths_spans(text):
        pieces.append(text[end:start])
        maths.append(text[start:stop])
        end = stop
    pieces.append(text[end:])
    return _MARK.join(pieces), maths


def _address_of(found: re.Match[str]) -> str:
    address, shown = found[1].strip(), found[2].strip()
    return address if shown in ("", address, "this https URL", "this http URL") else f"{shown} ({address})"


def _unicode_of(found: re.Match[str]) -> str:
    if found["mark"] or found["named"]:
        return _accented(found)
    if found["macro"]:
        return _named(found)
    if found["escaped"]:
        return _ESCAPED[found["escaped"]]
    if found["composed"]:
        return found["composed"] if not found["composed"].isascii() else found[0]
    linebreak = found["linebreak"]
    return found[0] if linebreak is None else f" {linebreak}"


def _accented(found: re.Match[str]) -> str:
    base = found["inner"] or found["letter"] or found["dotless_in"] or found["dotless"]
    accent = found["mark"] or found["named"]
    joined = unicodedata.normalize("NFC", base + _COMBINING[accent])
    if len(joined) > 1 or (accent == '"' and joined in "ḦḧẌẍẄẅẗ"):
        return found[0]
    return joined


def _named(found: re.Match[str]) -> str:
    symbol = _NAMED.get(found["macro"])
    if symbol is None:
        return found[0]
    # TeX eats the space after a letter's name; after a symbol people mean the space they typed.
    return f"{symbol} " if found["after"] == " " and found["macro"] not in _LETTERS else symbol


def _ungrouped(text: str, all_groups: bool) -> str:
    out: list[str] = []
    stack: list[tuple[int, str, bool]] = []
    end = 0
    for found in _GROUPS.finditer(text):
        out.append(text[end : found.start()])
        end = found.end()
        token = found[0]
        if token == "}":
            _close(out, stack, text[end : end + 1], all_groups)
        elif token.endswith("{") or found["switch"]:
            stack.append(_opened(found, text, out))
        else:
            out.append(token)
    out.append(text[end:])
    return "".join(out)


def _opened(found: re.Match[str], text: str, out: list[str]) -> tuple[int, str, bool]:
    """What an opening brace starts: its place in the output, what was typed, whether it surely goes."""
    place = len(out)
    macro, switch, typed = found["macro"], found["switch"], found[0]
    out.append(typed)
    if macro:
        return place, typed, macro in _STYLES
    if switch:
        return place, typed, switch in _SWITCHES
    before = text[found.start() - 1 : found.start()]
    is_argument = typed != "{" or before == "]"
    return place, "" if is_argument else before or " ", False


def _close(out: list[str], stack: list[tuple[int, str, bool]], after: str, all_groups: bool) -> None:
    if not stack:
        if not all_groups:
            out.append("}")
        return
    place, before, goes = stack.pop()
    bare = out[place] == "{"
    if bare and before and not goes:
        is_short = len(out) - place < _GROUP_PIECES
        goes = all_groups or (is_short and _only_groups("".join(out[place + 1 :]), before, after))
    if goes:
        out[place] = ""
    else:
        out.append("}")


def _only_groups(content: str, before: str, after: str) -> bool:
    if not content:
        return not before.isspace()
    if before == "}":
        return False
    if content == ",":
        return before.isdigit() and after.isdigit()
    if len(content) == 1 and not content.isascii():
        return True
    letters = content.replace("-", "").replace("’", "").replace("'", "")
    if not letters.isalnum():
        return False
    beside = (before.isalpha() and content[0].isalpha()) or (after.isalpha() and content[-1].isalpha())
    return beside or bool(_ACRONYM.match(content)) or not content.isascii()
