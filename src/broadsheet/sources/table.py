"""The sources by name, with the addresses and manners that hold unless the settings say otherwise.

The settings are made from this table, and a test holds docs/sources.md to it.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """One source: its addresses by the name of their setting, whether it is on at first, how it is asked.

    ``spacing_seconds`` lies between two requests; ``patience_seconds`` is the most that one run waits in
    all.
    """

    name: str
    addresses: dict[str, str] = field(default_factory=dict)
    enabled: bool = False
    spacing_seconds: float = 1.0
    patience_seconds: float = 300.0


SOURCES: tuple[Source, ...] = (
    Source(
        "arxiv",
        {
            "oai_url": "https://oaipmh.arxiv.org/oai",
            "api_url": "https://export.arxiv.org/api/query",
            "feed_url": "https://rss.arxiv.org",
            "listing_url": "https://arxiv.org/list",
            "catchup_url": "https://arxiv.org/catchup",
        },
        enabled=True,
        spacing_seconds=3.0,
    ),
    Source("huggingface", {"url": "https://huggingface.co/api/daily_papers"}, enabled=True),
    Source("biorxiv", {"url": "https://api.biorxiv.org/details/biorxiv"}),
    Source("medrxiv", {"url": "https://api.biorxiv.org/details/medrxiv"}),
    Source("feeds"),
)
