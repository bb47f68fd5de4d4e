"""Requests to replies: the made-up sources' addresses over one world, one clock and one drawing of faults."""

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from urllib.parse import parse_qs, unquote

from tests.fake_sources import others, pages, records
from tests.fake_sources.faults import Faults, Reply, Route, damaged, refusal
from tests.fake_sources.world import EASTERN, Entry, World

XML = "application/xml; charset=utf-8"
JSON = "application/json"
Query = dict[str, str]


@dataclass
class Sources:
    """All made-up sources at one moment; ``now`` and ``faults`` are set from outside between requests."""

    world: World
    now: datetime
    faults: Faults = field(default_factory=Faults)
    asked: list[str] = field(default_factory=list)

    def answer(self, path: str, query_text: str) -> Reply:
        """The reply to a GET."""
        self.asked.append(f"{path}?{query_text}" if query_text else path)
        path = unquote(path)
        query = {name: values[-1] for name, values in parse_qs(query_text).items()}
        route = route_of(path)
        fault = self.faults.draw(route) or ""
        if fault and (reply := refusal(fault, self.now)):
            return reply
        reply = _ANSWERS[route](self, path, query, fault)
        return damaged(reply, fault) if fault in ("cut", "chopped") else reply


def route_of(path: str) -> Route:
    if path.startswith("/list/"):
        return "listing"
    if path.startswith("/catchup/"):
        return "catchup"
    if path.startswith(("/atom/", "/rss/")):
        return "feed"
    if path.startswith("/oai"):
        return "oai"
    return "api" if path.startswith("/api/query") else "other"


def _html(text: str) -> Reply:
    return Reply(body=text.encode())


def _xml(text: str) -> Reply:
    return Reply(body=text.encode(), content_type=XML)


def _not_found() -> Reply:
    return Reply(404, b"Not found", "text/plain")


def _listing(sources: Sources, path: str, query: Query, fault: str) -> Reply:
    _, _, category, which = path.split("/", 3)
    world, now = sources.world, sources.now
    days = world.mailed(now)
    if fault == "stale":
        days = days[:-1]
    if fault == "bare" or not days:
        return _html("<html><body><h1>arXiv</h1></body></html>")
    if which == "new":
        entries = world.batch(category, days[-1], now)
        page = pages.listing(category, days[-1], entries, world) if len(entries) <= pages.PAGE else None
        return _html(page or _whole(category, days[-1], entries, world))
    if which == "recent":
        return _html(
            pages.recent(category, [(d, world.batch(category, d, now)) for d in days[:-6:-1]], world)
        )
    return _not_found()


def _whole(category: str, day: date, entries: list[Entry], world: World) -> str:
    """The listing takes ``show=2000`` and so never has a second page here."""
    short, pages.PAGE = pages.PAGE, max(pages.PAGE, len(entries))
    try:
        return pages.listing(category, day, entries, world)
    finally:
        pages.PAGE = short


def _catchup(sources: Sources, path: str, query: Query, fault: str) -> Reply:
    _, _, category, day_text = path.split("/", 3)
    world, now = sources.world, sources.now
    day = date.fromisoformat(day_text)
    if (now.astimezone(EASTERN).date() - day).days > 90:
        return Reply(400, b"Catchup only allowed for past 90 days", "text/plain")
    if fault == "bare":
        return _html("<html><body><h1>arXiv</h1></body></html>")
    entries = world.batch(category, day, now) if day in world.mailed(now) else []
    page = pages.listing(category, day, entries, world, int(query.get("page", "1")))
    if fault in ("short", "repeated"):
        items = re.findall(r"<dt>.*?</dd>", page, re.S)
        if items:
            item = sources.faults.pick(items)
            page = page.replace(item, "" if fault == "short" else item * 2, 1)
    return _html(page)


def _feed(sources: Sources, path: str, query: Query, fault: str) -> Reply:
    _, form, names = path.split("/", 2)
    stale = fault == "stale"
    entries = pages.feed_entries(sources.world, names.split("+"), sources.now, stale)
    if fault == "bare":
        entries = []
    if fault == "disguised":
        newest = sources.world.mailed(sources.now)[-1]
        before = pages.feed_entries(sources.world, names.split("+"), sources.now, stale=True)
        entries = [replace(entry, day=newest) for entry in before]
    if fault == "repeated":
        entries += entries[:3]
    if fault == "shuffled":
        entries.reverse()
    make = pages.atom if form == "atom" else pages.rss
    return _xml(make(names, entries, sources.now, sources.world))


