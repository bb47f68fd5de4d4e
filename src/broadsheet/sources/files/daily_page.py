"""A saved page of a daily-papers service: a heading line, then abstracts, one a paragraph."""

import re
from collections.abc import Iterator

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files.drafts import Draft, arrival

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_LONGEST_HEADING = 120


def parse(text: str, path: str) -> Iterator[Arrival | Skipped]:
    """Each paragraph as an abstract whose title is its first sentence, cut at 120 characters."""
    line, counted = 1, 0
    for place, found in enumerate(_PARAGRAPH.finditer(text)):
        line += text.count("\n", counted, found.start())
        counted = found.start()
        paragraph = found[0]
        if place == 0 and len(paragraph) <= _LONGEST_HEADING:
            continue
        yield arrival(Draft(abstract=paragraph, line=line), path)
