"""Taking in files: what each record became, in batches that are kept as they come."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection

from broadsheet.library import arrivals, interactions, signals
from broadsheet.library.arrivals import Stored
from broadsheet.library.database import Library
from broadsheet.papers import Arrival, Skipped
from broadsheet.readers import Interaction
from broadsheet.sources.files.drafts import SignalsOnly
from broadsheet.sources.files.reading import read

BATCH = 1_000


@dataclass(slots=True)
class AddReport:
    """How many records were read and what became of them; ``skipped`` names each refused one."""

    outcomes: Counter[str] = field(default_factory=Counter)
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def read(self) -> int:
        return self.outcomes.total() + len(self.skipped)


def add(
    library: Library,
    paths: Sequence[Path],
    file_format: str | None,
    reader_id: int | None,
    now: datetime,
    progress: Callable[[int], None],
) -> AddReport:
    """Read files and folders into the library; with a reader, each paper also counts as saved.

    A batch of records is one short transaction, so that a run that is cut off keeps what it had read
    and a second run finds it unchanged. ``progress`` is told how many records were read so far.
    """
    report = AddReport()
    for path in paths:
        records = read(path, file_format, now=now)
        while batch := list(islice(records, BATCH)):
            with library.write() as conn:
                _store(conn, str(path), batch, reader_id, now, report)
            progress(report.read)
    return report


def store_all(library: Library, arrivals_: Iterable[Arrival], now: datetime) -> AddReport:
    """Store arrivals that are no file's, such as the packaged sample."""
    report, records = AddReport(), iter(arrivals_)
    while batch := list(islice(records, BATCH)):
        with library.write() as conn:
            _store(conn, "", batch, None, now, report)
    return report


def _store(
    conn: Connection,
    path: str,
    batch: Sequence[Arrival | SignalsOnly | Skipped],
    reader_id: int | None,
    now: datetime,
    report: AddReport,
) -> None:
    report.skipped += [record for record in batch if isinstance(record, Skipped)]
    arrived = [record for record in batch if isinstance(record, Arrival)]
    stored = arrivals.store(conn, arrived, now)
    report.outcomes.update(outcome.outcome for outcome in stored)
    if reader_id is not None:
        _save_for(conn, reader_id, arrived, stored, now)
    _store_signals(conn, path, (record for record in batch if isinstance(record, SignalsOnly)), report)


def _store_signals(conn: Connection, path: str, told: Iterable[SignalsOnly], report: AddReport) -> None:
    records = list(told)
    changed = signals.store(conn, [signal for record in records for signal in record.signals])
    for record in records:
        if record.paper_id not in changed:
            why = f"no paper {record.paper_id} is held, so its readings were left out"
            report.skipped.append(Skipped(path, record.line, why))
        else:
            report.outcomes["changed" if changed[record.paper_id] else "unchanged"] += 1


def _save_for(
    conn: Connection, reader_id: int, arrived: Sequence[Arrival], stored: Sequence[Stored], now: datetime
) -> None:
    standing = interactions.standing(conn, reader_id).get("saved", {})
    wanted = {
        outcome.key: Interaction(reader_id, outcome.id, "saved", _at(arrival.kept, now), "import")
        for arrival, outcome in zip(arrived, stored, strict=True)
        if outcome.key not in standing
    }
    interactions.record(conn, list(wanted.values()))


def _at(kept: date | None, now: datetime) -> datetime:
    return now if kept is None else min(now, datetime.combine(kept, time(), UTC))
