"""The pages on a real home: what they show, and that nothing foreign gets in."""

import json
import re
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from broadsheet.api.adding import add
from broadsheet.api.home import Home
from broadsheet.web.app import make_app

PAPER = "arxiv:2604.20280"


def test_the_first_page_is_the_newest_day_with_ten_papers_and_says_that_it_is_the_sample(
    client: TestClient,
) -> None:
    page = client.get("/")
    assert page.status_code == 200
    assert "Friday, 24 April 2026" in page.text
    assert page.text.count("<article") == 10
    assert "You are looking at the packaged sample" in page.text
    assert 'href="/day/2026-04-23"' in page.text
    assert "ordered by date and community signals" in page.text
    assert "first seen on 2026-04-24" in page.text


def test_a_page_says_when_words_alone_are_searched(client: TestClient) -> None:
    assert "words alone" in client.get("/search", params={"q": "galaxies"}).text.lower()


def test_a_home_without_papers_says_what_to_do(empty_home: Home) -> None:
    page = TestClient(make_app(empty_home), base_url="http://127.0.0.1").get("/")
    assert page.status_code == 200
    assert "No paper is held yet" in page.text
    assert "broadsheet harvest" in page.text


def test_a_day_without_papers_leads_back_to_the_last_one_with_some(client: TestClient) -> None:
    page = client.get("/day/2026-04-25")
    assert page.status_code == 200
    assert "Saturday, 25 April 2026" in page.text
    assert "No paper for you on this day" in page.text
    assert 'href="/day/2026-04-24"' in page.text


def test_search_finds_a_paper_by_words_and_keeps_the_query_in_the_field(client: TestClient) -> None:
    page = client.get("/search", params={"q": "ghost planetary nebulae amateur"})
    assert "Ancient &#39;ghost&#39; planetary nebulae" in page.text
    assert 'value="ghost planetary nebulae amateur"' in page.text


def test_a_misspelt_query_is_led_to_what_may_be_meant(client: TestClient) -> None:
    page = client.get("/search", params={"q": "planetery nebulae", "since": "2026-01-01"}).text
    assert (
        'Did you mean <a href="/search?q=planetary+nebulae&amp;since=2026-01-01">planetary nebulae</a>?'
        in page
    )


def test_a_page_of_120_is_offered_where_there_is_more(client: TestClient) -> None:
    page = client.get("/search", params={"q": "a model of data"}).text
    assert '<a href="/search?q=a+model+of+data&amp;limit=120">120 on one page</a>' in page
    assert (
        "120 on one page" not in client.get("/search", params={"q": "a model of data", "limit": "120"}).text
    )


def test_search_for_nothing_known_is_an_answer_and_not_an_error(client: TestClient) -> None:
    page = client.get("/search", params={"q": "xyzzyplugh"})
    assert page.status_code == 200
    assert "Nothing matches" in page.text


def test_one_paper_is_found_by_any_form_of_its_id(client: TestClient) -> None:
    for form in (PAPER, "2604.20280", "2604.20280v2", "https://arxiv.org/abs/2604.20280"):
        page = client.get(f"/paper/{form}")
        assert page.status_code == 200
        assert "Ancient &#39;ghost&#39; planetary nebulae" in page.text
        assert 'href="https://arxiv.org/abs/2604.20280"' in page.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/paper/2604.99999", 404),
        ("/paper/../../etc/passwd", 404),
        ("/paper/..%2f..%2fetc%2fpasswd", 400),
        ("/day/yesterday", 400),
        ("/search?q=maps&since=someday", 400),
        ("/?limit=0", 400),
        ("/?limit=many", 400),
        ("/nowhere", 404),
        ("/save", 405),
    ],
)
def test_what_cannot_be_shown_is_said_in_plain_words_with_its_status(
    client: TestClient, path: str, status: int
) -> None:
    page = client.get(path)
    assert page.status_code == status
    assert "Back to today" in page.text
    assert "Traceback" not in page.text


def test_hostile_text_from_a_source_stays_text(empty_home: Home, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> <img src=x onerror=alert(2)> {{ 7*7 }} \"quoted' & $x<y$"
    record = {
        "id": "3101.00007",
        "title": hostile,
        "abstract": hostile,
        "authors": [hostile],
        "categories": ["cs.XA"],
        "announced": "2026-04-24",
        "links": {"code": "javascript:alert(3)"},
    }
    file = tmp_path / "hostile.jsonl"
    file.write_text(json.dumps(record) + "\n")
    add(empty_home, [file], None, None, lambda done, total: None)
    client = TestClient(make_app(empty_home), base_url="http://127.0.0.1")
    for path in ("/", "/paper/3101.00007", "/search?q=alert"):
        page = client.get(path).text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "<script" not in page
        assert "<img" not in page
        assert "{{ 7*7 }}" in page
        assert "javascript:" not in page


def test_no_page_carries_a_script_a_style_or_a_foreign_address_to_load(client: TestClient) -> None:
    for path in ("/", "/search?q=galaxies", f"/paper/{PAPER}", "/saved", "/health"):
        page = client.get(path).text
        assert not re.search(r"<script|<style| style=| on[a-z]+=", page)
        assert not re.search(r'(?:src|<link[^>]*href)="https?:', page)


def test_health_answers_503_only_when_something_is_wrong(client: TestClient) -> None:
    page = client.get("/health")
    assert page.status_code in (200, 503)
    assert ("Something needs you" in page.text) == (page.status_code == 503)


def test_a_paper_is_shown_though_the_index_is_gone(home: Home, client: TestClient) -> None:
    shutil.rmtree(home.index_folder)
    page = client.get("/paper/arxiv:2604.20182")
    assert page.status_code == 200
    assert "There is no words index" in page.text
    assert client.get("/health").status_code == 503


def test_papers_without_a_day_are_told_of_on_the_first_page(empty_home: Home, tmp_path: Path) -> None:
    file = tmp_path / "mine.bib"
    file.write_text("@book{a, title = {Star formation}, author = {Ost, Cy}, year = 2031}\n", "utf-8")
    add(empty_home, [file], None, None, lambda done, total: None)
    page = TestClient(make_app(empty_home), base_url="http://127.0.0.1:8765").get("/").text
    assert "None of the 1 papers held has an announcement day" in page


def test_control_characters_of_a_query_are_not_printed_back(client: TestClient) -> None:
    assert not set(client.get("/search?q=a%00%1bb").text) & {"\x00", "\x1b"}
