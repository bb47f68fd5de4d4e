"""The pages of arXiv's listings: sections with the announced counts, entries in ``dt``/``dd`` pairs.

``/list/<category>/new``, ``/list/<category>/recent`` and ``/catchup/…`` share this form.
"""

import re
from dataclasses import dataclass
from datetime import date

from broadsheet.errors import BadAnswer, InvalidIdentifier
from broadsheet.papers import AnnouncementKind, Author, KindCounts, parse_id
from broadsheet.sources.arxiv.announced import AnnouncedEntry, is_within
from broadsheet.sources.arxiv.metadata import paper_of
from broadsheet.sources.files.drafts import Draft
from broadsheet.sources.markup import Element, name, page, text
from broadsheet.sources.text import clean_name

_SHOWING = re.compile(r"showing\s+(?:(?:first|last|next|up to)\s+)?([\d,]+)\s+of\s+([\d,]+)", re.IGNORECASE)
_TOTAL = re.compile(r"total of\s+([\d,]+)\s+entr", re.IGNORECASE)
_DAY = re.compile(r"\b(\d{1,2})\s+([A-Z][a-z]{2})[a-z]*\.?,?\s+(\d{4})\b")
_MONTHS = {
    month: number
    for number, month in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), 1
    )
}
_NOTHING = re.compile(r"\bno (?:updates|entries|new|submissions|announcements?|results)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\(([a-z-]+(?:\.[A-Za-z-]+)?)\)")
_SECTION_KINDS: tuple[tuple[str, AnnouncementKind], ...] = (
    ("new submission", "new"),
    ("cross", "cross"),
    ("replacement", "replace"),
)


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its kind (None on /recent, whose sections are days), the counts that its heading
    prints (0 and 0 where it prints none) and its entries."""

    kind: AnnouncementKind | None
    day: date | None
    shown: int
    announced: int
    entries: tuple[AnnouncedEntry, ...]


@dataclass(frozen=True, slots=True)
class ListingPage:
    """One page: the day in its heading, the sum of entries that it prints, and its sections in order."""

    day: date | None
    total: int | None
    sections: tuple[Section, ...]


def read_page(body: bytes, category: str, what: str) -> ListingPage:
    """What a listing's page holds; raises BadAnswer for a page that is cut or is no listing.

    A section that holds fewer entries than it says to show counts as cut.
    """
    root = page(body, what)
    reader = _Reader(category, what)
    day, total = None, None
    for element in root.iter():
        tag = name(element)
        if tag in ("h1", "h2", "h3", "h4"):
            heading = _words(element)
            if not reader.open_section(heading):
                day = day or _day(heading)
        elif tag == "div" and total is None and "paging" in (element.get("class") or ""):
            total = _number(_TOTAL.search(_words(element)))
        elif tag in ("dt", "dd"):
            reader.take(element, tag)
    sections = reader.finish()
    if not sections and day is None and not _NOTHING.search(_words(root)):
        raise BadAnswer(f"{what} is no listing of announcements")
    return ListingPage(day, total, sections)


class _Reader:
    """Walks over headings, terms and descriptions in the order of the page."""

    def __init__(self, category: str, what: str) -> None:
        self.category = category
        self.what = what
        self._sections: list[Section] = []
        self._heading: Section | None = None
        self._entries: list[AnnouncedEntry] = []
        self._term: Element | None = None

    def open_section(self, heading: str) -> bool:
        """Whether the heading begins a section, which it then does."""
        showing = _SHOWING.search(heading)
        lowered = heading.lower()
        kind = next((kind for opening, kind in _SECTION_KINDS if lowered.startswith(opening)), None)
        if showing is None and kind is None:
            return False
        self._close()
        shown, announced = (_integer(showing[1]), _integer(showing[2])) if showing else (0, 0)
        self._heading = Section(kind, None if kind else _day(heading), shown, announced, ())
        return True

    def take(self, element: Element, tag: str) -> None:
        """A term waits for its description; each pair is an entry."""
        if tag == "dt":
            self._term = element
        elif self._term is not None:
            entry = _entry(self._term, element, self._heading, self.category)
            self._term = None
            if entry is not None:
                self._entries.append(entry)

    def finish(self) -> tuple[Section, ...]:
        self._close()
        return tuple(self._sections)

    def _close(self) -> None:
        if self._heading is None:
            if self._entries:
                raise BadAnswer(f"{self.what} has entries outside any section")
            return
        opened, entries = self._heading, tuple(self._entries)
        if len({entry.id for entry in entries}) < opened.shown:
            raise BadAnswer(f"{self.what} says that it shows {opened.shown} entries and holds {len(entries)}")
        self._sections.append(Section(opened.kind, opened.day, opened.shown, opened.announced, entries))
        self._heading, self._entries = None, []


def _entry(
    term: Element, description: Element, section: Section | None, category: str
) -> AnnouncedEntry | None:
    identity = _identity(term)
    if identity is None:
        return None
    paper_id, version = identity
    subjects = _part(description, "list-subjects")
    categories = tuple(dict.fromkeys(_SUBJECT.findall(subjects)))
    kind: AnnouncementKind = (section.kind if section else None) or (
        "cross" if "cross-list" in _words(term).lower() else "new"
    )
    primary = _SUBJECT.findall(_part(description, "primary-subject"))
    if kind == "replace" and primary and not is_within(primary[0], category):
        kind = "replace-cross"
    abstract = next((_words(found) for found in description.iter("p")), "")
    paper = None
    if abstract:
        paper = paper_of(
            paper_id,
            Draft(
                title=_part(description, "list-title"),
                abstract=abstract,
                authors=_authors(description),
                categories=tuple(dict.fromkeys((*primary, *categories))),
                version=version,
                comment=_part(description, "list-comments"),
                journal_ref=_part(description, "list-journal-ref"),
                doi=_part(description, "list-doi"),
            ),
        )
    return AnnouncedEntry(paper_id, version, kind, 0, paper)


def _identity(term: Element) -> tuple[str, int | None] | None:
    for link in term.iter("a"):
        address = link.get("href") or ""
        if (link.get("title") or "").lower() == "abstract" or "/abs/" in address:
            for written in (address.rpartition("/abs/")[2], _words(link)):
                try:
                    return parse_id(f"arXiv:{written.removeprefix('arXiv:')}")
                except InvalidIdentifier:
                    continue
    return None


def _part(description: Element, wanted: str) -> str:
    """The text of the element of that class, without the label that arXiv prints before it."""
    for element in description.iter("div", "span"):
        if wanted in (element.get("class") or "").split():
            labels = [mark for mark in element.iter("span") if "descriptor" in (mark.get("class") or "")]
            words = _words(element)
            return words.removeprefix(_words(labels[0])).strip() if labels else words
    return ""


def _authors(description: Element) -> tuple[Author, ...]:
    for element in description.iter("div"):
        if "list-authors" in (element.get("class") or ""):
            names = (clean_name(text(link)) for link in element.iter("a"))
            return tuple(Author(given) for given in names if given)
    return ()


def _words(element: Element) -> str:
    return " ".join(text(element).split())


def _day(words: str) -> date | None:
    found = _DAY.search(words)
    if found is None or found[2] not in _MONTHS:
        return None
    try:
        return date(int(found[3]), _MONTHS[found[2]], int(found[1]))
    except ValueError:
        return None


def _integer(digits: str) -> int:
    return int(digits.replace(",", "")[:9] or "0")


def _number(found: re.Match[str] | None) -> int | None:
    return _integer(found[1]) if found else None


def printed_counts(totals: dict[AnnouncementKind, int]) -> KindCounts:
    """The counts as arXiv prints them: replacements and their cross-lists in one sum."""
    return KindCounts(totals.get("new", 0), totals.get("cross", 0), totals.get("replace", 0), None)
