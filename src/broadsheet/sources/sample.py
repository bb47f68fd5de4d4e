"""The packaged sample: 200 papers of one week, for a first page when no source can be reached.

The papers' facts are arXiv's (public domain); each abstract is replaced by a short summary written
for this sample.
"""

from collections.abc import Iterator
from datetime import datetime
from importlib import resources

import orjson

from broadsheet.papers import Arrival
from broadsheet.sources.files.jsonl import read_record

_FILE = "sample/papers.jsonl"


def read_sample(now: datetime) -> Iterator[Arrival]:
    """The papers of the sample in order of announcement, each announced as new in its first category.

    Papers and announcements name ``sample`` as their source, so that every surface can say so.
    """
    lines = (resources.files("broadsheet.sources") / _FILE).read_bytes().splitlines()
    for number, line in enumerate(lines, start=1):
        arrived = read_record(orjson.loads(line), _FILE, number, now)
        assert isinstance(arrived, Arrival), arrived
        yield arrived
