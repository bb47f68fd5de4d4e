"""Reading XML and HTML that others sent: no entities, no network, nothing that was cut short."""

import re
from typing import TypeAlias

from lxml import etree, html

from broadsheet.errors import BadAnswer

Element: TypeAlias = etree._Element

_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def xml(body: bytes, what: str) -> Element:
    """The root of an XML answer; raises BadAnswer when it is cut, no XML, or uses entities of its own."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(_CONTROLS.sub(b"", body).strip(), parser)
    except (etree.XMLSyntaxError, ValueError) as fault:
        raise BadAnswer(f"{what} is no whole XML document: {fault}") from fault
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadAnswer(f"{what} carries a document type of its own and is not read")
    return root


def page(body: bytes, what: str) -> Element:
    """The root of an HTML answer; raises BadAnswer when it is empty or ends before its closing tag."""
    text = body.decode("utf-8", "replace").strip()
    opening = text[:1000].lower()
    if ("<html" in opening or "<!doctype html" in opening) and "</html>" not in text[-1000:].lower():
        raise BadAnswer(f"{what} is cut short")
    try:
        return html.fromstring(_no_controls(text), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as fault:
        raise BadAnswer(f"{what} is no HTML page: {fault}") from fault


def _no_controls(text: str) -> bytes:
    return _CONTROLS.sub(b"", text.encode())


def name(element: Element) -> str:
    """An element's name without its namespace; empty for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Element, wanted: str) -> list[Element]:
    """The direct children of that name, in whatever namespace."""
    return [child for child in element if name(child) == wanted]


def text(element: Element | None) -> str:
    """All text inside an element, as sent."""
    return "" if element is None else "".join(str(piece) for piece in element.itertext())


def child_text(element: Element, wanted: str) -> str:
    """The text of the first direct child of that name, without white space at its ends."""
    found = children(element, wanted)
    return text(found[0]).strip() if found else ""
