"""The packaged sample: 200 papers of one week, for a first page when no source can be reached.

The papers' facts are arXiv's (public domain); each abstract is replaced by a short summary written
for this sample.
"""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from importlib import resources

from broadsheet.papers import Announcement, Arrival, Author, Links, Paper, normal_id

SOURCE = "sample"


def read_sample(now: datetime) -> Iterator[Arrival]:
    """The papers of the sample in order of announcement, each announced as new in its first category.

    Papers and announcements name ``sample`` as their source, so that every surface can say so.
    """
    text = (resources.files("broadsheet.sources") / "sample" / "papers.jsonl").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        yield _arrival(json.loads(line), number, now)


def _arrival(record: dict[str, str | list[str] | None], line: int, now: datetime) -> Arrival:
    name = str(record["id"])
    announced = date.fromisoformat(str(record["announced"]))
    published = record["published"]
    categories = tuple(record["categories"] or ())
    paper = Paper(
        id=normal_id(name),
        title=str(record["title"]),
        abstract=str(record["abstract"]),
        authors=tuple(Author(author) for author in record["authors"] or ()),
        submitted=_midnight(str(published)) if published else None,
        announced=announced,
        categories=categories,
        links=Links(abs=f"https://arxiv.org/abs/{name}", pdf=f"https://arxiv.org/pdf/{name}"),
        source=SOURCE,
    )
    announcement = Announcement(paper.id, SOURCE, categories[0], announced, "new", None, now)
    return Arrival(paper, (announcement,), line=line)


def _midnight(day: str) -> datetime:
    return datetime.combine(date.fromisoformat(day), time(), UTC)
