"""Daily harvests of a seed's world, with faults, and a last one without."""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from tests.endurance.checks import lies, read_held, shortfalls
from tests.endurance.wire import DIRECT, harvest_once, plan, transport
from tests.fake_sources.faults import Faults
from tests.fake_sources.routes import Sources
from tests.fake_sources.world import World

from broadsheet.library import ledger
from broadsheet.library.database import Library

RATES = (0.0, 0.05, 0.15, 0.4, 0.8)
ROUTES = ("listing", "catchup", "feed", "oai", "api")


@dataclass
class Played:
    """What one seed came to."""

    seed: int
    runs: int = 0
    requests: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    announced: int = 0
    late: int = 0
    wrong: list[str] = field(default_factory=list)


def moments(world: World, rng: random.Random) -> list[datetime]:
    """One moment a day, half an hour to twenty hours after eight in the evening, weekends too."""
    days = (world.last_moment - world.first_moment).days
    return [world.first_moment + timedelta(days=n, minutes=rng.randint(30, 1200)) for n in range(days - 4)]


def draw_faults(rng: random.Random) -> Faults:
    dead = frozenset(route for route in ROUTES if rng.random() < 0.2)
    return Faults(rng.randint(0, 1 << 30), rng.choice(RATES), dead)


def play(world: World, seed: int, categories: tuple[str, ...], home: Path) -> Played:
    """Harvest every day of the world with faults, check every claim, then once without faults."""
    rng = random.Random(seed)
    sources = Sources(world, world.first_moment)
    played = Played(seed)
    library = Library.open(home / "library.sqlite3", world.first_moment)
    last = world.last_moment
    for now in [*moments(world, rng), last]:
        sources.now = now
        sources.faults = draw_faults(rng) if now < last else Faults()
        report = harvest_once(library, plan(DIRECT, categories, now, transport(sources)), now)
        played.runs += 1
        for fault, number in sources.faults.told.items():
            played.faults[fault] = played.faults.get(fault, 0) + number
        for count in report.days:
            played.states[count.state] = played.states.get(count.state, 0) + 1
        played.wrong += lies(world, read_held(library), report.days, now)
    played.wrong += shortfalls(world, library, categories, last)
    played.requests = len(sources.asked)
    with library.read() as conn:
        counts = ledger.held_counts(conn, "arxiv", world.days[0], last.date()).values()
    played.late = sum(late for kinds in counts for _, late in kinds.values())
    played.announced = sum(
        len(ids) for (c, _), kinds in world.truth(last).items() if c in categories for ids in kinds.values()
    )
    library.close()
    return played
