"""The made-up Hugging Face Daily Papers, bioRxiv, medRxiv and a plain feed."""

import json
import random
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from html import escape

from tests.fake_sources import words
from tests.fake_sources.world import World

RXIV_PAGE = 30
_SPOTS = 8


def featured(world: World, day: date, now: datetime) -> list[tuple[str, int]]:
    """(arXiv id, upvotes) of a day at ``now``: it fills up over the day, votes grow for two weeks."""
    start = datetime.combine(day, time(), UTC)
    out = [d for d in world.mailed(start) if d < day]
    if not out or day.weekday() > 4 or now < start:
        return []
    rng = random.Random(day.toordinal())
    pool = sorted(p.id for p in world.papers.values() if p.announced == out[-1] and p.version_at(start))
    chosen = rng.sample(pool, min(_SPOTS, len(pool)))
    hours = (now - start) / timedelta(hours=1)
    shown = chosen[: max(1, min(_SPOTS, int(hours // 2)))]
    age = min(hours, 14 * 24)
    return [(paper_id, int((index + 1) * (2 + age / 12))) for index, paper_id in enumerate(shown)]


def daily_papers(world: World, day: date, now: datetime) -> str:
    told = []
    for paper_id, upvotes in featured(world, day, now):
        paper = world.papers[paper_id]
        version = paper.versions[0]
        posted = f"{day}T00:00:00.000Z"
        told.append(
            {
                "paper": {
                    "id": paper_id,
                    "title": version.title,
                    "summary": version.abstract,
                    "authors": [{"name": f"{g} {f}", "hidden": False} for g, f in paper.authors],
                    "publishedAt": f"{version.submitted:%Y-%m-%dT%H:%M:%S.000Z}",
                    "submittedOnDailyAt": posted,
                    "upvotes": upvotes,
                    "githubRepo": f"https://github.com/made-up/{paper_id.replace('.', '-')}",
                    "ai_keywords": ["made", "up"],
                },
                "publishedAt": posted,
                "title": version.title,
                "numComments": upvotes // 3,
                "submittedBy": {"fullname": "Ada Quillfeather", "type": "user"},
            }
        )
    return json.dumps(told)


@dataclass(frozen=True)
class RxivRecord:
    doi: str
    day: date
    title: str
    abstract: str
    authors: str


def rxiv_records(server: str, day: date) -> list[RxivRecord]:
    """All that was posted on a day: 3 to 45 records, every day of the week."""
    rng = random.Random(f"{server}{day}")
    found = []
    for number in range(rng.randint(3, 45)):
        names = "; ".join(f"{family}, {given[0]}." for given, family in words.authors(rng))
        doi = f"10.64898/{day:%Y.%m.%d}.{server[0]}{number:05d}"
        found.append(RxivRecord(doi, day, words.title(rng, number), words.abstract(rng), names))
    return found


def rxiv_page(server: str, first: date, last: date, cursor: int, hole: bool) -> str:
    """One page of ``/details``; ``hole`` lets the server serve one record fewer than its total says."""
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    records = [r for day in days for r in rxiv_records(server, day)]
    served = records[:-1] if hole and len(records) > 1 else records
    page = served[cursor : cursor + RXIV_PAGE]
    if not page:
        return json.dumps({"messages": [{"status": "no posts found"}], "collection": []})
    message = {
        "status": "ok",
        "category": "all",
        "interval": f"{first}:{last}",
        "cursor": cursor,
        "count": len(page),
        "count_new_papers": str(len(page)),
        "total": str(len(records)),
    }
    collection = [
        {
            "title": r.title,
            "authors": r.authors,
            "doi": r.doi,
            "date": str(r.day),
            "version": "1",
            "type": "new results",
            "license": "cc_by",
            "category": "cell biology",
            "abstract": r.abstract,
            "published": "NA",
            "server": server,
        }
        for r in page
    ]
    return json.dumps({"messages": [message], "collection": collection})


def plain_feed(now: datetime) -> str:
    """A journal's RSS: three items a day over the last ten days, newest first."""
    items = []
    for back in range(10):
        day = now.date() - timedelta(days=back)
        rng = random.Random(f"feed{day}")
        for number in range(3):
            doi = f"10.5555/{day:%Y%m%d}.{number}"
            items.append(
                f"<item><title>{escape(words.title(rng, number))}</title><link>https://doi.org/{doi}</link>"
                f"<guid isPermaLink='false'>{doi}</guid>"
                f"<description>{escape(words.abstract(rng))}</description>"
                f"<pubDate>{day:%a, %d %b %Y} 06:00:00 GMT</pubDate></item>"
            )
    return (
        "<?xml version='1.0' encoding='UTF-8'?><rss version='2.0'><channel><title>Made-up Letters</title>"
        "<link>https://letters.invalid/</link><description>all that is made up</description>"
        f"<lastBuildDate>{now:%a, %d %b %Y %H:%M:%S} GMT</lastBuildDate>{''.join(items)}</channel></rss>"
    )
