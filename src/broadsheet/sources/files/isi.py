"""The tagged format of the Web of Science, which often goes by the name ``.ris``."""

import re
from collections.abc import Iterator

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import reference
from broadsheet.sources.text import author

_TAG = re.compile(r"([A-Z][A-Z0-9]) (.*)|ER\s*$")
_LISTS = frozenset(("AU", "AF", "CA"))


def parse(text: str, path: str) -> Iterator[Arrival | Skipped]:
    """Each record's paper, from ``PT`` to ``ER``; lines that start with spaces continue a value."""
    values: dict[str, list[str]] = {}
    line, tag = 1, ""
    for number, content in enumerate(text.split("\n"), start=1):
        found = _TAG.match(content)
        if found is None:
            if tag and content.strip():
                _go_on(values[tag], tag, content.strip())
            continue
        tag = found[1] or ""
        if tag in ("PT", "") and values:
            yield arrival(_draft(values, line), path)
            values = {}
        if tag == "PT":
            line = number
        if tag and tag not in ("FN", "VR", "EF"):
            values.setdefault(tag, []).append(found[2].strip())
        else:
            tag = ""
    if values:
        yield arrival(_draft(values, line), path)


def _go_on(values: list[str], tag: str, more: str) -> None:
    if tag in _LISTS:
        values.append(more)
    else:
        values[-1] = f"{values[-1]} {more}"


def _draft(values: dict[str, list[str]], line: int) -> Draft:
    def first(tag: str) -> str:
        return values.get(tag, [""])[0]

    pages = "-".join(part for part in (first("BP"), first("EP")) if part)
    year = first("PY")
    return Draft(
        title=first("TI"),
        abstract=first("AB"),
        authors=[author(name) for name in values.get("AF") or values.get("AU") or values.get("CA") or ()],
        identifiers=[f"doi:{first('DI')}", f"pmid:{first('PM')}"],
        doi=first("DI"),
        submitted=dates.instant(f"{first('PD')} {year}") if year else None,
        journal_ref=reference(first("SO"), first("VL"), first("IS"), pages, year),
        line=line,
    )
