"""Which format a file is in, told from its first bytes; names are only for people."""

import re

import orjson

from broadsheet.sources.files.encodings import decoded

HEAD = 65_536
_XML_NOISE = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\]\s*)?>)", re.DOTALL)
_ROOT = re.compile(r"\s*<(?:[\w.-]+:)?([A-Za-z][\w.-]*)([^>]*)")
_XML_ROOTS = {
    "OAI-PMH": "oai",
    "rss": "feed",
    "channel": "feed",
    "PubmedArticleSet": "pubmed-xml",
    "PubmedArticle": "pubmed-xml",
    "PubmedBookArticle": "pubmed-xml",
    "PubmedBookArticleSet": "pubmed-xml",
    "MedlineCitationSet": "pubmed-xml",
    "crossref_result": "crossref-xml",
    "doi_records": "crossref-xml",
    "xml": "endnote-xml",
    "records": "endnote-xml",
}
_LINES = (
    ("bibtex", re.compile(r"^\s*@[A-Za-z]+\s*[{(]", re.MULTILINE)),
    ("ris", re.compile(r"^\s*TY {1,2}- ?", re.MULTILINE)),
    ("nbib", re.compile(r"^PMID ?- ", re.MULTILINE)),
    ("isi", re.compile(r"^PT [A-Z]$", re.MULTILINE)),
    ("enw", re.compile(r"^%[0TAJD] ", re.MULTILINE)),
    ("ris", re.compile(r"^(?:T1|TI|A1|AU|ID) {1,2}- ", re.MULTILINE)),
)
_MARKUP = re.compile(r"^(?:[#>|*+`]|- |\d+\. |---|===)", re.MULTILINE)
_JSON_TITLE = re.compile(r"^\s*[\[{]")
_ANSWER_KEYS = frozenset(
    ["message", "messages", "collection", "results", "data", "items", "error", "paperId", "paper", "DOI"]
)
_SHORTEST_ABSTRACT = 200
_LONGEST_HEADING = 120


def recognise(head: bytes) -> str | None:
    """The name of the format that a file's first bytes show, or None.

    Beside the names of ``add --format`` there are ``json`` (a document of one of the services' answers,
    told apart after reading), ``crossref-xml``, ``isi`` and ``html``.
    """
    text = decoded(head).lstrip("\ufeff \t\n")
    if not text or "\x00" in text[:200]:
        return None
    if _JSON_TITLE.match(text):
        return _json(text)
    if text.startswith("<"):
        return _xml(text)
    for name, pattern in _LINES:
        if pattern.search(text):
            return name
    return "daily-page" if _is_page(text) else None


def _json(text: str) -> str:
    """``jsonl`` where each line is an object of its own, else ``json``."""
    if text.startswith("["):
        return "json"
    first, _, rest = text.partition("\n")
    try:
        record = orjson.loads(first)
    except orjson.JSONDecodeError:
        return "jsonl" if rest.lstrip().startswith("{") or _starts_record(first) else "json"
    has_more = rest.lstrip().startswith("{")
    return "jsonl" if has_more or _is_record(record) else "json"


def _starts_record(first: str) -> bool:
    return re.match(r'\{\s*"(?:id|title|item|_id|arxiv_id)"\s*:', first) is not None


def _is_record(record: object) -> bool:
    return isinstance(record, dict) and not record.keys() & _ANSWER_KEYS


def _xml(text: str) -> str | None:
    while noise := _XML_NOISE.match(text):
        text = text[noise.end() :]
    root = _ROOT.match(text)
    if root is None:
        return None
    name, attributes = root[1], root[2]
    if name == "feed":
        opening = text[:3000]
        is_arxiv = "arxiv.org/api" in opening or "arxiv.org/schemas/atom" in opening
        return "arxiv-atom" if is_arxiv and "announce_type" not in text else "feed"
    if name == "RDF":
        return "feed" if "purl.org/rss/1.0" in attributes else "zotero-rdf"
    if name.lower() == "html":
        return "html"
    return _XML_ROOTS.get(name)


def _is_page(text: str) -> bool:
    """A heading line, then paragraphs of one line each that are long enough to be abstracts."""
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]
    if len(paragraphs) < 2 or _MARKUP.search(text):
        return False
    heading, first = paragraphs[0], paragraphs[1:]
    complete = first[:-1] or first
    return (
        len(heading) <= _LONGEST_HEADING
        and "\n" not in heading
        and all(len(one) >= _SHORTEST_ABSTRACT and "\n" not in one for one in complete)
    )
