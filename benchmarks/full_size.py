"""What 88,767 papers cost, whole processes measured from outside: ``python benchmarks/full_size.py DATA``.

DATA is the folder with ``arxiv/*.jsonl.gz``. Prints the machine's read bandwidth first, so that other
machines compare by ratio. With ``--encoder DIR`` (a converted encoder) its rate is printed too, the
newest papers get vectors, and the next day's papers are timed with theirs.
"""

import argparse
import gzip
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from broadsheet.search import encoders

_SEARCHES = ("graph neural networks for molecules", "dark matter halo shapes", "speculative decoding")
_RUNS = 5


def _bandwidth() -> float:
    """Bytes a second that one core reads: the best of five passes over 400 MB."""
    block = np.ones(50_000_000, np.int64)
    best = min(_timed(lambda: block.max()) for _ in range(5))
    return block.nbytes / best


def _timed(work: object) -> float:
    began = time.perf_counter()
    work()  # type: ignore[operator]
    return time.perf_counter() - began


def _run(home: Path, *arguments: str) -> tuple[float, float, dict[str, object]]:
    """Wall seconds, processor seconds and the document of one command as a fresh process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [sys.executable, "-m", "broadsheet", *arguments, "--home", str(home), "--json"]
    told = subprocess.run(command, capture_output=True, check=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used, json.loads(told.stdout)


def _size(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _day(data: Path, folder: Path, later: int) -> Path:
    """500 papers with ids of their own, announced some days after all others."""
    file = folder / f"day{later}.jsonl"
    with gzip.open(data / "arxiv" / "cs-2026q2.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(next(lines)) for _ in range(500)]
    for number, record in enumerate(records):
        record |= {
            "id": f"2607.{90000 + 1000 * later + number}",
            "title": f"{record['title']} anew {later} {number}",
        }
        record["announced"] = f"2026-07-0{later + 1}"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return file


def _texts(data: Path) -> list[str]:
    with gzip.open(data / "arxiv" / "cs-2026q2.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(next(lines)) for _ in range(256)]
    return [f"{record['title']}. {record['abstract']}" for record in records]


def _say(what: str, wall: float, used: float, more: str = "") -> None:
    print(f"{what:42} wall {wall:7.2f} s   processor {used:7.2f} s   {more}", flush=True)


def _fresh(home: Path, what: str, *arguments: str) -> None:
    runs = [_run(home, *arguments)[:2] for _ in range(_RUNS)]
    wall, used = (statistics.median(column) for column in zip(*runs, strict=True))
    _say(what, wall, used, f"median of {_RUNS}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--encoder", type=Path, help="a folder made by 'broadsheet encoder add'")
    asked = parser.parse_args()
    print(f"read bandwidth of one core: {_bandwidth() / 1e9:.1f} GB/s")
    os.environ["BROADSHEET_NOW"] = "2026-07-03T12:00:00Z"
    files = [str(file) for file in sorted((asked.data / "arxiv").glob("*.jsonl.gz"))]
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "home"
        wall, used, document = _run(home, "add", *files)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
        rate = f"{document['new'] / wall:,.0f} papers/s, peak {peak:,.0f} MB, disk {_size(home):,.0f} MB"  # type: ignore[operator]
        _say(f"add of {document['read']:,} records, words", wall, used, rate)
        _say("the same again, unchanged", *_run(home, "add", *files)[:2])
        _say(
            "a day's 500 papers, findable by words",
            *_run(home, "add", str(_day(asked.data, Path(place), 1)))[:2],
        )
        if asked.encoder:
            encoder = encoders.load(asked.encoder)
            texts = _texts(asked.data)
            rate = len(texts) / _timed(lambda: encoder.encode(texts))
            print(f"encoder: {rate:.0f} abstracts/s at up to 256 tokens")
            shutil.copytree(asked.encoder, home / "encoders" / asked.encoder.name)
            (home / "encoders" / "in-use.json").write_text(json.dumps({"name": asked.encoder.name}))
            _say(
                "a day's 500 papers and 1,000 vectors",
                *_run(home, "add", str(_day(asked.data, Path(place), 2)))[:2],
            )
        _fresh(home, "search, a fresh process", "search", _SEARCHES[0])
        ids = [result["id"] for result in _run(home, "search", "galaxies", "--limit", "100")[2]["results"]]  # type: ignore[attr-defined]
        _run(home, "save", *ids)
        _say("today, first: word state and digest made", *_run(home, "today")[:2])
        for day in ("2026-06-30", "2026-06-29", "2026-06-26"):
            _say(f"today {day}, digest made, 100 saved", *_run(home, "today", "--day", day)[:2])
        _fresh(home, "today, digest printed again", "today")


if __name__ == "__main__":
    main()
