"""Papers of two kinds that nobody could mistake for each other, and a library with a week of them."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import numpy as np

from broadsheet.library import arrivals, interactions
from broadsheet.library.database import Library
from broadsheet.papers import Announcement, AnnouncementKind, Arrival, Author, Paper
from broadsheet.readers import Interaction, InteractionKind, Reader

NOW = datetime(2031, 1, 7, 9, 0, tzinfo=UTC)
MONDAY = date(2031, 1, 6)
TUESDAY = date(2031, 1, 7)
ME = Reader(1, "me")

SKY = "galaxy quenching halo redshift spectra survey stellar dust cluster lensing quasar supernova".split()
CODE = "transformer token attention decoder prompt corpus language benchmark pretraining embedding".split()
PLAIN = "we study a large sample and report what the data show about this effect in detail".split()


def text(kind: str, number: int) -> tuple[str, str]:
    """A title and an abstract of 30 words of a kind (``sky`` or ``code``), always the same for a number."""
    rng = np.random.default_rng([len(kind), number])
    own = rng.permutation(SKY if kind == "sky" else CODE)[:8].tolist()
    return f"{own[0].title()} and {own[1]} {number}", " ".join([*own, *PLAIN])


def made(kind: str, number: int, day: date = MONDAY, **more: object) -> Paper:
    title, abstract = text(kind, number)
    category = "astro-ph.GA" if kind == "sky" else "cs.CL"
    id_ = f"arxiv:31{1 if kind == 'sky' else 2:02d}.{number:05d}"
    told: dict[str, object] = {
        "authors": (Author("Ada Nord"),),
        "categories": (category,),
        "announced": day,
        "submitted": datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(days=1),
    }
    return Paper(id_, title, abstract, **(told | more))  # type: ignore[arg-type]


def arrival(paper: Paper, day: date | None = None, kind: AnnouncementKind = "new") -> Arrival:
    on = day or paper.announced
    assert on is not None
    seen = datetime(on.year, on.month, on.day, tzinfo=UTC)
    category = paper.categories[0] if kind != "featured" else ""
    source = "arxiv" if kind != "featured" else "huggingface"
    return Arrival(paper, (Announcement(paper.id, source, category, on, kind, 1, seen),))


def fill(library: Library, papers: Iterator[Arrival] | list[Arrival]) -> None:
    with library.write() as connection:
        arrivals.store(connection, list(papers), NOW)


def fortnight(library: Library, each: int = 60) -> None:
    """Old papers of both kinds, and on Tuesday ten new ones of each."""
    old = [
        arrival(made(kind, n, MONDAY - timedelta(days=n % 9)))
        for kind in ("sky", "code")
        for n in range(each)
    ]
    new = [arrival(made(kind, n, TUESDAY)) for kind in ("sky", "code") for n in range(500, 510)]
    fill(library, old + new)


def did(library: Library, kind: InteractionKind, *papers: Paper, reader: Reader = ME, hour: int = 8) -> None:
    at = NOW.replace(hour=hour)
    with library.write() as connection:
        interactions.record(connection, [Interaction(reader.id, p.id, kind, at, "test") for p in papers])
