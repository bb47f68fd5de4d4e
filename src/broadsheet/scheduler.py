"""What runs beside the pages: missing vectors as they come, and the day once it is due."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime, time, timedelta
from types import TracebackType

from broadsheet.api import adding, days
from broadsheet.api.home import Home
from broadsheet.errors import BroadsheetError

log = logging.getLogger("broadsheet.scheduler")

_PAUSE_SECONDS = 60.0


class Scheduler:
    """A thread that works while it is entered; it stops within one batch when left."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scheduler", daemon=True)

    def __enter__(self) -> "Scheduler":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        due = next_run(self._home.now, self._home.settings.text("harvest.time"))
        while not self._stop.is_set():
            self._attempt("vectors", lambda: adding.index_some(self._home, self._goes_on))
            if self._home.now >= due:
                due = next_run(self._home.now, self._home.settings.text("harvest.time"))
                self._attempt("daily", lambda: days.daily(self._home, None, lambda done, total: None))
            self._stop.wait(_PAUSE_SECONDS)

    def _goes_on(self) -> bool:
        return not self._stop.is_set()

    def _attempt(self, what: str, work: Callable[[], object]) -> None:
        try:
            work()
        except BroadsheetError as error:
            log.warning("%s: %s %s", what, error.message, error.next_step)


def next_run(now: datetime, at: str) -> datetime:
    """The next instant after ``now`` at the UTC time of day ``at`` (HH:MM)."""
    today = datetime.combine(now.date(), time.fromisoformat(at), now.tzinfo)
    return today if today > now else today + timedelta(days=1)
