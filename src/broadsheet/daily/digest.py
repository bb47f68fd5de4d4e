"""A reader's page of a day: made once, shown as it was offered, with what came later in its tail."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from zlib import crc32

from sqlalchemy import Connection

from broadsheet.library import announcements, digests, interactions, readers
from broadsheet.library.database import Library
from broadsheet.ranking.ranking import (
    DRAWN,
    NO_VECTORS,
    NOTHING_KNOWN,
    WORDS_ALONE,
    Index,
    Slate,
    answers_of,
    learning_notices,
    rank,
)
from broadsheet.readers import Basis, Digest, Interaction, Offered, Reader
from broadsheet.sources import calendar

# Sources whose day has begun as soon as the date says so; arXiv's begins with its mailing.
_BY_DATE = ("huggingface", "biorxiv", "medrxiv", "feeds")
_DAYS_LOOKED_BACK = 10
_NOTHING = "Nothing that you could be shown is held for this day yet."


@dataclass(frozen=True, slots=True)
class DigestPage:
    """A digest as it is printed: its papers cut at the limit, or all of them with the tail after them.

    ``digest.id`` is 0 where no paper could be offered: such a page is not kept. ``model_age_days`` is
    None where nothing was learned. Ranks in the tail follow those of the digest.
    """

    digest: Digest
    tail: tuple[Offered, ...]
    basis: Basis
    model_age_days: int | None
    notices: tuple[str, ...]
    index_version: str

    @property
    def papers(self) -> tuple[Offered, ...]:
        return self.digest.papers + self.tail


def newest_day(connection: Connection, now: datetime, reader: Reader | None = None) -> date | None:
    """The newest day whose mailing is past and of which something that the reader follows is held.

    Without a reader, or where the last days hold nothing of it, the newest of any category counts: a
    page that is empty then says so. None in an empty library.
    """
    categories = followed_categories(connection, reader) if reader else None
    newest = latest = _newest(connection, last_mailed(now), now.astimezone(UTC).date())
    for _ in range(_DAYS_LOOKED_BACK):
        if latest is None:
            break
        if announcements.announced_on(connection, latest, categories):
            return latest
        before = latest - timedelta(days=1)
        latest = _newest(connection, before, before)
    return newest


def followed_categories(connection: Connection, reader: Reader) -> frozenset[str] | None:
    """The categories and archives that a reader follows; None where there are none, which means all."""
    followed = readers.following(connection, reader.id)
    return frozenset(f.value for f in followed if f.kind == "category" and f.wanted) or None


def _newest(connection: Connection, mailed: date, dated: date) -> date | None:
    days = (
        announcements.newest_day(connection, mailed),
        announcements.newest_day(connection, dated, _BY_DATE),
    )
    return max((day for day in days if day is not None), default=None)


def last_mailed(now: datetime) -> date:
    """The last date whose arXiv mailing (20:00 Eastern on the evening before) is past, if one was due."""
    tomorrow = now.astimezone(calendar.EASTERN).date() + timedelta(days=1)
    return tomorrow if calendar.mailing_time(tomorrow) <= now else tomorrow - timedelta(days=1)


def digest_for(
    library: Library, index: Index, reader: Reader, day: date, now: datetime, limit: int
) -> DigestPage:
    """Find or make a reader's digest of a day; at most ``limit`` papers, the tail among them.

    The first call makes and keeps it, whatever the limit; two processes at once make it once. A
    reader's later interactions change the tail, never the digest.
    """
    with library.read() as connection:
        digest = digests.find(connection, reader.id, day)
        if digest is not None and limit <= len(digest.papers):
            return _page(digest, None, (now, limit), _notices(connection, digest))
        slate = rank(connection, index, reader, day, _seed(reader, day))
        if digest is not None:
            return _page(digest, slate, (now, limit), _notices(connection, digest))
    made = _keep(library, _made(slate, reader, day, now))
    return _page(made, slate, (now, limit), slate.notices if made.papers else (_NOTHING,))


def record_shown(
    library: Library, page: DigestPage, reader: Reader, now: datetime, surface: str
) -> list[Interaction]:
    """Note that a page was really shown; a tail that was shown counts as offered from then on."""
    if page.digest.id == 0:
        return []
    shown = [
        Interaction(
            reader.id,
            offer.ranked.paper.id,
            "shown",
            now,
            surface,
            page.digest.id,
            offer.ranked.rank,
            offer.chance,
        )
        for offer in page.papers
    ]
    with library.write() as connection:
        whole = digests.find(connection, reader.id, page.digest.day)
        if whole is not None:
            digests.append_tail(connection, whole, page.tail)
        return interactions.record(connection, shown)


def _seed(reader: Reader, day: date) -> int:
    return crc32(f"{reader.id} {day.isoformat()}".encode())


def _made(slate: Slate, reader: Reader, day: date, now: datetime) -> Digest:
    return Digest(
        id=0,
        reader_id=reader.id,
        day=day,
        papers=slate.offered[: slate.length],
        seed=_seed(reader, day),
        basis=slate.basis,
        trained_through=slate.trained_through,
        index_version=slate.index_version,
        made_at=now,
    )


def _keep(library: Library, digest: Digest) -> Digest:
    """Kept unless it is empty: papers that come later would all have to stand in its tail."""
    if not digest.papers:
        return digest
    with library.write() as connection:
        return digests.save(connection, digest)


def _page(
    digest: Digest, slate: Slate | None, asked: tuple[datetime, int], notices: tuple[str, ...]
) -> DigestPage:
    now, limit = asked
    return DigestPage(
        digest=replace(digest, papers=digest.papers[:limit]),
        tail=() if slate is None else _tail(digest, slate, limit),
        basis=digest.basis,
        model_age_days=max(0, (now - digest.made_at).days) if digest.basis == "taste" else None,
        notices=notices,
        index_version=digest.index_version,
    )


def _tail(digest: Digest, slate: Slate, limit: int) -> tuple[Offered, ...]:
    """What a ranking of now has beyond the digest; none of it was drawn into the list."""
    held = {offer.ranked.paper.id for offer in digest.papers}
    more = [offer for offer in slate.offered if offer.ranked.paper.id not in held]
    room = max(0, limit - len(digest.papers))
    return tuple(_undrawn(offer, place) for place, offer in enumerate(more[:room], len(digest.papers) + 1))


def _undrawn(offer: Offered, place: int) -> Offered:
    reasons = tuple(reason for reason in offer.ranked.reasons if reason != DRAWN)
    return replace(offer, ranked=replace(offer.ranked, rank=place, reasons=reasons), exploring=False)


def _notices(connection: Connection, digest: Digest) -> tuple[str, ...]:
    """What must be said of a digest that was made earlier."""
    if digest.basis == "date_and_signals":
        return (NOTHING_KNOWN,)
    votes = len(answers_of(interactions.standing(connection, digest.reader_id)))
    words_alone = (WORDS_ALONE,) if NO_VECTORS in digest.index_version else ()
    return (*learning_notices(votes), *words_alone)
