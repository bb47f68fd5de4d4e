"""BibTeX and BibLaTeX as Zotero, JabRef, Mendeley, ADS, DBLP and people write them.

bibtexparser knows the grammar; it is given one entry at a time, so that a broken entry costs only
itself and hostile input stays bounded. Values are put together here, since strings reach over entries.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Block, DuplicateFieldKeyBlock, Entry, Field, ParsingFailedBlock, String

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.journals import arxiv_in, doi_in, reference
from broadsheet.sources.text import author, clean_bibtex, named

_START = re.compile(r"^[^\S\n]*@[A-Za-z]+\s*[{(]", re.MULTILINE)
_ANY_START = re.compile(r"@[A-Za-z]+\s*[{(]")
_LARGEST_ENTRY = 500_000
_MOST_STARTS = 300
_MOST_ENTRIES = 200_000
_NO_PAPERS = frozenset(("comment", "preamble", "string", "control", "xdata", "set"))
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NOT_INHERITED = frozenset(
    ("doi", "url", "eprint", "abstract", "author", "note", "timestamp", "crossref", "key")
)
# The names that astronomy's styles give to journals.
_JOURNALS = {
    "\\aap": "Astronomy & Astrophysics",
    "\\aj": "Astronomical Journal",
    "\\apj": "Astrophysical Journal",
    "\\apjl": "Astrophysical Journal Letters",
    "\\apjs": "Astrophysical Journal Supplement Series",
    "\\araa": "Annual Review of Astronomy and Astrophysics",
    "\\jcap": "Journal of Cosmology and Astroparticle Physics",
    "\\mnras": "Monthly Notices of the Royal Astronomical Society",
    "\\nat": "Nature",
    "\\pasp": "Publications of the Astronomical Society of the Pacific",
    "\\physrep": "Physics Reports",
    "\\prd": "Physical Review D",
    "\\prl": "Physical Review Letters",
}
_KEPT = ("date-added", "dateadded", "date_added", "timestamp", "creationdate", "added-at")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_NAME_PART = re.compile(r"\b(family|given|prefix|suffix)\s*=\s*", re.IGNORECASE)


@dataclass(slots=True)
class _Raw:
    """One entry with its values put together but not cleaned."""

    kind: str
    key: str
    line: int
    values: dict[str, str] = field(default_factory=dict)


def parse(text: str, path: str) -> Iterator[Arrival | Skipped]:
    """Each entry's paper, with what it inherits by ``crossref``; a broken entry is Skipped."""
    entries: list[_Raw | Skipped] = list(_entries(text, path))
    by_key = {raw.key.lower(): raw for raw in entries if isinstance(raw, _Raw)}
    for raw in entries:
        if isinstance(raw, Skipped):
            yield raw
        elif raw.kind not in _NO_PAPERS:
            yield arrival(_draft(_inherited(raw, by_key), raw.line), path)


def _entries(text: str, path: str) -> Iterator[_Raw | Skipped]:
    strings = {month: month for month in _MONTHS}
    starts = [found.start() for found in _START.finditer(text)]
    if not starts and (found := _ANY_START.search(text)):
        starts = [found.start()]
    if not starts:
        return
    if len(starts) > _MOST_ENTRIES:
        yield Skipped(path, 1, f"more than {_MOST_ENTRIES:,} entries in one file; split it")
        return
    line, counted = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        line += text.count("\n", counted, start)
        counted = start
        yield from _chunk(text[start:end], path, line, strings)


def _chunk(chunk: str, path: str, line: int, strings: dict[str, str]) -> Iterator[_Raw | Skipped]:
    """What one entry's stretch of the file holds; strings found are added to ``strings``."""
    if len(chunk) > _LARGEST_ENTRY or len(_ANY_START.findall(chunk)) > _MOST_STARTS:
        yield Skipped(path, line, "an entry larger than any paper's")
        return
    for block in parse_string(chunk, parse_stack=[]).blocks:
        found = _of_block(block, path, line + (block.start_line or 0), strings)
        if found is not None:
            yield found


def _of_block(block: Block, path: str, line: int, strings: dict[str, str]) -> _Raw | Skipped | None:
    if isinstance(block, String):
        strings[block.key.lower()] = _value(block.value, strings)
        return None
    if isinstance(block, DuplicateFieldKeyBlock):
        whole = block.ignore_error_block
        return _raw(whole, line, strings) if isinstance(whole, Entry) else None
    if isinstance(block, ParsingFailedBlock):
        return Skipped(path, line, "a broken entry: its braces or quotes do not close")
    return _raw(block, line, strings) if isinstance(block, Entry) else None


def _raw(entry: Entry, line: int, strings: Mapping[str, str]) -> _Raw:
    raw = _Raw(entry.entry_type.lower(), entry.key, line)
    fields: list[Field] = entry.fields
    for one in fields:
        raw.values.setdefault(one.key.strip().lower(), _value(str(one.value), strings))
    return raw


def _value(typed: str, strings: Mapping[str, str]) -> str:
    """A field's value: its parts joined where ``#`` joins them, names of strings replaced."""
    typed = typed.strip()
    if "#" not in typed or (typed.startswith("{") and _closing(typed, 0) == len(typed)):
        return _part(typed, strings)
    pieces, place = [], 0
    while place < len(typed):
        opening = typed[place]
        if opening in ' \t\n#"{':
            end = place + 1 if opening not in '"{' else _closing(typed, place)
        else:
            end = next((at for at in range(place, len(typed)) if typed[at] in " \t\n#"), len(typed))
        if opening not in " \t\n#":
            pieces.append(_part(typed[place:end], strings))
        place = end
    return "".join(pieces)


