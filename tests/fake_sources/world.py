"""Thirty announcement days of a made-up arXiv: what was announced, when it could be seen, and where.

The world runs over the autumn of 2026, so it meets the end of daylight saving (1 November) and
Thanksgiving (26 November: no mailing that evening). Three more days are drawn by the seed: one whose
mailing comes a night late together with the next, one whose mailing never comes though the calendar
expects it, and days on which papers arrive in a batch after it was announced.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.fake_sources import words

EASTERN = ZoneInfo("America/New_York")
FIRST_DAY = date(2026, 10, 19)
CATEGORIES = ("cs.LG", "cs.CV", "stat.ML", "math.OC", "astro-ph.GA", "hep-th")
HOLIDAY_BATCH = date(2026, 11, 27)
KINDS = ("new", "cross", "replace", "replace-cross")


@dataclass(frozen=True)
class Version:
    number: int
    submitted: datetime
    title: str
    abstract: str
    comment: str
    visible: datetime


@dataclass
class WorldPaper:
    """A paper; ``categories`` are (category, visible from), the primary one first."""

    id: str
    authors: tuple[tuple[str, str], ...]
    categories: list[tuple[str, datetime]]
    versions: list[Version]
    announced: date | None = None
    journal_ref: str = ""
    touched: list[datetime] = field(default_factory=list)

    def version_at(self, now: datetime) -> Version | None:
        seen = [v for v in self.versions if v.visible <= now]
        return seen[-1] if seen else None

    def categories_at(self, now: datetime) -> list[str]:
        return [name for name, since in self.categories if since <= now]

    def stamp_at(self, now: datetime) -> date:
        """The OAI datestamp: the UTC day of the last visible change."""
        return max(t for t in self.touched if t <= now).date()


@dataclass(frozen=True)
class Entry:
    """One line of a batch, and the instant from which the source shows it."""

    paper_id: str
    category: str
    day: date
    kind: str
    version: int
    visible: datetime


def mailing(day: date) -> datetime:
    """20:00 US Eastern on the evening before ``day``."""
    return datetime.combine(day - timedelta(days=1), time(20), EASTERN).astimezone(UTC)


def weekdays(first: date, count: int) -> list[date]:
    """``count`` days from Monday to Friday, beginning with ``first``."""
    found: list[date] = []
    day = first
    while len(found) < count:
        if day.weekday() < 5:
            found.append(day)
        day += timedelta(days=1)
    return found


class World:
    """All papers and entries of one seed. Time is never kept here: each question brings its own."""

    def __init__(
        self, seed: int, days: int = 30, papers: int = 3000, categories: Iterable[str] = CATEGORIES
    ) -> None:
        self.rng = random.Random(seed)
        self.names = tuple(categories)
        self.papers: dict[str, WorldPaper] = {}
        self.entries: list[Entry] = []
        calendar = [d for d in weekdays(FIRST_DAY, days + 2) if d != HOLIDAY_BATCH][: days + 1]
        quiet = [d for d in calendar[2:-2] if d.weekday() in (1, 2)]
        self.silent_day, self.delayed_day = self.rng.sample(quiet, 2)
        if abs((self.delayed_day - self.silent_day).days) < 3:
            self.delayed_day = next(d for d in quiet if abs((d - self.silent_day).days) > 3)
        self.days = [d for d in calendar if d != self.silent_day]
        self.mailings = {d: mailing(d) for d in self.days}
        following = self.days[self.days.index(self.delayed_day) + 1]
        self.mailings[self.delayed_day] = mailing(following)
        self._fill(papers)
        self.by_day: dict[tuple[str, date], list[Entry]] = {}
        for entry in self.entries:
            self.by_day.setdefault((entry.category, entry.day), []).append(entry)

    @property
    def first_moment(self) -> datetime:
        return self.mailings[self.days[0]]

    @property
    def last_moment(self) -> datetime:
        """Long enough after the last mailing that every late arrival is there."""
        return self.mailings[self.days[-1]] + timedelta(days=6)

    def _fill(self, papers: int) -> None:
        old = papers // 10
        for number in range(old):
            self._older(number)
        share, rest = divmod(papers - old, len(self.days))
        number = old
        for index, day in enumerate(self.days):
            for _ in range(share + (1 if index < rest else 0)):
                self._new(number, day)
                number += 1
            self._replacements(day, max(2, share // 3))
            self._cross_lists(day, max(1, share // 10))
        for paper in self.papers.values():
            if self.rng.random() < 0.02:
                self._administrative_change(paper)

    def _draw_categories(self, old_style: bool = False) -> list[str]:
        primary = "hep-th" if old_style and "hep-th" in self.names else self.rng.choice(self.names)
        others = [c for c in self.names if c != primary and self.rng.random() < 0.18]
        return [primary, *others, *(["cs.DL"] if self.rng.random() < 0.1 else [])]

    def _version(self, number: int, paper: int, submitted: datetime, visible: datetime) -> Version:
        title = words.title(self.rng, paper)
        comment = self.rng.choice(("", f"{self.rng.randint(4, 60)} pages", "Code: https://github.com/a/b"))
        return Version(number, submitted, title, words.abstract(self.rng), comment, visible)

    def _older(self, number: int) -> None:
        old_style = number % 7 == 0
        paper_id = f"hep-th/0505{number:03d}" if old_style else f"2605.{number:05d}"
        then = datetime(2005, 5, 3, 9, tzinfo=UTC) if old_style else datetime(2026, 5, 4, 9, tzinfo=UTC)
        names = [(c, then) for c in self._draw_categories(old_style)]
        first = self._version(1, number, then, then)
        paper = WorldPaper(paper_id, words.authors(self.rng), names, [first], None, touched=[then])
        self.papers[paper_id] = paper

    def _new(self, number: int, day: date) -> None:
        visible = self.mailings[day]
        if self.rng.random() < 0.015:
            visible = visible + timedelta(days=self.rng.randint(1, 4), hours=self.rng.randint(-6, 6))
        submitted = mailing(day) - timedelta(hours=self.rng.uniform(6.5, 29))
        if self.rng.random() < 0.03:
            submitted -= timedelta(days=9)
        paper_id = f"{day:%y%m}.{number:05d}"
        names = self._draw_categories()
        paper = WorldPaper(
            paper_id,
            words.authors(self.rng),
            [(c, visible) for c in names],
            [self._version(1, number, submitted.replace(microsecond=0), visible)],
            day,
            touched=[visible],
        )
        self.papers[paper_id] = paper
        self._enter(paper, names, day, ("new", "cross"), visible)

    def _enter(
        self, paper: WorldPaper, names: list[str], day: date, kinds: tuple[str, str], visible: datetime
    ) -> None:
        version = paper.versions[-1].number
        for index, name in enumerate(names):
            if name in self.names:
                kind = kinds[0] if index == 0 else kinds[1]
                self.entries.append(Entry(paper.id, name, day, kind, version, visible))

    def _settled(self, day: date, count: int) -> list[WorldPaper]:
        """Papers whose last appearance lies a week or more before ``day``."""
        limit = self.mailings[day] - timedelta(days=7)
        able = [p for p in self.papers.values() if max(p.touched) < limit and len(p.versions) < 5]
        return self.rng.sample(able, min(count, len(able)))

    def _replacements(self, day: date, count: int) -> None:
        visible = self.mailings[day]
        for paper in self._settled(day, count):
            last = paper.versions[-1]
            submitted = (mailing(day) - timedelta(hours=self.rng.uniform(6.5, 29))).replace(microsecond=0)
            version = self._version(last.number + 1, int(last.title.rsplit(" ", 1)[1]), submitted, visible)
            if self.rng.random() < 0.06:
                comment = "This paper has been withdrawn by the authors due to an error in Lemma 2"
                text = "This submission has been withdrawn."
                version = Version(version.number, submitted, last.title, text, comment, visible)
            paper.versions.append(version)
            paper.touched.append(visible)
            names = paper.categories_at(visible)
            self._enter(paper, names, day, ("replace", "replace-cross"), visible)

    def _cross_lists(self, day: date, count: int) -> None:
        visible = self.mailings[day]
        for paper in self._settled(day, count):
            free = [c for c in self.names if c not in paper.categories_at(visible)]
            if free:
                name = self.rng.choice(free)
                paper.categories.append((name, visible))
                paper.touched.append(visible)
                self._enter(paper, ["", name], day, ("", "cross"), visible)

    def _administrative_change(self, paper: WorldPaper) -> None:
        paper.journal_ref = f"J. Made-up Res. {self.rng.randint(1, 90)}"
        paper.touched.append(max(paper.touched) + timedelta(days=2))
        paper.touched.sort()

    # what can be seen

    def batch(self, category: str, day: date, now: datetime) -> list[Entry]:
        """The entries of a category (or a whole archive, such as ``cs``) shown for a day at ``now``."""
        names = [c for c in self.names if c == category or c.startswith(f"{category}.")]
        found = [e for c in names for e in self.by_day.get((c, day), ()) if e.visible <= now]
        seen: dict[str, Entry] = {}
        for entry in sorted(found, key=lambda e: (KINDS.index(e.kind), e.paper_id)):
            seen.setdefault(entry.paper_id, entry)
        return list(seen.values())

    def mailed(self, now: datetime) -> list[date]:
        """The days whose batches are out at ``now``, oldest first."""
        return [d for d in self.days if self.mailings[d] <= now]

    def told(self, category: str, day: date, now: datetime) -> dict[str, set[str]]:
        """What was announced of one category and day by ``now``: ids by kind."""
        kinds: dict[str, set[str]] = {kind: set() for kind in KINDS}
        for entry in self.by_day.get((category, day), ()):
            if entry.visible <= now:
                kinds[entry.kind].add(entry.paper_id)
        return kinds

    def settled(self, day: date) -> datetime:
        """When a day cannot grow any more: a week after its mailing was due."""
        return mailing(day) + timedelta(days=7)

    def truth(self, now: datetime) -> dict[tuple[str, date], dict[str, set[str]]]:
        """Exactly what was announced by ``now``: ids by category and day, and kind."""
        told = {key: self.told(*key, now) for key in self.by_day}
        return {key: kinds for key, kinds in told.items() if any(kinds.values())}
