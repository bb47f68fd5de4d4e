"""What bibliography formats share: the printed reference to a journal, identifiers inside free text."""

import re

_ARXIV = re.compile(
    r"arxiv(?:\.org/(?:abs|pdf)/|[:.]?\s*)((?:[a-z-]+(?:\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)(?!\d)",
    re.IGNORECASE,
)
_DOI = re.compile(r"\b10\.\d{1,9}(?:\.\d+)*/[^\s\"<>{}]+")


def reference(journal: str, volume: str = "", issue: str = "", pages: str = "", year: str = "") -> str:
    """A journal reference as it is printed; empty without a journal.

    >>> reference("Annals of Maps", "12", "3", "45-67", "2031")
    'Annals of Maps 12(3), 45-67 (2031)'
    """
    if not journal:
        return ""
    numbered = f"{volume}({issue})" if volume and issue else volume or issue
    printed = f"{journal} {numbered}" if numbered else journal
    if pages:
        printed += f", {pages}"
    return f"{printed} ({year})" if year else printed


def arxiv_in(text: str) -> str:
    """The first arXiv id that a text names together with the word arXiv, or the empty string."""
    if "arxiv" not in text.lower():
        return ""
    found = _ARXIV.search(text[:2000])
    return found[1] if found else ""


def doi_in(text: str) -> str:
    """The first DOI in a text, without punctuation at its end, or the empty string."""
    found = _DOI.search(text[:2000])
    return found[0].rstrip(".,;:)]'\"") if found else ""
