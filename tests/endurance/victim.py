"""One harvest in a process of its own, which a test may kill: ``python -m tests.endurance.victim``.

It says "ready" before it begins, so that a killer knows when the work starts, and "done" at its end.
"""

import sys
from datetime import datetime
from pathlib import Path

from tests.endurance.wire import harvest_once, plan

from broadsheet.library.database import Library


def main() -> None:
    home, base, moment, names = sys.argv[1:]
    now = datetime.fromisoformat(moment)
    library = Library.open(Path(home) / "library.sqlite3", now)
    planned = plan(base, names.split(","), now)
    print("ready", flush=True)
    harvest_once(library, planned, now)
    print("done", flush=True)


if __name__ == "__main__":
    main()
