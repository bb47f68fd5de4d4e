"""XML files: no entities of their own, nothing from the network, bounded depth and size.

Raw ampersands, HTML's entities and control characters, which many programs write, are mended first.
"""

import html
import re
from html.entities import html5
from typing import cast

from lxml import etree

from broadsheet.papers import Skipped
from broadsheet.sources.files.encodings import decoded
from broadsheet.sources.markup import Element, name

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_PROLOG = re.compile(r"\A\s*<\?xml[^>]*\?>")
_CDATA = re.compile(r"(<!\[CDATA\[.*?\]\]>)", re.DOTALL)
_AMPERSAND = re.compile(r"&(#\d{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};)?")
_OWN = frozenset(("amp;", "lt;", "gt;", "quot;", "apos;"))
_DECLARES = re.compile(r"<!ENTITY", re.IGNORECASE)
_SUPERSCRIPTS = str.maketrans("0123456789+-−n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿ")


def root_of(content: bytes, path: str, *, recover: bool = False) -> Element | Skipped:
    """The root of an XML file, or why it cannot be read, with the line of the fault.

    ``recover`` reads what can be read of a document that is not well-formed.
    """
    text = decoded(content)
    if _DECLARES.search(text, 0, 20_000):
        return Skipped(path, 1, "declares entities of its own, which are not read")
    mended = _mended(text).encode("utf-8", errors="replace")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=recover
    )
    try:
        root = etree.fromstring(mended, parser)
    except etree.XMLSyntaxError as fault:
        return Skipped(path, fault.lineno or 1, f"no whole XML document: {_reason(fault)}")
    if root is None:
        return Skipped(path, 1, "no XML document")
    return root


def line_of(element: Element) -> int | None:
    """The 1-based line on which an element starts."""
    return cast(int | None, element.sourceline)


def descendants(element: Element, wanted: str) -> list[Element]:
    """The elements of that name at any depth, in document order, in whatever namespace."""
    return [one for one in element.iter(f"{{*}}{wanted}")]


def at(element: Element, *names: str) -> Element | None:
    """The element that a path of names leads to, the first child of each name, or None."""
    for wanted in names:
        found = next((child for child in element if name(child) == wanted), None)
        if found is None:
            return None
        element = found
    return element


def words(element: Element | None, *names: str) -> str:
    """The text of the element at the end of a path of names; see :func:`flat`."""
    found = element if element is None or not names else at(element, *names)
    return "" if found is None else flat(found)


def flat(element: Element) -> str:
    """All text inside an element, raised digits as Unicode, comments left out, white space at ends too."""
    pieces: list[str] = []
    for event, one in etree.iterwalk(element, events=("start", "end", "comment", "pi")):
        if event == "start":
            text = one.text or ""
            pieces.append(_raised(text) if name(one) == "sup" else text)
        elif one is not element:
            pieces.append(one.tail or "")
    return "".join(pieces).strip()


def _raised(text: str) -> str:
    raised = text.translate(_SUPERSCRIPTS)
    return raised if raised != text and not any(c.isascii() and c.isalnum() for c in raised) else text


def _mended(text: str) -> str:
    text = _CONTROLS.sub("", _PROLOG.sub("", text)).lstrip()
    if "&" not in text:
        return text
    if "<![CDATA[" not in text:
        return _AMPERSAND.sub(_entity, text)
    parts = _CDATA.split(text)
    return "".join(part if place % 2 else _AMPERSAND.sub(_entity, part) for place, part in enumerate(parts))


def _entity(found: re.Match[str]) -> str:
    reference = found[1]
    if reference is None:
        return "&amp;"
    if reference in _OWN:
        return found[0]
    if reference.startswith("#"):
        meant = _CONTROLS.sub("", html.unescape(found[0]))
        return {"&": "&amp;", "<": "&lt;", ">": "&gt;"}.get(meant, meant)
    return html5.get(reference) or f"&amp;{reference}"


def _reason(fault: etree.XMLSyntaxError) -> str:
    return re.sub(r", line \d+, column \d+.*\Z", "", fault.msg or "broken")
