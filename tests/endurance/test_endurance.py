"""Weeks of faults end in exactly what was announced; ``make endurance`` plays many more of them."""

from pathlib import Path

import pytest
from tests.endurance.fuzz import fuzz
from tests.endurance.kills import play_kills
from tests.endurance.play import play
from tests.fake_sources.world import World

FOLLOWED = ("cs.LG", "hep-th")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_after_days_with_faults_all_that_was_announced_is_held(seed: int, tmp_path: Path) -> None:
    """Every claim is true at every step, and in the end held = announced, each paper once."""
    played = play(World(seed, days=10, papers=500), seed, FOLLOWED, tmp_path)
    assert played.wrong == []
    assert sum(played.faults.values()) > 50
    assert {"complete", "missing", "none_expected"} <= played.states.keys()


def test_killed_harvests_come_to_the_same_end(tmp_path: Path) -> None:
    """Whatever moment the process dies at, the next one goes on, and nothing is lost or doubled."""
    killed = play_kills(World(4, days=8, papers=400), 4, 5, FOLLOWED, tmp_path)
    assert killed.wrong == []
    assert killed.kills == 5


def test_random_queries_and_spoilt_index_files_end_in_errors_with_a_name(tmp_path: Path) -> None:
    """Case B79 and the promise that any text is a query; ``make fuzz`` plays ten minutes of it."""
    fuzzed = fuzz(1, 4, tmp_path)
    assert fuzzed.wrong == []
    assert fuzzed.happened["asked"] > 0
    assert fuzzed.happened["made anew"] > 0
