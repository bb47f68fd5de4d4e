"""Digests: one list for a reader and a local day, kept as it was offered."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import date

import orjson
from sqlalchemy import Connection, func, insert, select

from broadsheet.library import dialects
from broadsheet.library.papers import keys_of
from broadsheet.library.rows import PAPER_COLUMNS, AnyRow, paper_of
from broadsheet.library.tables import digest_papers, digests, papers
from broadsheet.papers import RankedPaper, Reason
from broadsheet.readers import Digest, Offered


def find(connection: Connection, reader_id: int, day: date) -> Digest | None:
    """The digest of a reader for a day with its papers as they are known now, or None."""
    chosen = (digests.c.reader_id == reader_id) & (digests.c.day == day)
    row = connection.execute(select(digests).where(chosen)).first()
    return None if row is None else _digest(row, _offered(connection, row.id))


def all_of(connection: Connection, reader_id: int) -> list[Digest]:
    """Every digest of a reader, oldest day first."""
    rows = connection.execute(select(digests).where(digests.c.reader_id == reader_id).order_by(digests.c.day))
    return [_digest(row, _offered(connection, row.id)) for row in rows.all()]


def save(connection: Connection, digest: Digest) -> Digest:
    """Keep a digest and give it back with its id; where there is one for that reader and day, that one."""
    dialects.lock_writing(connection)
    held = find(connection, digest.reader_id, digest.day)
    if held is not None:
        return held
    row = {
        "reader_id": digest.reader_id,
        "day": digest.day,
        "seed": digest.seed,
        "basis": digest.basis,
        "trained_through": digest.trained_through,
        "index_version": digest.index_version,
        "made_at": digest.made_at,
    }
    id_ = connection.execute(insert(digests).returning(digests.c.id), row).scalar_one()
    _append(connection, id_, digest.papers)
    return replace(digest, id=id_)


def append_tail(connection: Connection, digest: Digest, offered: Sequence[Offered]) -> Digest:
    """Put papers after those that a digest has; ones that stand in it already are left out."""
    held = {offer.ranked.paper.id for offer in digest.papers}
    last = max((offer.ranked.rank for offer in digest.papers), default=0)
    more = [offer for offer in offered if offer.ranked.paper.id not in held]
    tail = tuple(
        replace(offer, ranked=replace(offer.ranked, rank=rank)) for rank, offer in enumerate(more, last + 1)
    )
    _append(connection, digest.id, tail)
    return replace(digest, papers=digest.papers + tail)


def offered_before(connection: Connection, reader_id: int, day: date) -> set[int]:
    """The keys of all papers that stood in a reader's digest of an earlier day."""
    work = func.coalesce(papers.c.same_as, papers.c.key)
    statement = (
        select(work)
        .join_from(digests, digest_papers, digest_papers.c.digest_id == digests.c.id)
        .join(papers, digest_papers.c.paper_key == papers.c.key)
        .where(digests.c.reader_id == reader_id, digests.c.day < day)
    )
    return set(connection.execute(statement).scalars())


def _append(connection: Connection, digest_id: int, offered: Sequence[Offered]) -> None:
    keys = keys_of(connection, {offer.ranked.paper.id for offer in offered})
    rows = [
        {
            "digest_id": digest_id,
            "rank": offer.ranked.rank,
            "paper_key": keys[offer.ranked.paper.id],
            "score": offer.ranked.score,
            "chance": offer.chance,
            "exploring": offer.exploring,
            "reasons": orjson.dumps([list(asdict(r).values()) for r in offer.ranked.reasons]).decode(),
        }
        for offer in offered
    ]
    if rows:
        connection.execute(insert(digest_papers), rows)


def _offered(connection: Connection, digest_id: int) -> tuple[Offered, ...]:
    standing = papers.alias("standing")
    d = digest_papers.c
    columns = [standing.c[column.name] for column in PAPER_COLUMNS]
    statement = (
        select(*columns, d.rank.label("place"), d.score, d.chance, d.exploring, d.reasons)
        .join_from(digest_papers, papers, d.paper_key == papers.c.key)
        .join(standing, standing.c.key == func.coalesce(papers.c.same_as, papers.c.key))
        .where(d.digest_id == digest_id)
        .order_by(d.rank)
    )
    return tuple(
        Offered(
            RankedPaper(
                paper_of(row), row.score, row.place, tuple(Reason(*r) for r in orjson.loads(row.reasons))
            ),
            row.chance,
            row.exploring,
        )
        for row in connection.execute(statement)
    )


def _digest(row: AnyRow, offered: tuple[Offered, ...]) -> Digest:
    return Digest(
        id=row.id,
        reader_id=row.reader_id,
        day=row.day,
        papers=offered,
        seed=row.seed,
        basis=row.basis,
        trained_through=row.trained_through,
        index_version=row.index_version,
        made_at=row.made_at,
    )
