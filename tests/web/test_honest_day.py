"""How a page tells what was announced: what lacks comes first, what is well stays short."""

from broadsheet.web.rendering import environment


def _row(category: str, state: str, text: str) -> dict[str, object]:
    return {"source": "arxiv", "category": category, "state": state, "text": text, "new_to_reader": 2}


def _page(rows: list[dict[str, object]]) -> str:
    page = {
        "day": "2026-04-24",
        "reader": "me",
        "basis": "taste",
        "digest_id": 1,
        "model_age_days": 9,
        "counts": rows,
        "results": [],
        "notices": [],
    }
    days = {"previous": None, "next": None}
    template = environment().get_template("today.html")
    return template.render(
        here="today",
        page=page,
        asked=None,
        days=days,
        marks={},
        sample=False,
        longer=None,
        token="t",
        back="/",
    )


def test_what_lacks_stands_before_what_is_complete_and_is_marked() -> None:
    text = _page(
        [_row("cs.XA", "complete", "announced 5, held 5"), _row("cs.XB", "missing", "expected one, got none")]
    )
    assert text.index("expected one, got none") < text.index("announced 5, held 5")
    assert '<li class="wrong"><strong>arxiv cs.XB' in text


def test_many_complete_mailings_are_summed_up_and_one_that_lacks_is_never_hidden() -> None:
    rows = [_row(f"cs.X{letter}", "complete", "announced 5, held 5") for letter in "ABCDE"]
    text = _page([*rows, _row("cs.XZ", "partial", "4 are still to come")])
    assert "5 mailings as they should be: 10 papers new to you" in text
    assert text.index("4 are still to come") < text.index("<details>")
