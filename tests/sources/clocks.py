"""A clock that moves only when somebody sleeps, so that waits can be read off and tests are fast."""

from datetime import UTC, datetime, timedelta

from broadsheet.sources.http import Clock

START = datetime(2031, 6, 18, 3, 0, tzinfo=UTC)


class SleepingClock:
    """Time stands still but for sleep; ``slept`` lists the pauses in seconds."""

    def __init__(self, start: datetime = START, chance: float = 0.0) -> None:
        self.time = start
        self.chance = chance
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)

    def clock(self) -> Clock:
        return Clock(
            now=lambda: self.time,
            sleep=self.sleep,
            random=lambda: self.chance,
            elapsed=lambda: (self.time - START).total_seconds(),
        )
