"""The pages in a real browser: by mouse, by keyboard, without scripts, on a phone, in the dark."""

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from broadsheet.api.adding import add
from broadsheet.api.home import Home
from broadsheet.web.app import make_app
from broadsheet.web.serving import listening

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        yield opened
        opened.close()


@pytest.fixture
def address(home: Home) -> Iterator[str]:
    with listening("127.0.0.1", 0) as listener:
        server = uvicorn.Server(uvicorn.Config(make_app(home), log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_what_is_saved_today_is_still_saved_after_a_reload(page: Page, address: str) -> None:
    page.goto(address)
    second = page.locator("#paper-2")
    title = second.locator(".title").inner_text()
    second.get_by_role("button", name="Save").click()
    assert page.url.endswith("#paper-2")
    page.reload()
    assert page.locator("#paper-2 .title").inner_text() == title
    assert page.locator("#paper-2 button.saved").get_attribute("aria-pressed") == "true"
    page.goto(f"{address}/saved")
    assert page.locator(".title").all_inner_texts() == [title]
    page.locator("button.saved").click()
    assert "Nothing is saved yet" in page.inner_text("main")


def test_a_search_from_the_masthead_leads_to_a_paper(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Search papers").fill("amateur telescopes ghost nebulae")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Ancient 'ghost' planetary nebulae").first.click()
    assert page.locator("h1").inner_text().startswith("Ancient 'ghost'")
    assert page.get_by_role("link", name="PDF").get_attribute("href") == "https://arxiv.org/pdf/2604.20280"


def test_the_keyboard_alone_is_enough(page: Page, address: str) -> None:
    page.goto(address)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the page"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    save = page.locator("#paper-1 button.saved")
    for _ in range(40):
        page.keyboard.press("Tab")
        if save.evaluate("button => button === document.activeElement"):
            break
    assert save.evaluate("button => getComputedStyle(button).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**#paper-1")
    assert page.locator("#paper-1 button.saved").get_attribute("aria-pressed") == "true"


def test_nothing_needs_a_script(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.locator("#paper-3 button.liked").click()
    assert page.locator("#paper-3 button.liked").get_attribute("aria-pressed") == "true"
    page.get_by_role("link", name="23 April 2026").click()
    assert page.locator("h1").inner_text() == "Thursday, 23 April 2026"
    context.close()


def test_a_phone_never_scrolls_sideways(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 320, "height": 640})
    page = context.new_page()
    for path in ("/", "/search?q=galaxies", "/paper/2604.20280", "/saved", "/health"):
        page.goto(address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
    context.close()


def test_light_and_dark_follow_the_system_and_stay_readable(browser: Browser, address: str) -> None:
    grounds = {}
    for scheme in ("light", "dark"):
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(address)
        ground, ink, soft = (
            page.locator(place).first.evaluate(f"e => getComputedStyle(e).{what}")
            for place, what in (("body", "backgroundColor"), ("body", "color"), (".byline", "color"))
        )
        assert _contrast(ground, ink) >= 7
        assert _contrast(ground, soft) >= 4.5
        grounds[scheme] = _luminance(ground)
        context.close()
    assert grounds["light"] > 0.8
    assert grounds["dark"] < 0.05


def test_hostile_titles_are_shown_letter_by_letter(
    page: Page, home: Home, address: str, tmp_path: Path
) -> None:
    hostile = "<b onmouseover=alert(1)>bold</b> <script>document.title='taken'</script> &amp; \u202eright"
    record = {
        "id": "3101.00007",
        "title": hostile,
        "abstract": "plain",
        "authors": ["A. Nord"],
        "categories": ["cs.XA"],
        "announced": "2026-04-24",
    }
    file = tmp_path / "hostile.jsonl"
    file.write_text(json.dumps(record) + "\n")
    add(home, [file], None, None, lambda done, total: None)
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    page.goto(f"{address}/paper/3101.00007")
    assert "<b onmouseover=alert(1)>bold</b> <script>" in page.locator("h1").inner_text()
    assert page.title().endswith("Broadsheet")
    assert page.locator("h1 b").count() == 0


def test_the_browser_reports_no_refused_style_and_no_missing_file(page: Page, address: str) -> None:
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("requestfailed", lambda request: faults.append(request.url))
    page.on("response", lambda answer: faults.append(answer.url) if answer.status >= 400 else None)
    for path in ("/", "/search?q=galaxies", "/paper/2604.20280", "/saved"):
        page.goto(address + path, wait_until="networkidle")
    assert faults == []


def _luminance(colour: str) -> float:
    """Relative luminance (WCAG 2) of rgb(r, g, b)."""
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(", ")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(first: str, second: str) -> float:
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