def _closing(typed: str, start: int) -> int:
    """The place after the brace or quote that closes the one at ``start``; the end if none does."""
    depth = 0
    for place in range(start, len(typed)):
        character = typed[place]
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        if depth == 0 and (place > start if character == '"' else character == "}"):
            return place + 1
    return len(typed)


def _part(part: str, strings: Mapping[str, str]) -> str:
    if len(part) >= 2 and part[0] + part[-1] in ("{}", '""'):
        return part[1:-1]
    return strings.get(part.lower(), part)


def _inherited(raw: _Raw, by_key: Mapping[str, _Raw]) -> Mapping[str, str]:
    """The entry's values and, for what it lacks, those of the entries that it refers to."""
    values, seen, parent = dict(raw.values), {raw.key.lower()}, raw.values.get("crossref", "").lower()
    while parent and parent in by_key and parent not in seen:
        seen.add(parent)
        theirs = by_key[parent].values
        values.setdefault("booktitle", theirs.get("booktitle") or theirs.get("title", ""))
        for key, value in theirs.items():
            if key not in _NOT_INHERITED and key != "title":
                values.setdefault(key, value)
        parent = theirs.get("crossref", "").lower()
    return values


def _draft(values: Mapping[str, str], line: int) -> Draft:
    get = values.get
    title = ": ".join(part for part in (get("title", ""), get("subtitle", "")) if part)
    title = title or get("booktitle", "")
    year = clean_bibtex(get("year", "") or get("date", ""))[:4]
    journal = get("journal") or get("journaltitle") or get("booktitle") or ""
    journal = _JOURNALS.get(journal.strip(), journal)
    issue = get("number") or get("issue") or ""
    doi, url = _unescaped(get("doi", "")), _unescaped(get("url", ""))
    classes = clean_bibtex(get("primaryclass") or get("eprintclass") or "")
    return Draft(
        title=title,
        abstract=get("abstract", ""),
        authors=authors_of(get("author") or get("editor") or ""),
        identifiers=[*_identifiers(values), f"doi:{doi_in(doi)}", url],
        doi=doi_in(doi),
        submitted=_submitted(values),
        categories=[classes] if classes and " " not in classes else [],
        comment=get("note", ""),
        journal_ref=reference(journal, get("volume", ""), issue, get("pages", ""), year),
        address=url,
        code=get("code", "") or get("github", ""),
        is_bibtex=True,
        kept=_kept(values),
        line=line,
    )


def authors_of(typed: str) -> list[Author]:
    """Authors in their order from BibTeX's list; ``others`` is nobody, a name in braces is a group's."""
    found = (_author(name) for name in _split_names(typed))
    return [one for one in found if one is not None and one.name]


def _split_names(typed: str) -> Iterator[str]:
    """The names between ``and`` outside braces."""
    pending = ""
    for piece in _AND.split(typed):
        pending = f"{pending} and {piece}" if pending else piece
        if pending.count("{") <= pending.count("}"):
            yield pending.strip()
            pending = ""
    if pending:
        yield pending.strip()


def _author(name: str) -> Author | None:
    if name.lower() in ("others", "et al.", ""):
        return None
    if name.startswith("{") and _closing(name, 0) == len(name):
        return Author(clean_bibtex(name[1:-1]))
    if "=" in name and _NAME_PART.search(name):
        return _author_by_parts(name)
    return author(clean_bibtex(name))


def _author_by_parts(name: str) -> Author:
    """BibLaTeX's extended form: ``family=Berg, given=Alexander, prefix=van``."""
    parts: dict[str, str] = {}
    pieces = _NAME_PART.split(name)
    for label, value in zip(pieces[1::2], pieces[2::2], strict=True):
        parts[label.lower()] = clean_bibtex(value).strip(" ,")
    family = " ".join(part for part in (parts.get("prefix", ""), parts.get("family", "")) if part)
    return named(family, parts.get("given", ""), parts.get("suffix", ""))


def _unescaped(typed: str) -> str:
    return re.sub(r"\\([_%&#])", r"\1", typed).replace("{", "").replace("}", "").strip()


def _identifiers(values: Mapping[str, str]) -> list[str]:
    eprint = values.get("eprint", "").strip()
    archive = (values.get("archiveprefix") or values.get("eprinttype") or "arxiv").lower()
    typed = [
        values.get(key, "")
        for key in ("arxivid", "arxiv", "number", "journal", "journaltitle", "note", "url")
    ]
    typed += [values.get(key, "") for key in ("howpublished", "volume", "pages")]
    return [
        eprint if archive == "arxiv" else f"pmid:{eprint}" if archive == "pubmed" else "",
        values.get("arxivid", ""),
        *(arxiv_in(one) for one in typed),
        f"pmid:{values.get('pmid', '')}",
    ]


def _submitted(values: Mapping[str, str]) -> datetime | None:
    if stated := values.get("date"):
        return dates.instant(clean_bibtex(stated).partition("/")[0])
    year = clean_bibtex(values.get("year", ""))
    month = clean_bibtex(values.get("month", ""))
    found = dates.instant(f"{month} {year}") if month and not month.isdigit() else dates.instant(year)
    if found and month.isdigit():
        return dates.of_parts(found.year, int(month[:2]), 1)
    return found


def _kept(values: Mapping[str, str]) -> date | None:
    if "dblp" in (values.get("bibsource", "") + values.get("biburl", "")).lower():
        return None
    return next((found for key in _KEPT if (found := dates.day(values.get(key, "")))), None)
