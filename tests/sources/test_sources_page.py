"""docs/sources.md speaks of every source and of every host, and of no other."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from broadsheet.sources.table import SOURCES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sources.md"


def sections() -> dict[str, str]:
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_source_has_its_section_and_every_address_its_setting_there() -> None:
    written = sections()
    for source in SOURCES:
        assert len(written[source.name].split()) >= 10
        if source.name != "medrxiv":
            assert all(f"`{setting}`" in written[source.name] for setting in source.addresses)


def test_every_host_that_is_contacted_is_listed_and_no_other() -> None:
    listed = set(re.findall(r"^\| `([a-z.]+)` \|", sections()["Every host that is contacted"], re.MULTILINE))
    assert listed == {urlsplit(url).hostname for source in SOURCES for url in source.addresses.values()}
