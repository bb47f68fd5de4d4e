"""The made-up sources as a process: ``python -m tests.fake_sources --seed 1 --port 8765 --state FILE``.

The address is printed (and written to FILE as JSON) once it serves. The world's clock and the faults are
set by POST /control, e.g. ``{"now": "2026-10-20T12:00:00+00:00", "rate": 0.2, "seed": 3}``.
"""

import argparse
import json
from datetime import datetime
from pathlib import Path

from tests.fake_sources.faults import Faults
from tests.fake_sources.routes import Sources
from tests.fake_sources.server import addresses, make_server
from tests.fake_sources.world import World


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve made-up sources on the loopback address.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument(
        "--now", type=datetime.fromisoformat, help="the world's clock; default: its first day"
    )
    parser.add_argument("--rate", type=float, default=0.0, help="share of requests that go wrong")
    parser.add_argument("--papers", type=int, default=3000)
    parser.add_argument("--state", type=Path, help="a file that gets the address and the variables to set")
    asked = parser.parse_args()
    world = World(asked.seed, papers=asked.papers)
    sources = Sources(world, asked.now or world.first_moment, Faults(asked.seed, asked.rate))
    server = make_server(sources, asked.port)
    base = f"http://127.0.0.1:{server.server_address[1]}"
    if asked.state:
        asked.state.write_text(json.dumps({"base": base, "environment": addresses(base)}))
    print(base, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
