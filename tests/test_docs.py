"""The documentation is true: what exists is described, and what is described exists."""

import re
import runpy
from pathlib import Path

import pytest

from broadsheet.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PAGES = runpy.run_path(str(ROOT / "docs" / "write_reference.py"))["PAGES"]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_reference_page_is_what_the_program_says_now(name: str) -> None:
    assert (ROOT / "docs" / name).read_text("utf-8") == PAGES[name](), "run 'make docs'"


def test_each_command_has_its_section() -> None:
    text = (ROOT / "docs" / "cli.md").read_text("utf-8")
    headed = set(re.findall(r"^## `broadsheet ([a-z]+)", text, re.M))
    assert headed == set(COMMANDS)


def test_links_between_pages_lead_somewhere() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_page_of_the_documentation_is_reachable_from_the_readme() -> None:
    seen: set[Path] = set()
    queue = [ROOT / "README.md"]
    while queue:
        page = queue.pop()
        if page in seen:
            continue
        seen.add(page)
        targets = re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", page.read_text("utf-8"))
        queue += [(page.parent / target).resolve() for target in targets]
    assert {page.resolve() for page in (ROOT / "docs").rglob("*.md")} <= seen
