"""Signals of papers that are held already, told apart from the papers themselves."""

from collections.abc import Sequence

from sqlalchemy import Connection, insert, select

from broadsheet.library.papers import keys_of
from broadsheet.library.rows import among
from broadsheet.library.tables import signals
from broadsheet.papers import Signal


def store(connection: Connection, told: Sequence[Signal]) -> dict[str, bool]:
    """Keep the signals of papers that are held; for each such paper's id, whether any was new.

    Ids that are not in the answer are of papers that are not held: their signals are left out.
    """
    keys = keys_of(connection, {signal.paper_id for signal in told})
    statement = select(signals.c.paper_key, signals.c.name, signals.c.observed_at)
    known = {tuple(row) for row in among(connection, statement, signals.c.paper_key, set(keys.values()))}
    news = dict.fromkeys(keys, False)
    rows = []
    for signal in told:
        key = keys.get(signal.paper_id)
        observed = (key, signal.name, signal.observed_at)
        if key is None or observed in known:
            continue
        known.add(observed)
        news[signal.paper_id] = True
        row = {"paper_key": key, "name": signal.name, "observed_at": signal.observed_at}
        rows.append({**row, "value": signal.value})
    if rows:
        connection.execute(insert(signals), rows)
    return news