def _oai(sources: Sources, path: str, query: Query, fault: str) -> Reply:
    now, verb = sources.now, query.get("verb", "")
    if verb == "GetRecord":
        paper = sources.world.papers.get(query["identifier"].rsplit(":", 1)[1])
        if paper is None or paper.version_at(now) is None:
            return _xml(records.oai_error(now, verb, "idDoesNotExist", "no such record"))
        body = f"<GetRecord>{records.record(paper, now, query['metadataPrefix'])}</GetRecord>"
        return _xml(records.oai(now, verb, body))
    if verb != "ListRecords":
        return _xml(records.oai_error(now, verb, "badVerb", "not played here"))
    if token := query.get("resumptionToken"):
        if fault == "expired":
            return _xml(records.oai_error(now, verb, "badResumptionToken", "The token has expired"))
        prefix, chosen_set, first, last, start = token.split("|")
    else:
        prefix, chosen_set = query["metadataPrefix"], query.get("set", "")
        first, last, start = query.get("from", "2000-01-01"), query.get("until", "2099-01-01"), "0"
    return _oai_page(sources, (prefix, chosen_set, first, last), int(start), fault)


def _oai_page(sources: Sources, asked: tuple[str, str, str, str], start: int, fault: str) -> Reply:
    prefix, chosen_set, first, last = asked
    now = sources.now
    found = records.selected(
        sources.world, now, chosen_set, date.fromisoformat(first), date.fromisoformat(last)
    )
    if not found:
        return _xml(records.oai_error(now, "ListRecords", "noRecordsMatch", "nothing in this window"))
    end = start + records.OAI_PAGE
    told = [records.record(p, now, prefix) for p in found[start:end]]
    told = _disordered(sources, told, fault)
    token = ""
    if end < len(found) or start:
        more = "|".join((*asked, str(end))) if end < len(found) and fault != "short" else ""
        token = f'<resumptionToken completeListSize="{len(found)}" cursor="{start}">{more}</resumptionToken>'
    return _xml(records.oai(now, "ListRecords", f"<ListRecords>{''.join(told)}{token}</ListRecords>"))


def _disordered(sources: Sources, told: list[str], fault: str) -> list[str]:
    if fault == "shuffled":
        sources.faults.shuffle(told)
    if fault == "repeated":
        told = told + told[:2]
    return told


def _api(sources: Sources, path: str, query: Query, fault: str) -> Reply:
    now = sources.now
    ids = [i for i in query.get("id_list", "").split(",") if i]
    if bad := records.bad_ids(ids):
        reply = _xml(records.api_error(f"incorrect id format for {bad[0]}", now))
        return Reply(400, reply.body, XML)
    if fault == "error entry":
        return _xml(records.api_error("incorrect id format for x", now))
    start, most = int(query.get("start", "0")), int(query.get("max_results", "10"))
    if ids:
        found = records.by_ids(sources.world, ids, now)
    else:
        found = records.by_search(sources.world, query.get("search_query", ""), now)
        if query.get("sortOrder", "descending") == "descending":
            found.reverse()
    page = [] if fault == "empty page" else found[start : start + most]
    told = _disordered(sources, [records.api_entry(p, v, now) for p, v in page], fault)
    return _xml(records.api(query.get("search_query", ""), len(found), start, told, now))


def _other(sources: Sources, path: str, query: Query, fault: str) -> Reply:
    if fault == "bare":
        return Reply(content_type=JSON)
    if path.rstrip("/").endswith("daily_papers"):
        day = date.fromisoformat(query.get("date", str(sources.now.date())))
        return Reply(body=others.daily_papers(sources.world, day, sources.now).encode(), content_type=JSON)
    if rxiv := re.match(r"/details/(biorxiv|medrxiv)/([\d-]+)/([\d-]+)/(\d+)", path):
        first, last = date.fromisoformat(rxiv[2]), min(date.fromisoformat(rxiv[3]), sources.now.date())
        text = others.rxiv_page(rxiv[1], first, last, int(rxiv[4]), hole="hole" in sources.faults.only)
        return Reply(body=text.encode(), content_type=JSON)
    if path.startswith("/feed"):
        return _xml(others.plain_feed(sources.now))
    return _not_found()


_ANSWERS = {
    "listing": _listing,
    "catchup": _catchup,
    "feed": _feed,
    "oai": _oai,
    "api": _api,
    "other": _other,
}
