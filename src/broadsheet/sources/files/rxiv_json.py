"""Saved answers of bioRxiv's and medRxiv's API: details, and the cross-walk to journals."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.files.values import text
from broadsheet.sources.rxiv import Server, read_record

# The cross-walk's names for what the details call by the second name.
_CROSSWALK = (
    ("preprint_doi", "doi"),
    ("preprint_title", "title"),
    ("preprint_authors", "authors"),
    ("preprint_category", "category"),
    ("preprint_date", "date"),
    ("preprint_abstract", "abstract"),
    ("preprint_platform", "server"),
    ("published_doi", "published"),
)


def parse(
    collection: Iterator[Mapping[str, object]], path: str, now: datetime
) -> Iterator[Arrival | Skipped]:
    """Each preprint, announced on the day of its version; its journal's DOI is that of its twin."""
    for one in collection:
        record = {**one, **{plain: one[longer] for longer, plain in _CROSSWALK if longer in one}}
        server: Server = "medrxiv" if text(record, "server").lower() == "medrxiv" else "biorxiv"
        found = read_record(record, server, now)
        yield Skipped(path, None, found.why) if isinstance(found, Skipped) else found
