"""What every source promises. Whoever adds one inherits SourceContract, gives two things, and is done."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from broadsheet.errors import BadAnswer
from broadsheet.papers import Paper, normal_id, parse_id

KINDS = frozenset({"new", "cross", "replace", "replace-cross", "featured"})

ERROR_PAGES = (
    b"",
    b"   \n",
    b"Rate exceeded.",
    b"Rate limited",
    b"null",
    b"0",
    b'{"error": "Too many requests"}',
    b"<html><head><title>503</title></head><body><h1>Service Unavailable</h1></body></html>",
    b"<!DOCTYPE html><html><body>Just a moment...",
    b"<?xml version='1.0'?><Error><Code>SlowDown</Code></Error>",
    b'<!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;&a;">]><l>&b;</l>',
    b"\x1f\x8b\x08\x00\x00",
    b"\xff\xfe\x00\x01",
)


@dataclass(frozen=True)
class Told:
    """What a page was understood to say: papers, and (paper, day, kind) of announcements."""

    papers: Sequence[Paper]
    announcements: Sequence[tuple[str, date, str]] = ()


class SourceContract:
    """Give ``pages`` (each a good page) and ``told``; ``names`` are the first paper's authors in order."""

    pages: tuple[bytes, ...]
    names: tuple[str, ...] = ("Ada Quill", "Bo Feather")

    def told(self, body: bytes) -> Told:
        raise NotImplementedError

    def test_every_paper_has_a_normal_id_without_version(self) -> None:
        for page in self.pages:
            for paper in self.told(page).papers:
                assert normal_id(paper.id) == paper.id
                assert parse_id(paper.id)[1] is None

    def test_instants_are_aware_and_in_utc(self) -> None:
        for page in self.pages:
            for paper in self.told(page).papers:
                for instant in filter(None, (paper.submitted, paper.updated)):
                    assert instant.utcoffset() == timedelta(0)

    def test_titles_and_abstracts_are_clean_and_titles_never_empty(self) -> None:
        for page in self.pages:
            for paper in self.told(page).papers:
                assert paper.title
                for text in (paper.title, paper.abstract):
                    assert text == " ".join(text.split())
                    assert text.isprintable()

    def test_authors_keep_their_order(self) -> None:
        for page in self.pages:
            papers = self.told(page).papers
            if papers:
                assert tuple(author.name for author in papers[0].authors) == self.names

    def test_addresses_are_of_the_web_and_versions_count_from_one(self) -> None:
        for page in self.pages:
            for paper in self.told(page).papers:
                links = paper.links
                for address in filter(None, (links.abs, links.pdf, links.code, links.project)):
                    assert address.startswith(("https://", "http://"))
                assert paper.version >= 1

    def test_announcements_have_a_day_and_a_known_kind(self) -> None:
        for page in self.pages:
            for paper_id, day, kind in self.told(page).announcements:
                assert normal_id(paper_id) == paper_id
                assert type(day) is date
                assert kind in KINDS

    def test_reading_twice_gives_the_same(self) -> None:
        for page in self.pages:
            assert self.told(page) == self.told(page)

    def test_a_page_tells_no_paper_twice(self) -> None:
        for page in self.pages:
            ids = [paper.id for paper in self.told(page).papers]
            assert len(ids) == len(set(ids))

    @pytest.mark.parametrize("body", ERROR_PAGES)
    def test_an_error_page_is_refused(self, body: bytes) -> None:
        with pytest.raises(BadAnswer):
            self.told(body)

    def test_a_page_cut_anywhere_never_gives_more_than_the_whole(self) -> None:
        for page in self.pages:
            whole = len(self.told(page).papers)
            for end in range(0, len(page) - 1, max(1, len(page) // 40)):
                try:
                    told = self.told(page[:end])
                except BadAnswer:
                    continue
                assert len(told.papers) <= whole

    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
    @given(st.integers(0, 10_000), st.integers(0, 60), st.binary(max_size=30))
    def test_spoilt_bytes_are_read_or_refused(self, at: int, length: int, put: bytes) -> None:
        for page in self.pages:
            start = at % (len(page) + 1)
            try:
                self.told(page[:start] + put + page[start + length :])
            except BadAnswer:
                continue
