"""docs/web.md and the routes say the same."""

import re
from pathlib import Path

from broadsheet.web.app import routes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "web.md"


def test_every_route_is_documented_and_every_documented_route_exists() -> None:
    written = set(re.findall(r"^\| `(/[^`]*)` \|", PAGE.read_text("utf-8"), re.M))
    served = {re.sub(r":\w+\}", "}", route.path) for route in routes()}
    assert written == served
