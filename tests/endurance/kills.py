"""Harvests that are killed at random moments, each gone on with by the next; the end must be the same."""

import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tests.endurance.checks import shortfalls
from tests.endurance.play import moments
from tests.endurance.wire import harvest_once, plan
from tests.fake_sources.faults import Faults
from tests.fake_sources.routes import Sources
from tests.fake_sources.server import serving
from tests.fake_sources.world import World

from broadsheet.library.database import Library


@dataclass
class Killed:
    """What a world with killed harvests came to."""

    seed: int
    kills: int = 0
    ended: int = 0
    wrong: list[str] = field(default_factory=list)


def play_kills(world: World, seed: int, wanted: int, categories: tuple[str, ...], home: Path) -> Killed:
    """Kill ``wanted`` harvests over the days of a world, then harvest once in peace and compare."""
    rng = random.Random(seed)
    sources = Sources(world, world.first_moment)
    killed = Killed(seed)
    days = moments(world, rng)
    span = 4.0
    with serving(sources) as base:
        while killed.kills < wanted:
            index = killed.kills * len(days) // wanted
            sources.now = days[index]
            sources.faults = Faults(rng.randint(0, 1 << 30), rng.choice((0.0, 0.1)))
            took = _run(home, base, sources.now, categories, rng.uniform(0.0, span))
            if took is None:
                killed.kills += 1
            else:
                killed.ended += 1
                span = 1.2 * took
        sources.now, sources.faults = world.last_moment, Faults()
        library = Library.open(home / "library.sqlite3", world.last_moment)
        harvest_once(library, plan(base, categories, world.last_moment), world.last_moment)
        killed.wrong = shortfalls(world, library, categories, world.last_moment)
        library.close()
    return killed


def _run(home: Path, base: str, now: datetime, categories: tuple[str, ...], patience: float) -> float | None:
    """Start a harvest and kill it after a while; how long it took if it ended before that."""
    command = [sys.executable, "-m", "tests.endurance.victim"]
    names = ",".join(categories)
    with subprocess.Popen(
        [*command, str(home), base, now.isoformat(), names], stdout=subprocess.PIPE, text=True
    ) as victim:
        assert victim.stdout is not None
        if victim.stdout.readline() != "ready\n":
            raise AssertionError("the harvest did not start")
        began = time.monotonic()
        try:
            victim.wait(patience)
        except subprocess.TimeoutExpired:
            victim.kill()
            victim.wait()
            return None
        if victim.returncode != 0:
            raise AssertionError(f"the harvest failed with {victim.returncode}")
        return time.monotonic() - began
