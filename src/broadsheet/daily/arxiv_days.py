"""What arXiv announced, by day and category, over all routes that tell it.

For each category the listing gives the newest batch, catch-up every other day that is owed, the feed the
versions of replacements and a second witness of the newest batch. A route that still shows an earlier
batch is named in the report, and the others are asked.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from broadsheet.daily.day_rows import LOOK_BACK, Almanac, settle
from broadsheet.daily.plans import ArxivPlan, Run
from broadsheet.daily.taking_in import Told, known_entries, take_announcement
from broadsheet.library import ledger
from broadsheet.library.ledger import LedgerDay
from broadsheet.papers import Paper
from broadsheet.sources import calendar
from broadsheet.sources.arxiv import catchup, feed, listing
from broadsheet.sources.arxiv.announced import CATCHUP_DAYS, AnnouncedEntry, Batch

_DAY = timedelta(days=1)


@dataclass(slots=True)
class Announced:
    """What the routes told in this run beside the ledger.

    ``stale``: categories whose newest day is still owed while a route shows an earlier batch.
    ``papers`` came with their announcement, by identifier. ``newest`` is the newest day that was told.
    """

    stale: set[str] = field(default_factory=set)
    papers: dict[str, Paper] = field(default_factory=dict)
    newest: date = date.min


def last_day(now: datetime) -> date:
    """The newest day that has a row: today in arXiv's calendar, or tomorrow once its mailing is past."""
    today = now.astimezone(calendar.EASTERN).date()
    return max(today, calendar.newest_batch_day(now))


def almanac(now: datetime, stale: Collection[str] = (), not_before: datetime | None = None) -> Almanac:
    """arXiv's calendar, beside what this run has met."""
    askable_from = now.astimezone(calendar.EASTERN).date() - timedelta(days=CATCHUP_DAYS)
    return Almanac(calendar.expectation, calendar.mailing_time, askable_from, frozenset(stale), not_before)


def take_announcements(run: Run, plan: ArxivPlan, firsts: Mapping[str, date], last: date) -> Announced:
    """Ask for every owed day of every category; each answer is committed as it comes."""
    found = Announced()
    newest = calendar.newest_batch_day(run.now)
    for category in plan.categories:
        run.tell(f"arxiv: what was announced in {category}")
        asking = _Asking(run, plan, category, found)
        if last >= newest:
            asking.listing(newest)
        for day in _owed(run, category, firsts[category], last):
            if day not in asking.told and catchup.reaches(day, run.now):
                asking.catchup(day)
        if last >= newest:
            asking.feed(newest)
            asking.judge(newest)
    return found


def _owed(run: Run, category: str, first: date, last: date) -> list[date]:
    """The days to ask for, oldest first: all in the look-back, and those before it that are still owed.

    Weekend days are left out: if a batch were dated so, the listing would say it.
    """
    with run.library.read() as conn:
        rows = ledger.days(conn, run.source, first, last, [category])
        seen = ledger.newest_taken_in(conn, run.source).get(category, last)
    recent = min(seen, last) - LOOK_BACK
    days = (first + _DAY * n for n in range((last - first).days + 1))
    return [
        day
        for day in days
        if calendar.expectation(day) != "weekend"
        and (day >= recent or still_owed(rows.get((category, day)), day))
    ]


def still_owed(row: LedgerDay | None, day: date) -> bool:
    """Whether a day must be asked for again: until it is settled and was looked at a week after it came."""
    if row is None or row.state not in ("complete", "none_expected", "unknown"):
        return True
    return row.checked_at is None or row.checked_at < calendar.mailing_time(day) + LOOK_BACK


class _Asking:
    """One category's routes in this run: ``told`` are the days that were told whole, ``shown`` those
    on which something was announced, ``earlier`` the routes that showed only an earlier batch."""

    def __init__(self, run: Run, plan: ArxivPlan, category: str, found: Announced) -> None:
        self.run = run
        self.plan = plan
        self.category = category
        self.found = found
        self.told: set[date] = set()
        self.shown: set[date] = set()
        self.earlier: set[str] = set()

    def listing(self, newest: date) -> None:
        """The newest batch with its printed counts."""
        address = self.plan.addresses.listing
        batch = self.run.ask("listing", lambda: listing.fetch_new(self.plan.client, address, self.category))
        if batch is None:
            return
        if batch.day < newest:
            self.earlier.add("listing")
        elif batch.entries:
            self._take(batch)

    def catchup(self, day: date) -> None:
        """One day's batch with its printed counts; an empty one says that nothing was announced."""
        address = self.plan.addresses.catchup
        batch = self.run.ask("catch-up", lambda: catchup.fetch(self.plan.client, address, self.category, day))
        if batch is not None:
            self._take(batch)

    def feed(self, newest: date) -> None:
        """The newest batch with versions. One that is known from an earlier day is not taken in again."""
        address = self.plan.addresses.feed
        page = self.run.ask("feed", lambda: feed.fetch(self.plan.client, address, self.category))
        if page is None:
            return
        days = []
        for batch in page.batches:
            day = self._repeats(batch) or batch.day
            days.append(day)
            if day == batch.day and batch.entries:
                self._take(batch)
        if days and max(days) < newest:
            self.earlier.add("feed")
            self.run.notice(f"arxiv: the feed of {self.category} still holds the batch of {max(days)}.")

    def judge(self, newest: date) -> None:
        """Whether the newest day is owed while a route still shows an earlier batch."""
        if newest in self.shown or not self.earlier:
            return
        if "feed" in self.earlier or newest not in self.told:
            self.found.stale.add(self.category)

    def _repeats(self, batch: Batch) -> date | None:
        """The earlier day whose batch this is under a newer date."""
        told = {(entry.id, entry.kind) for entry in batch.entries}
        with self.run.library.read() as conn:
            if told & known_entries(conn, self.run.source, self.category, batch.day):
                return None
            for back in range(1, LOOK_BACK.days + 1):
                day = batch.day - _DAY * back
                if told and told <= known_entries(conn, self.run.source, self.category, day):
                    return day
        return None

    def _take(self, batch: Batch) -> None:
        """Commit one batch and keep the papers that it brought."""
        for note in batch.notes:
            self.run.notice(f"arxiv: {note}")
        entries = tuple((entry.id, entry.kind, entry.version) for entry in batch.entries)
        told = Told(self.category, batch.day, entries, batch.counts)
        run, day = self.run, batch.day
        with run.library.write() as conn:
            known = ledger.days(conn, run.source, day, day, [self.category])
            take_announcement(conn, run.source, told, run.now)
            if entries or not known:
                settle(conn, run.source, {self.category: day}, day, almanac(run.now), run.now)
        self.told.add(batch.day)
        if entries:
            self.shown.add(batch.day)
            self.found.newest = max(self.found.newest, batch.day)
        for entry in batch.entries:
            held = self.found.papers.get(entry.id)
            newer = entry.paper and (held is None or entry.paper.version > held.version)
            if entry.paper and newer and self._says_its_version(entry, day):
                self.found.papers[entry.id] = entry.paper

    def _says_its_version(self, entry: AnnouncedEntry, day: date) -> bool:
        """Whether it is known which version the text beside an entry is of.

        Pages show the present text without its number: only a new paper of the newest batch cannot have
        been replaced yet.
        """
        if entry.version is not None:
            return True
        return entry.kind == "new" and day >= calendar.newest_batch_day(self.run.now)
