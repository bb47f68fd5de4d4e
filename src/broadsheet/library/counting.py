"""Numbers that only grow, given out under the write lock, so that they are committed in order."""

from sqlalchemy import Connection, select, update

from broadsheet.library.tables import counters


def next_numbers(connection: Connection, name: str, count: int) -> range:
    """The next numbers of a counter; none are given twice."""
    if count == 0:
        return range(0)
    row = counters.c.name == name
    connection.execute(update(counters).where(row).values(value=counters.c.value + count))
    last = connection.execute(select(counters.c.value).where(row)).scalar_one()
    return range(last - count + 1, last + 1)
