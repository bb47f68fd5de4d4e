"""Killed with signal 9 at any moment, an index is whole and the next run goes on from there."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from broadsheet.search.growing import VectorsWriter
from broadsheet.search.manifests import MANIFEST, folder_of
from broadsheet.search.vectors import Vectors
from broadsheet.search.words import Words, WordsWriter, is_made

SOURCE = Path(__file__).resolve().parents[2] / "src"

WRITE_WORDS = """
from broadsheet.papers import Paper
from broadsheet.search.words import WordsWriter
with WordsWriter(directory) as writer:
    for commit in range(writer.covered + 1, 100_000):
        for key in range(20 * commit, 20 * commit + 20):
            writer.put(key, Paper(f"file:{key:016x}", f"title {key}", "some words"), None)
        writer.commit(commit)
"""

WRITE_VECTORS = """
import numpy as np
from broadsheet.search.growing import VectorsWriter
with VectorsWriter(directory, "tiny", "m", 16, 1.0) as writer:
    for chunk in range(len(writer.vectors()) // 8, 100_000):
        keys = np.arange(8 * chunk, 8 * chunk + 8)
        vectors = np.full((8, 16), 0.25, np.float32)
        writer.add(vectors, keys, np.ones(8, np.int64), keys % 5)
"""


def kill_while(program: str, directory: Path, is_begun, seconds: float) -> None:
    """Run a program and kill it so many seconds after it has begun to write."""
    given = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
    given += f"from pathlib import Path; directory = Path({str(directory)!r})\n"
    with subprocess.Popen([sys.executable, "-c", given + program]) as running:
        until = time.monotonic() + 30
        while not is_begun() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(seconds)
        os.kill(running.pid, signal.SIGKILL)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_words_writer_leaves_a_whole_commit(tmp_path, seed) -> None:
    place = tmp_path / "words"
    for _ in range(2):
        kill_while(WRITE_WORDS, place, lambda: is_made(place), random.Random(seed).uniform(0, 0.3))
        words = Words.open(place)
        assert len(words) == 20 * words.covered
    with WordsWriter(place) as writer:
        assert writer.covered == words.covered


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_killed_vectors_writer_leaves_whole_chunks(tmp_path, seed) -> None:
    manifest = folder_of(tmp_path, "tiny") / MANIFEST
    for _ in range(2):
        kill_while(WRITE_VECTORS, tmp_path, manifest.is_file, random.Random(seed).uniform(0, 0.3))
        held = Vectors.open(tmp_path, "tiny").held()
        assert held.tolist() == list(range(len(held)))
        assert len(held) % 8 == 0
    with VectorsWriter(tmp_path, "tiny", "m", 16, 1.0) as writer:
        assert writer.dropped == []
        writer.add(np.ones((1, 16), np.float32), np.array([10**6]), np.array([1]), np.array([0]))
        assert len(writer.vectors()) == len(held) + 1
