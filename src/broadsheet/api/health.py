"""``check``: what stands well and what does not, each finding with the next step."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from typing import Literal, TypedDict

from broadsheet.api.harvesting import followed_categories, wanted_sources
from broadsheet.api.home import Home
from broadsheet.daily import source_health
from broadsheet.daily.counts import counts_for
from broadsheet.errors import BroadsheetError
from broadsheet.library import dialects, papers
from broadsheet.search import index, manifests, opening, segments

_LOW_DISK_BYTES = 500_000_000
_DAYS_LOOKED_AT = 8

Severity = Literal["error", "warning", "info"]


class Finding(TypedDict):
    code: str
    severity: Severity
    text: str
    next_step: str


class CheckDocument(TypedDict):
    ok: bool
    findings: list[Finding]


def check(home: Home) -> CheckDocument:
    """Findings of every part; ``ok`` when none is an error."""
    findings = [*_library(home), *_index(home), *_encoder(home), *_sources(home), *_days(home), *_disk(home)]
    return {"ok": all(finding["severity"] != "error" for finding in findings), "findings": findings}


def _finding(code: str, severity: Severity, text: str, next_step: str = "") -> Finding:
    return {"code": code, "severity": severity, "text": text, "next_step": next_step}


def _of_error(error: BroadsheetError) -> Finding:
    return _finding(error.code, "error", error.message, error.next_step)


def _library(home: Home) -> Iterator[Finding]:
    with home.library.read() as conn:
        faults = dialects.faults(conn)
    for fault in faults:
        yield _finding(
            "library_damaged", "error", f"The library is damaged: {fault}.", "Restore a copy of the database."
        )


def _index(home: Home) -> Iterator[Finding]:
    try:
        with home.library.read() as conn:
            report = index.report(conn, home.index_folder, home.encoder_name)
            held = papers.count(conn)
            broken = _broken_segments(home)
    except BroadsheetError as error:
        yield _of_error(error)
        return
    for name in broken:
        yield _finding(
            "segment_broken", "error", f"The vectors file {name} is damaged.", "Run 'broadsheet index'."
        )
    if report.papers < held:
        text = f"{held - report.papers:,} papers cannot be found by words yet."
        severity: Severity = "warning" if report.papers else "error"
        yield _finding("words_pending", severity, text, "Run 'broadsheet index'.")
    if home.encoder_name and report.pending:
        text = f"{report.pending:,} papers have no vector yet."
        yield _finding("vectors_pending", "info", text, "Run 'broadsheet index', or leave 'serve' running.")


def _broken_segments(home: Home) -> list[str]:
    name = home.encoder_name
    if name is None or opening.vectors_at(home.index_folder, name) is None:
        return []
    folder = manifests.folder_of(home.index_folder, name)
    held = manifests.read_manifest(folder).segments
    return [segment for segment in held if not segments.is_whole(segments.read(folder / segment))]


def _encoder(home: Home) -> Iterator[Finding]:
    try:
        if home.encoder() is None:
            text = "There is no encoder: search and ranking go by words alone."
            yield _finding("no_encoder", "warning", text, "Run 'broadsheet encoder add minilm'.")
    except BroadsheetError as error:
        yield _of_error(error)


def _sources(home: Home) -> Iterator[Finding]:
    wanted = wanted_sources(home, ())
    if "arxiv" in wanted and not followed_categories(home):
        yield _finding(
            "nothing_followed",
            "warning",
            "No arXiv category is followed.",
            "Run 'broadsheet follow --category …'.",
        )
    with home.library.read() as conn:
        for source in wanted:
            health = source_health.health(conn, source)
            if health is None:
                text = f"{source} was never asked."
                yield _finding("never_harvested", "info", text, "Run 'broadsheet harvest'.")
            elif health.failures:
                times = "time" if health.failures == 1 else f"{health.failures} times"
                text = f"{source} gave no good answer the last {times}: {health.last_notice}"
                yield _finding("source_failing", "warning", text, "The next harvest asks again.")


def _days(home: Home) -> Iterator[Finding]:
    owed: dict[tuple[str, str, str], list[str]] = {}
    with home.library.read() as conn:
        for back in reversed(range(_DAYS_LOOKED_AT)):
            for row in counts_for(conn, home.now.date() - timedelta(days=back), None):
                if row.state in ("missing", "partial", "stale"):
                    owed.setdefault((row.source, row.category, row.state), []).append(row.day.isoformat())
    for (source, category, state), days in owed.items():
        text = f"{source} {category} is {state} for {', '.join(days)}."
        yield _finding(f"day_{state}", "warning", text, "Run 'broadsheet harvest'.")


def _disk(home: Home) -> Iterator[Finding]:
    free = shutil.disk_usage(home.path).free
    if free < _LOW_DISK_BYTES:
        text = f"Only {free / 1e6:,.0f} MB are free where {home.path} lies."
        yield _finding("disk_low", "error", text, "Make room, or move the home with BROADSHEET_HOME.")
