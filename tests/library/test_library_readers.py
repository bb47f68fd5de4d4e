"""Readers, what they follow and did, their digests and leases: each comes back as it was kept."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from making import NOW, paper, store

from broadsheet.errors import Busy, NotFound, UnknownReader, UsageError
from broadsheet.library import digests, interactions, leases, papers, readers
from broadsheet.library.database import Library
from broadsheet.papers import RankedPaper, Reason
from broadsheet.readers import Digest, Following, Interaction, Offered

ONE, TWO = paper("arxiv:3101.00001", "One"), paper("arxiv:3101.00002", "Two")


def test_me_is_there_from_the_start_and_an_unknown_name_lists_those_that_exist(library: Library):
    with library.write() as connection:
        ada = readers.add(connection, "ada", "ada@example.org", "Europe/Berlin")
        assert readers.named(connection, "ada") == ada
        assert [reader.name for reader in readers.all_readers(connection)] == ["me", "ada"]
        with pytest.raises(UnknownReader) as raised:
            readers.named(connection, "bo")
        assert raised.value.next_step == "Readers here: me, ada."
        with pytest.raises(UsageError, match="already"):
            readers.add(connection, "ada")
        with pytest.raises(UsageError, match="no time zone"):
            readers.add(connection, "bo", timezone="Mars/Base")
        with pytest.raises(UsageError, match="cannot be"):
            readers.add(connection, "../bo")


def test_a_value_is_either_followed_or_blocked(library: Library):
    wanted = [Following(1, "category", "cs.XA", True), Following(1, "word", "maps", True)]
    with library.write() as connection:
        assert readers.follow(connection, 1, wanted) == wanted
        readers.follow(connection, 1, [Following(1, "word", "maps", False)])
        assert readers.following(connection) == [wanted[0], Following(1, "word", "maps", False)]
        assert readers.follow(connection, 1, [wanted[0]], remove=True) == [
            Following(1, "word", "maps", False)
        ]


def test_topics_are_added_replaced_and_removed(library: Library):
    with library.write() as connection:
        readers.add_topic(connection, 1, "maps", "maps of x", ["3101.00001v2"])
        topic = readers.add_topic(connection, 1, "maps", "maps", ["3101.00001"])
        assert readers.topics_of(connection, 1) == [topic]
        assert (topic.query, topic.seeds) == ("maps", ("arxiv:3101.00001",))
        readers.remove_topic(connection, 1, "maps")
        with pytest.raises(NotFound):
            readers.remove_topic(connection, 1, "maps")


def test_what_was_undone_no_longer_stands_and_undoing_twice_changes_nothing(library: Library):
    store(library, ONE, TWO)
    later = NOW + timedelta(minutes=1)
    with library.write() as connection:
        liked = [Interaction(1, p.id, "liked", NOW, "cli") for p in (ONE, TWO)]
        assert [i.number for i in interactions.record(connection, liked)] == [1, 2]
        undone = interactions.undo(connection, 1, [ONE.id], "liked", later, "web")
        assert [(i.number, i.kind, i.undoes) for i in undone] == [(3, "undone", 1)]
        assert interactions.undo(connection, 1, [ONE.id], "liked", later, "web") == []
        assert interactions.standing(connection, 1) == {"liked": {2: NOW}}
        assert interactions.newest_number(connection, 1) == 3
        assert [i.paper_id for i in interactions.history(connection, 1)] == [ONE.id, TWO.id, ONE.id]
        with pytest.raises(NotFound, match="3101.99999"):
            interactions.record(connection, [replace(liked[0], paper_id="arxiv:3101.99999")])


def offer(told, rank: int) -> Offered:
    reasons = (Reason("taste", "like what you saved", 0.75), Reason("date", "new today", 0.25))
    return Offered(RankedPaper(told, 1.0 / rank, rank, reasons), 0.5, rank == 2)


def test_a_digest_is_made_once_for_a_reader_and_day_and_comes_back_as_it_was_offered(library: Library):
    store(library, ONE, TWO)
    digest = Digest(0, 1, date(2031, 1, 7), (offer(ONE, 1),), 42, "taste", 3, "7", NOW)
    with library.write() as connection:
        first = digests.save(connection, digest)
        assert first == replace(digest, id=1)
        assert digests.save(connection, replace(digest, seed=43)) == first
        longer = digests.append_tail(connection, first, [offer(ONE, 1), offer(TWO, 2)])
        assert longer.papers == (offer(ONE, 1), offer(TWO, 2))
        assert digests.find(connection, 1, date(2031, 1, 7)) == longer
        assert digests.find(connection, 1, date(2031, 1, 8)) is None
        assert digests.offered_before(connection, 1, date(2031, 1, 7)) == set()
        assert digests.offered_before(connection, 1, date(2031, 1, 8)) == {1, 2}


def test_forgetting_a_reader_leaves_nothing_and_me_starts_anew(library: Library):
    store(library, ONE)
    with library.write() as connection:
        me = readers.named(connection, "me")
        readers.follow(connection, 1, [Following(1, "word", "maps", True)])
        readers.add_topic(connection, 1, "maps", "maps")
        saved = digests.save(
            connection, Digest(0, 1, date(2031, 1, 7), (offer(ONE, 1),), 1, "taste", 0, "7", NOW)
        )
        interactions.record(connection, [Interaction(1, ONE.id, "shown", NOW, "cli", saved.id, 1, 0.5)])
        assert readers.forget(connection, me) == readers.Forgotten(1, 1, 1)
        assert readers.named(connection, "me") == me
        assert (readers.following(connection, 1), readers.topics_of(connection, 1)) == ([], [])
        assert digests.find(connection, 1, date(2031, 1, 7)) is None
        assert papers.count(connection) == 1


def test_a_lease_is_held_by_one_until_it_runs_out_or_is_given_back(library: Library):
    with library.write() as connection:
        leases.take(connection, "index", "a", NOW, 60)
        with pytest.raises(Busy, match="index is being done by a"):
            leases.take(connection, "index", "b", NOW + timedelta(seconds=59), 60)
        leases.renew(connection, "index", "a", NOW + timedelta(seconds=59), 60)
        with pytest.raises(Busy):
            leases.take(connection, "index", "b", NOW + timedelta(seconds=61), 60)
        leases.release(connection, "index", "a")
        leases.take(connection, "index", "b", NOW, 60)
        leases.take(connection, "index", "a", datetime(2031, 1, 8, tzinfo=UTC), 60)
