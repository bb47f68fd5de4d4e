"""What a source hands on: papers in batches, each with the state from which asking can go on after it."""

import json
from dataclasses import dataclass
from typing import TypeAlias

from broadsheet.papers import Arrival

Json: TypeAlias = str | int | float | bool | None | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class PaperBatch:
    """Some papers of a longer answer.

    ``state`` is JSON text to be given back to the same function, which then goes on after this batch; None
    means that this was the last one. ``total`` is how many the source says that there are in all.
    ``missing`` are identifiers that were asked for and not answered, ``deleted`` those that the source
    says are gone. ``notes`` are sentences for the day's report. ``complete`` is False on a batch after which
    something is known to be lacking.
    """

    arrivals: tuple[Arrival, ...]
    state: str | None = None
    total: int | None = None
    missing: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    complete: bool = True


def dump_state(state: dict[str, Json]) -> str:
    """A resume state as text; equal states give equal text."""
    return json.dumps(state, sort_keys=True, separators=(",", ":"))


def load_state(text: str) -> dict[str, Json]:
    """The resume state that :func:`dump_state` wrote."""
    state: dict[str, Json] = json.loads(text)
    return state
