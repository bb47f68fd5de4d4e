"""Papers out of the house as BibTeX, RIS, CSL-JSON or JSON lines, streamed record by record.

Each form is one that our own readers in ``sources`` take back in: order of authors, identifiers,
title and abstract survive the round trip.
"""

import re
from collections.abc import Callable, Iterable, Iterator

import orjson

from broadsheet.papers import Author, Paper
from broadsheet.sources.tex import maths_spans

_BIBTEX_SPECIAL = {
    r"\$": r"\$",
    "--": "{-}{-}",
    "``": "{`}{`}",
    "''": "{'}{'}",
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}
_SPECIAL = re.compile("|".join(re.escape(typed) for typed in _BIBTEX_SPECIAL))


def export(papers: Iterable[Paper], form: str) -> Iterator[str]:
    """Pieces of text that together are the papers in the given form (a key of FORMS)."""
    if form == "csl-json":
        yield from _csl_array(papers)
        return
    write = FORMS[form]
    for paper in papers:
        yield write(paper)


def _bibtex_text(text: str) -> str:
    pieces, end = [], 0
    for start, stop in maths_spans(text):
        pieces += [_escaped(text[end:start]), text[start:stop]]
        end = stop
    return "".join([*pieces, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda found: _BIBTEX_SPECIAL[found[0]], text)


def _suffix(author: Author) -> str:
    """What the printed name has after given and family name: Jr., III."""
    whole = f"{author.given} {author.family}"
    return author.name.removeprefix(whole).strip(" ,") if author.name.startswith(whole) else ""


def _name_last_first(author: Author) -> str:
    if author.family and author.given:
        return ", ".join(part for part in (author.family, author.given, _suffix(author)) if part)
    return author.family or author.name


def _bibtex_name(author: Author) -> str:
    if author.family:
        return _bibtex_text(_name_last_first(author))
    # Braces keep a name without known parts, such as a collaboration's, in one piece.
    return "{" + _bibtex_text(author.name) + "}"


def _citation_key(paper: Paper) -> str:
    return re.sub(r"[^A-Za-z0-9:./-]", "-", paper.id)


def _date_parts(paper: Paper) -> tuple[int, int, int] | None:
    instant = paper.submitted
    day = instant.date() if instant else paper.announced
    return (day.year, day.month, day.day) if day else None


def _scheme(paper: Paper, scheme: str) -> str | None:
    for identifier in (paper.id, *paper.identifiers):
        if identifier.startswith(f"{scheme}:"):
            return identifier.removeprefix(f"{scheme}:")
    return None


def _doi(paper: Paper) -> str | None:
    return paper.doi.removeprefix("doi:") if paper.doi else _scheme(paper, "doi")


def _bibtex(paper: Paper) -> str:
    fields = [
        ("title", "{" + _bibtex_text(paper.title) + "}"),
        ("author", " and ".join(_bibtex_name(author) for author in paper.authors)),
    ]
    parts = _date_parts(paper)
    if parts:
        fields += [("year", str(parts[0])), ("date", f"{parts[0]:04}-{parts[1]:02}-{parts[2]:02}")]
    if arxiv := _scheme(paper, "arxiv"):
        fields += [("eprint", arxiv), ("archiveprefix", "arXiv")]
        if paper.categories:
            fields.append(("primaryclass", paper.categories[0]))
    optional = [
        ("doi", _doi(paper)),
        ("pmid", _scheme(paper, "pmid")),
        ("journal", paper.journal_ref and _bibtex_text(paper.journal_ref)),
        ("url", paper.links.abs),
        ("abstract", paper.abstract and _bibtex_text(paper.abstract)),
    ]
    fields += [(name, value) for name, value in optional if value]
    kind = "article" if paper.journal_ref else "misc"
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields if value)
    return f"@{kind}{{{_citation_key(paper)},\n{lines}}}\n\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _ris(paper: Paper) -> str:
    tags: list[tuple[str, str | None]] = [
        ("TY", "JOUR" if paper.journal_ref else "UNPB"),
        ("TI", paper.title),
    ]
    tags += [("AU", _name_last_first(author)) for author in paper.authors]
    parts = _date_parts(paper)
    if parts:
        tags += [("PY", str(parts[0])), ("DA", f"{parts[0]:04}/{parts[1]:02}/{parts[2]:02}")]
    tags += [("DO", _doi(paper)), ("T2", paper.journal_ref), ("UR", paper.links.abs), ("AB", paper.abstract)]
    tags.append(("AN", (pmid := _scheme(paper, "pmid")) and f"pmid:{pmid}"))
    tags += [("KW", category) for category in paper.categories]
    if arxiv := _scheme(paper, "arxiv"):
        tags.append(("M1", f"arXiv:{arxiv}"))
    written = "".join(f"{tag}  - {_one_line(value)}\n" for tag, value in tags if value)
    return f"{written}ER  - \n\n"


def _csl_name(author: Author) -> dict[str, str]:
    if author.family:
        parts = {"family": author.family, "given": author.given or "", "suffix": _suffix(author)}
        return {key: part for key, part in parts.items() if part}
    return {"literal": author.name}


def _csl(paper: Paper) -> str:
    record: dict[str, object] = {
        "id": paper.id,
        "type": "article-journal" if paper.journal_ref else "article",
        "title": paper.title,
        "author": [_csl_name(author) for author in paper.authors],
    }
    parts = _date_parts(paper)
    optional = {
        "abstract": paper.abstract,
        "issued": {"date-parts": [list(parts)]} if parts else None,
        "DOI": _doi(paper),
        "PMID": _scheme(paper, "pmid"),
        "number": f"arXiv:{arxiv}" if (arxiv := _scheme(paper, "arxiv")) else None,
        "URL": paper.links.abs,
        "container-title": paper.journal_ref,
    }
    record |= {key: value for key, value in optional.items() if value}
    return orjson.dumps(record).decode()


def _csl_array(papers: Iterable[Paper]) -> Iterator[str]:
    yield "["
    for index, paper in enumerate(papers):
        yield (",\n " if index else "\n ") + _csl(paper)
    yield "\n]\n"


def _jsonl(paper: Paper) -> str:
    record = {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": [author.name for author in paper.authors],
        "categories": list(paper.categories),
        "published": paper.submitted and paper.submitted.isoformat(),
        "updated": paper.updated and paper.updated.isoformat(),
        "announced": paper.announced and paper.announced.isoformat(),
        "version": paper.version,
        "withdrawn": paper.withdrawn,
        "comment": paper.comment,
        "journal_ref": paper.journal_ref,
        "doi": _doi(paper),
        "identifiers": list(paper.identifiers),
        "links": {"abs": paper.links.abs, "pdf": paper.links.pdf, "code": paper.links.code,
                  "project": paper.links.project},
        "source": paper.source,
    }  # fmt: skip
    return orjson.dumps(record).decode() + "\n"


FORMS: dict[str, Callable[[Paper], str]] = {
    "bibtex": _bibtex,
    "ris": _ris,
    "csl-json": _csl,
    "jsonl": _jsonl,
}
