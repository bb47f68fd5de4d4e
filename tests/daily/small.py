"""A made-up arXiv of a few papers, written out by a test."""

import random
from datetime import UTC, date, datetime, timedelta

from tests.fake_sources.world import Entry, Version, World, WorldPaper, mailing


class SmallWorld(World):
    """Two categories and the named announcement days; papers are put in one by one."""

    def __init__(self, *days: date, names: tuple[str, ...] = ("cs.XA", "math.XX")) -> None:
        self.rng = random.Random(0)
        self.names = names
        self.papers: dict[str, WorldPaper] = {}
        self.entries: list[Entry] = []
        self.by_day: dict[tuple[str, date], list[Entry]] = {}
        self.days = list(days)
        self.mailings = {day: mailing(day) for day in days}

    def paper(
        self, paper_id: str, day: date, categories: tuple[str, ...] = ("cs.XA",), age: int = 1
    ) -> WorldPaper:
        """A new paper in its categories, submitted ``age`` days before its mailing."""
        visible = self.mailings[day]
        version = self._text(paper_id, 1, visible - timedelta(days=age), visible)
        listed = [(name, visible) for name in categories]
        made = WorldPaper(paper_id, (("Ada", "Quillfeather"),), listed, [version], day, touched=[visible])
        self.papers[paper_id] = made
        for place, name in enumerate(categories):
            self._announce(made, name, day, "new" if place == 0 else "cross")
        return made

    def older(self, paper_id: str, categories: tuple[str, ...] = ("cs.XA",)) -> WorldPaper:
        """A paper from before the first day, which no batch here announces."""
        then = datetime(2026, 1, 5, tzinfo=UTC)
        listed = [(name, then) for name in categories]
        version = self._text(paper_id, 1, then, then)
        made = WorldPaper(paper_id, (("Ada", "Quillfeather"),), listed, [version], None, touched=[then])
        self.papers[paper_id] = made
        return made

    def replace(self, paper_id: str, day: date, comment: str = "") -> None:
        """The next version of a paper, announced in all its categories."""
        paper, visible = self.papers[paper_id], self.mailings[day]
        number = len(paper.versions) + 1
        paper.versions.append(self._text(paper_id, number, visible - timedelta(days=1), visible, comment))
        paper.touched.append(visible)
        for place, (name, _) in enumerate(paper.categories):
            self._announce(paper, name, day, "replace" if place == 0 else "replace-cross")

    def cross_list(self, paper_id: str, name: str, day: date) -> None:
        """A paper that is listed in one more category on a day."""
        paper, visible = self.papers[paper_id], self.mailings[day]
        paper.categories.append((name, visible))
        paper.touched.append(visible)
        self._announce(paper, name, day, "cross")

    def _announce(self, paper: WorldPaper, name: str, day: date, kind: str) -> None:
        entry = Entry(paper.id, name, day, kind, len(paper.versions), self.mailings[day])
        self.entries.append(entry)
        self.by_day.setdefault((name, day), []).append(entry)

    def _text(
        self, paper_id: str, number: int, submitted: datetime, visible: datetime, comment: str = ""
    ) -> Version:
        words = f"Text {number} of {paper_id}"
        return Version(number, submitted, words, f"{words}, with all its sentences.", comment, visible)


def hours_after(world: World, day: date, hours: float = 4) -> datetime:
    """A moment after a day's mailing was due."""
    return mailing(day) + timedelta(hours=hours)
