"""Leases: which process may do a job now; they run out by the clock that is passed."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from broadsheet.errors import Busy
from broadsheet.library import dialects
from broadsheet.library.tables import leases


def take(connection: Connection, name: str, holder: str, now: datetime, seconds: float) -> None:
    """Take a lease that is free, has run out, or is one's own already; else raises Busy."""
    dialects.lock_writing(connection)
    held = connection.execute(select(leases.c.holder, leases.c.until).where(leases.c.name == name)).first()
    if held is not None and held.holder != holder and held.until > now:
        raise Busy(
            f"{name} is being done by {held.holder}, until {held.until:%Y-%m-%d %H:%M:%S} UTC at most.",
            "Wait for it to end and run the command again.",
        )
    row = {"name": name, "holder": holder, "until": now + timedelta(seconds=seconds)}
    dialects.insert_or_replace(connection, leases, [row], "holder", "until")


def holder(connection: Connection, name: str) -> str | None:
    """Who holds a lease, or held it last without giving it back; None where it is free."""
    return connection.execute(select(leases.c.holder).where(leases.c.name == name)).scalar()


def renew(connection: Connection, name: str, holder: str, now: datetime, seconds: float) -> None:
    """Hold on to a lease for longer; raises Busy where another has taken it since."""
    take(connection, name, holder, now, seconds)


def release(connection: Connection, name: str, holder: str) -> None:
    """Give a lease back; nothing happens where another holds it."""
    connection.execute(delete(leases).where(leases.c.name == name, leases.c.holder == holder))
