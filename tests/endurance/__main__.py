"""All weeks of all seeds, and all kills: ``python -m tests.endurance --seeds 50 --kills 100``.

Prints a table, and exits with 1 if anything was wrong.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.endurance.kills import Killed, play_kills
from tests.endurance.play import Played, play
from tests.fake_sources.world import CATEGORIES, World

FOLLOWED = CATEGORIES[:3]
KILLS_A_WORLD = 20


def _play(seed: int) -> Played:
    with tempfile.TemporaryDirectory() as home:
        return play(World(seed), seed, FOLLOWED, Path(home))


def _kill(job: tuple[int, int]) -> Killed:
    seed, kills = job
    with tempfile.TemporaryDirectory() as home:
        return play_kills(World(seed, days=10, papers=600), seed, kills, FOLLOWED, Path(home))


def _say(found: list[str]) -> None:
    for line in found[:10]:
        print(f"    {line}")


def _seeds(pool: ProcessPoolExecutor, first: int, number: int) -> list[Played]:
    print("seed  runs  requests  faults  announced  late  complete  partial  missing  stale  wrong")
    done = []
    for p in pool.map(_play, range(first, first + number)):
        states = [p.states.get(name, 0) for name in ("complete", "partial", "missing", "stale")]
        print(
            f"{p.seed:4}  {p.runs:4}  {p.requests:8}  {sum(p.faults.values()):6}  {p.announced:9}"
            f"  {p.late:4}  {states[0]:8}  {states[1]:7}  {states[2]:7}  {states[3]:5}  {len(p.wrong):5}",
            flush=True,
        )
        _say(p.wrong)
        done.append(p)
    return done


def _kills(pool: ProcessPoolExecutor, wanted: int) -> list[Killed]:
    jobs = [
        (900 + n, min(KILLS_A_WORLD, wanted - start))
        for n, start in enumerate(range(0, wanted, KILLS_A_WORLD))
    ]
    print("seed  killed  ended before  wrong")
    done = []
    for k in pool.map(_kill, jobs):
        print(f"{k.seed:4}  {k.kills:6}  {k.ended:12}  {len(k.wrong):5}", flush=True)
        _say(k.wrong)
        done.append(k)
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description="Weeks of harvests against sources that fail.")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    asked = parser.parse_args()
    began = time.monotonic()
    with ProcessPoolExecutor(asked.jobs) as pool:
        played = _seeds(pool, asked.first, asked.seeds)
        killed = _kills(pool, asked.kills)
    faults: Counter[str] = sum((Counter(p.faults) for p in played), Counter())
    wrong = sum(len(p.wrong) for p in played) + sum(len(k.wrong) for k in killed)
    print(
        f"{len(played)} seeds, {sum(p.runs for p in played)} harvests,"
        f" {sum(p.requests for p in played)} requests,"
        f" {faults.total()} faults ({', '.join(f'{n} {name}' for name, n in faults.most_common())});"
        f" {sum(p.announced for p in played)} announcements held,"
        f" {sum(k.kills for k in killed)} harvests killed;"
        f" {wrong} wrong; {time.monotonic() - began:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
