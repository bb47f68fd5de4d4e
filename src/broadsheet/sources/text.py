"""Cleaning at the edge: what comes in as text becomes plain Unicode once, here, and nowhere later."""

import re
import unicodedata

from broadsheet.papers import Author
from broadsheet.sources.tex import to_unicode

# Control and format characters that show nothing, halves of surrogate pairs, and noncharacters.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z.'-]*(?: [A-Za-z.'-]+)*\Z")
_SUFFIX = re.compile(r"(?:(?:Jr|Sr|Snr|Jnr|Esq)\.?|I{2,3}|IV|2nd|3rd|4th)\Z", re.IGNORECASE)
_CORPORATE = re.compile(
    r"\b(?:collaborations?|consortium|university|universität|université|institute?|group|team|society|council"
    r"|committee|association|department|laborator(?:y|ies)|foundation|organi[sz]ation|network|inc|ltd|gmbh"
    r"|project|agency|ministry|academy|corporation|working party|initiative|investigators)\b",
    re.IGNORECASE,
)
_WORK = r"(?:paper|article|manuscript|submission|work|preprint|e-?print|note|draft|document|version)"
_GONE = r"(?:withdrawn|retracted)"
_SAID_WITHDRAWN = re.compile(
    rf"\b(?:this|the(?: present)?|our)\s+(?:\w+\s+)?{_WORK}\s+(?:has|had|have|is|was|are)"
    rf"(?:\s+(?:now|been|being|hereby|temporarily|voluntarily|formally))*\s+{_GONE}\b"
    rf"|\b{_GONE}\s+by\s+(?:the\s+)?(?:arxiv|authors?|submitter|first author|administrators?)\b"
    rf"|\A\W*(?:{_WORK}\s+)?(?:(?:has been|is|was)\s+)?{_GONE}\s*(?:[.:;,(\[!-]|due\b|because\b|as\b|\Z)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    rf"\b(?:earlier|previous|prior|old(?:er)?|first|initial|another|v\d+)\s+(?:\w+\s+)?{_WORK}?\s*"
    rf"(?:\([^)]*\)\s*)?(?:has|have|was|is|were|had|of)\b[^.]*{_GONE}"
    rf"|{_GONE}\s+from\s+(?!arxiv|the arxiv|publication|consideration)",
    re.IGNORECASE,
)
_ABSTRACT_OPENING = 160
_CODE = re.compile(
    r"(?:https?:\s?/\s?/\s?)?(?<![\w.@-])(?:www\.)?"
    r"(?P<host>github\.com|gitlab\.com|bitbucket\.org|codeberg\.org)"
    r"/(?P<owner>[A-Za-z0-9][\w.-]{0,99})/(?P<name>[\w.-]{1,100})",
    re.IGNORECASE | re.ASCII,
)
_CODE_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_NO_REPOSITORY_OWNERS = frozenset(
    {"about", "features", "topics", "search", "orgs", "sponsors", "marketplace"}
)


def clean(text: str) -> str:
    """Text as it is kept and shown: TeX's writing as Unicode, nothing unseen, white space folded.

    Mathematics between dollars stays as typed, and so do ``\\$`` and macros that are not known.
    Cleaning twice changes nothing more.

    >>> clean("Ir\\\\v{s}i\\\\v{c}  and $a<b$")
    'Iršič and $a<b$'
    """
    if _is_plain(text):
        return text
    text = _folded(text)
    if "\\" in text or "{" in text or "~" in text:
        text = _folded(to_unicode(text))
    return text


def clean_bibtex(text: str) -> str:
    """As :func:`clean`, for a BibTeX value: every pair of braces goes, ties and dashes are TeX's."""
    return clean(to_unicode(_folded(text), all_groups=True))


def original(text: str, cleaned: str) -> str | None:
    """The text as it was sent, where cleaning changed more of it than white space; else None."""
    if text is cleaned or text == cleaned or " ".join(text.split()) == cleaned:
        return None
    return text


def _is_plain(text: str) -> bool:
    return (
        text.isascii()
        and "\\" not in text
        and "{" not in text
        and "~" not in text
        and "  " not in text
        and text[:1] != " "
        and text[-1:] != " "
        and text.isprintable()
    )


def _folded(text: str) -> str:
    is_printable = text.isprintable()
    if not is_printable:
        text = _UNSEEN.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if is_printable and "  " not in text and text[:1] != " " and text[-1:] != " ":
        return text
    return " ".join(text.split())


def clean_name(text: str) -> str:
    """A person's or a group's name as printed: clean, without a comma or backslash left at an end."""
    name = clean(text)
    return name.strip(" ,;\\") if name[-1:] in " ,;\\" or name[:1] in " ,;\\" else name


def author(name: str) -> Author:
    """An Author from a name in either order; parts are given only where a comma tells them apart.

    >>> author("Quillfeather, Ada Q.")
    Author(name='Ada Q. Quillfeather', family='Quillfeather', given='Ada Q.', orcid=None, affiliation=None)

    A suffix may stand second (BibTeX) or last (MEDLINE, RIS); a group's name is never turned round.
    """
    if _PLAIN_NAME.match(name):
        return Author(name)
    name = clean_name(name)
    if "," not in name:
        return Author(name)
    parts = [part.strip() for part in name.split(",") if part.strip()]
    suffixes = [part for part in parts[1:] if _SUFFIX.match(part)]
    others = [part for part in parts if part not in suffixes]
    if len(others) != 2 or _CORPORATE.search(name):
        return Author(name)
    return named(others[0], others[1], suffixes[0] if suffixes else "")


def named(family: str, given: str, suffix: str = "") -> Author:
    """An Author from parts that are already clean; without a given name the family name is all."""
    printed = " ".join(part for part in (given, family, suffix) if part)
    return Author(printed, family or None, given or None)


def is_withdrawn(comment: str | None, abstract: str) -> bool:
    """Whether the authors or arXiv say that this very paper is withdrawn or retracted.

    The comment counts wherever it says so; an abstract only in its opening words, since abstracts
    also tell of other things that were withdrawn. An earlier version or a conference does not count.
    """
    return _says_withdrawn(comment or "") or _says_withdrawn(abstract[:_ABSTRACT_OPENING])


def _says_withdrawn(text: str) -> bool:
    if "withdrawn" not in text.lower() and "retracted" not in text.lower():
        return False
    found = _SAID_WITHDRAWN.search(text)
    return found is not None and _ELSEWHERE.search(text[: found.end() + 40]) is None


def code_link(text: str | None) -> str | None:
    """The address of the first code repository that a text names, as ``https://host/owner/name``.

    >>> code_link("Code: github.com/Quill/feather-net.")
    'https://github.com/Quill/feather-net'
    """
    if not text or (".com/" not in text and ".org/" not in text):
        return None
    lowered = text.lower()
    if not any(host in lowered for host in _CODE_HOSTS):
        return None
    for found in _CODE.finditer(text.replace("\\_", "_")):
        name = found["name"].rstrip(".").removesuffix(".git")
        if name and found["owner"].lower() not in _NO_REPOSITORY_OWNERS:
            return f"https://{found['host'].lower()}/{found['owner']}/{name}"
    return None
