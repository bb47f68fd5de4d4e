"""The made-up arXiv's announcement routes: listing and catch-up pages (HTML) and the newest batch's feeds."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from html import escape

from tests.fake_sources.world import EASTERN, Entry, Version, World, WorldPaper

PAGE = 60
SECTIONS = (
    ("New submissions", ("new",)),
    ("Cross submissions", ("cross",)),
    ("Replacement submissions", ("replace", "replace-cross")),
)


def long_day(day: date) -> str:
    return f"{day:%A}, {day.day} {day:%B %Y}"


def listing(category: str, day: date, entries: Sequence[Entry], world: World, page: int = 1) -> str:
    """``/list/<category>/new`` or one page of ``/catchup/<category>/<day>``; pages count from 1."""
    ordered = [e for _, kinds in SECTIONS for e in entries if e.kind in kinds]
    here = set(ordered[(page - 1) * PAGE : page * PAGE])
    parts = [f"<h1>{category}</h1><h3>Showing new listings for {long_day(day)}</h3>"]
    parts.append(f"<div class='paging'>Total of {len(entries)} entries</div><dl id='articles'>")
    number = (page - 1) * PAGE
    for heading, kinds in SECTIONS:
        section = [e for e in ordered if e.kind in kinds]
        shown = [e for e in section if e in here]
        if not shown:
            continue
        parts.append(f"<h3>{heading} (showing {len(shown)} of {len(section)} entries)</h3>")
        for entry in shown:
            number += 1
            parts.append(_item(number, entry, world.papers[entry.paper_id]))
    parts.append("</dl>" if ordered else "</dl><p>No updates for this day.</p>")
    return _page("".join(parts))


def recent(category: str, batches: Sequence[tuple[date, Sequence[Entry]]], world: World) -> str:
    """``/list/<category>/recent``: new and cross-listed papers of up to five days, newest day first."""
    parts = [f"<h1>{category}</h1><dl id='articles'>"]
    number = 0
    for day, entries in batches:
        shown = [e for e in entries if e.kind in ("new", "cross")]
        heading = f"{day:%a}, {day.day} {day:%b %Y}"
        parts.append(f"<h3>{heading} (showing {len(shown)} of {len(shown)} entries )</h3>")
        for entry in shown:
            number += 1
            parts.append(_item(number, entry, world.papers[entry.paper_id]))
    return _page("".join(parts) + "</dl>")


def _page(body: str) -> str:
    return f"<!DOCTYPE html><html lang='en'><head><title>listing</title></head><body>{body}</body></html>"


def _item(number: int, entry: Entry, paper: WorldPaper) -> str:
    version = _version(paper, entry)
    primary = paper.categories[0][0]
    note = {"cross": f"(cross-list from {primary})", "new": ""}.get(entry.kind, "(replaced)")
    subjects = "; ".join(
        f"<span class='primary-subject'>Name ({c})</span>" if c == primary else f"Name ({c})"
        for c in paper.categories_at(entry.visible)
    )
    names = ", ".join(f"<a href='/a/{i}'>{escape(f'{g} {f}')}</a>" for i, (g, f) in enumerate(paper.authors))
    comment = (
        "<div class='list-comments mathjax'><span class='descriptor'>Comments:</span>"
        f" {escape(version.comment)}</div>"
        if version.comment
        else ""
    )
    return (
        f"<dt><a name='item{number}'>[{number}]</a> "
        f"<a href ='/abs/{paper.id}' title='Abstract' id='{paper.id}'>arXiv:{paper.id}</a> {note} "
        f"[<a href='/pdf/{paper.id}' title='Download PDF'>pdf</a>]</dt>"
        f"<dd><div class='meta'><div class='list-title mathjax'><span class='descriptor'>Title:</span>"
        f" {escape(version.title)}</div><div class='list-authors'>{names}</div>{comment}"
        f"<div class='list-subjects'><span class='descriptor'>Subjects:</span> {subjects}</div>"
        f"<p class='mathjax'>{escape(version.abstract)}</p></div></dd>"
    )


def _version(paper: WorldPaper, entry: Entry) -> Version:
    return paper.versions[entry.version - 1]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), EASTERN)


def atom(names: str, entries: Sequence[Entry], built: datetime, world: World) -> str:
    """``/atom/<names>``: the newest batch; ``built`` is the build date, fresh even over an old batch."""
    items = []
    for entry in entries:
        paper = world.papers[entry.paper_id]
        version = _version(paper, entry)
        terms = "".join(f'<category term="{c}"/>' for c in paper.categories_at(entry.visible))
        items.append(
            f"<entry><id>oai:arXiv.org:{paper.id}v{entry.version}</id><title>{escape(version.title)}</title>"
            f"<updated>{built.isoformat()}</updated>"
            f'<link href="https://arxiv.org/abs/{paper.id}" rel="alternate" type="text/html"/>'
            f"<summary>{_summary(paper, entry)}</summary>{terms}"
            f"<published>{_midnight(entry.day).isoformat()}</published>"
            f"<arxiv:announce_type>{entry.kind}</arxiv:announce_type>"
            f"<dc:rights>http://creativecommons.org/licenses/by/4.0/</dc:rights>"
            f"<dc:creator>{_creators(paper)}</dc:creator></entry>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><feed xmlns:arxiv="http://arxiv.org/schemas/atom" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns="http://www.w3.org/2005/Atom" xml:lang="en-us">'
        f"<id>http://rss.arxiv.org/atom/{names}</id><title>{names} updates on arXiv.org</title>"
        f"<updated>{built.isoformat()}</updated><subtitle>updates</subtitle>{''.join(items)}</feed>"
    )


def rss(names: str, entries: Sequence[Entry], built: datetime, world: World) -> str:
    items = []
    for entry in entries:
        paper = world.papers[entry.paper_id]
        terms = "".join(f"<category>{c}</category>" for c in paper.categories_at(entry.visible))
        items.append(
            f"<item><title>{escape(_version(paper, entry).title)}</title>"
            f"<link>https://arxiv.org/abs/{paper.id}</link>"
            f"<description>{_summary(paper, entry)}</description>"
            f'<guid isPermaLink="false">oai:arXiv.org:{paper.id}v{entry.version}</guid>{terms}'
            f"<pubDate>{_midnight(entry.day):%a, %d %b %Y %H:%M:%S %z}</pubDate>"
            f"<arxiv:announce_type>{entry.kind}</arxiv:announce_type>"
            f"<dc:creator>{_creators(paper)}</dc:creator></item>"
        )
    stamp = f"{built.astimezone(EASTERN):%a, %d %b %Y %H:%M:%S %z}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?><rss xmlns:arxiv="http://arxiv.org/schemas/atom" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0"><channel>'
        f"<title>{names} updates on arXiv.org</title><link>http://rss.arxiv.org/rss/{names}</link>"
        f"<description>updates</description><lastBuildDate>{stamp}</lastBuildDate><pubDate>{stamp}</pubDate>"
        f"<skipDays><day>Sunday</day><day>Saturday</day></skipDays>{''.join(items)}</channel></rss>"
    )


def _summary(paper: WorldPaper, entry: Entry) -> str:
    text = escape(_version(paper, entry).abstract)
    return f"arXiv:{paper.id}v{entry.version} Announce Type: {entry.kind} \nAbstract: {text}"


def _creators(paper: WorldPaper) -> str:
    return escape(", ".join(f"{given} {family}" for given, family in paper.authors))


def feed_entries(world: World, names: Sequence[str], now: datetime, stale: bool) -> list[Entry]:
    """What the feed holds: the batches of the newest night, on their own day and the evening before it.

    A stale feed still holds the batches of the night before that.
    """
    nights = sorted({world.mailings[d] for d in world.mailed(now)})
    if len(nights) <= stale:
        return []
    night = nights[-1 - stale]
    days = [d for d in world.mailed(now) if world.mailings[d] == night]
    newest = [d for d in world.mailed(now) if world.mailings[d] == nights[-1]][-1]
    if now.astimezone(EASTERN).date() > newest:
        return []
    found: dict[tuple[str, date], Entry] = {}
    for day in days:
        for name in names:
            for entry in world.batch(name, day, night + timedelta(seconds=1)):
                found.setdefault((entry.paper_id, entry.day), entry)
    return list(found.values())
