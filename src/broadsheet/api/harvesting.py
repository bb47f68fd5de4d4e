"""What a harvest asks, made from the settings and from what readers follow."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from broadsheet.api.home import Home
from broadsheet.daily.plans import ArxivAddresses, ArxivPlan, OtherPlan, Plan
from broadsheet.errors import UsageError
from broadsheet.library import readers
from broadsheet.sources.http import Client, Clock, Manners

SOURCES = ("arxiv", "huggingface", "biorxiv", "medrxiv", "feeds")
_NOBODY = "unnamed reader, set harvest.contact"


def wanted_sources(home: Home, names: Sequence[str]) -> tuple[str, ...]:
    """The sources to ask: those named, or those switched on; UsageError for one that does not exist."""
    for name in names:
        if name not in SOURCES:
            raise UsageError(f"There is no source {name!r}.", f"Sources are {', '.join(SOURCES)}.")
    return tuple(names) or tuple(s for s in SOURCES if home.settings.flag(f"sources.{s}.enabled"))


def followed_categories(home: Home) -> tuple[str, ...]:
    """The union of what the settings name and what readers follow, in alphabetical order."""
    with home.library.read() as conn:
        followed = {
            entry.value for entry in readers.following(conn) if entry.kind == "category" and entry.wanted
        }
    return tuple(sorted(followed | set(home.settings.texts("sources.arxiv.categories"))))


@contextmanager
def plans(
    home: Home, sources: Sequence[str], categories: Sequence[str], patience_seconds: float | None
) -> Iterator[list[Plan]]:
    """A plan for each source, with its polite client; the clients are closed at the end."""
    with ExitStack() as stack:
        yield [
            _plan(home, source, categories, stack.enter_context(_client(home, source, patience_seconds)))
            for source in sources
        ]


def _plan(home: Home, source: str, categories: Sequence[str], client: Client) -> Plan:
    settings = home.settings
    if source == "arxiv":
        routes = ("oai", "api", "feed", "listing", "catchup")
        addresses = ArxivAddresses(**{r: settings.text(f"sources.arxiv.{r}_url") for r in routes})
        return ArxivPlan(client, tuple(categories) or followed_categories(home), addresses)
    if source == "feeds":
        return OtherPlan(source, client, settings.texts("sources.feeds.urls"))
    return OtherPlan(source, client, (settings.text(f"sources.{source}.url"),))


def _client(home: Home, source: str, patience_seconds: float | None) -> Client:
    settings = home.settings
    patience = settings.number(f"sources.{source}.patience_seconds")
    manners = Manners(
        spacing=settings.number(f"sources.{source}.spacing_seconds"),
        patience=patience if patience_seconds is None else min(patience, patience_seconds),
    )
    if source == "feeds":
        manners = replace(manners, private_allowed=settings.flag("sources.feeds.allow_private"))
    contact = settings.text("harvest.contact") or _NOBODY
    return Client(source, contact, manners, Clock(now=lambda: home.now))
