"""HTML and JATS inside texts: markup away, entities as characters, mathematics and lone signs kept."""

import html
import re

_NAMES = (
    "p|br|hr|b|i|u|s|em|strong|small|big|sub|sup|span|div|a|tt|code|pre|kbd|ul|ol|li|dl|dt|dd|h[1-6]|img|table"
    "|thead|tbody|tr|td|th|blockquote|figure|figcaption|section|article|center|font|cite|q|abbr|mark|scp|inf"
    "|title|sec|italic|bold|jats:[a-z-]+|mml:[a-z]+|math|m[a-z]{1,10}"
)
_TAG = re.compile(rf"</?(?:{_NAMES})(?:\s+[\w:.-]+\s*=[^<>]{{0,2000}})?\s*/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--[^>]{0,2000}?-->")
_BLOCK = re.compile(
    r"</?(?:p|br|hr|div|li|ul|ol|h[1-6]|tr|td|table|section|jats:(?:p|sec|title))\b[^<>]{0,500}>",
    re.IGNORECASE,
)


def plain(marked: str) -> str:
    """A text without the markup that services keep in it.

    >>> plain("<p>R&amp;D of <i>T</i>-cells, $a<b$</p>").strip()
    'R&D of T-cells, $a<b$'

    Only names that HTML, MathML and JATS know are tags, and only where they stand alone or with
    attributes that have values; anything else between ``<`` and ``>`` is text.
    """
    if "<" in marked:
        marked = _TAG.sub("", _BLOCK.sub(" ", _COMMENT.sub("", marked)))
    return html.unescape(marked) if "&" in marked else marked
