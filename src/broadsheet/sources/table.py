"""The sources by name, with the addresses and manners that hold unless the settings say otherwise.

Settings and documentation are made from this table.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Source:
    """One source: its addresses by the name of their setting, whether it is on at first, how it is asked.

    ``spacing_seconds`` lies between two requests; ``patience_seconds`` is the most that one run waits in
    all. ``private_allowed`` is False where the addresses come from readers.
    """

    name: str
    title: str
    addresses: dict[str, str] = field(default_factory=dict)
    enabled: bool = False
    spacing_seconds: float = 1.0
    patience_seconds: float = 300.0
    private_allowed: bool = True


SOURCES: tuple[Source, ...] = (
    Source(
        "arxiv",
        "arXiv",
        {
            "oai_url": "https://oaipmh.arxiv.org/oai",
            "api_url": "https://export.arxiv.org/api/query",
            "feed_url": "https://rss.arxiv.org",
            "listing_url": "https://arxiv.org/list",
            "catchup_url": "https://arxiv.org/catchup",
        },
        enabled=True,
        spacing_seconds=3.0,
        patience_seconds=900.0,
    ),
    Source(
        "huggingface", "Hugging Face Daily Papers", {"url": "https://huggingface.co/api/daily_papers"}, True
    ),
    Source("biorxiv", "bioRxiv", {"url": "https://api.biorxiv.org/details/biorxiv"}),
    Source("medrxiv", "medRxiv", {"url": "https://api.biorxiv.org/details/medrxiv"}),
    Source("feeds", "Feeds that readers add", private_allowed=False),
)


def named(name: str) -> Source:
    """The source of that name; raises KeyError for any other."""
    return {source.name: source for source in SOURCES}[name]
