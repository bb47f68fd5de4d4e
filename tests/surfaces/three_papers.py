"""What tests of the surfaces share: what a command leaves behind, and three papers of two days."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NOW = "2026-04-24T12:00:00Z"


@dataclass(frozen=True)
class Outcome:
    """What a command left behind: exit code, standard output and standard error."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


PAPERS = [
    {
        "id": "2604.00001",
        "title": "Quenching of dwarf galaxies by cosmic rays",
        "abstract": "Cosmic rays heat the gas of dwarf galaxies until no star can form any more.",
        "authors": ["Ada Q. Quillfeather", "Bo Lin"],
        "categories": ["astro-ph.GA"],
        "published": "2026-04-21",
        "announced": "2026-04-23",
    },
    {
        "id": "2604.00002",
        "title": "A linear combination of kernels for ranking",
        "abstract": "We learn the weights of a linear combination of kernels from clicks.",
        "authors": ["Cy Ost"],
        "categories": ["cs.IR", "cs.LG"],
        "published": "2026-04-21",
        "announced": "2026-04-23",
    },
    {
        "id": "2604.00003",
        "title": "Kernels that forget <script>alert(1)</script>",
        "abstract": "A kernel whose memory fades is fast and still exact.",
        "authors": ["Cy Ost", "Dee Nord"],
        "categories": ["cs.LG"],
        "published": "2026-04-22",
        "announced": "2026-04-24",
    },
]
