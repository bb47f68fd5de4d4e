"""The made-up arXiv's metadata routes: OAI-PMH (arXiv, arXivRaw) and the query API."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from html import escape

from tests.fake_sources.world import Version, World, WorldPaper

OAI_PAGE = 120
_ID = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?\Z")
_PHYSICS = ("astro-ph", "hep-", "quant-ph", "cond-mat", "gr-qc", "nucl-", "math-ph", "physics")


def set_of(category: str) -> str:
    archive, _, subject = category.partition(".")
    group = "physics" if archive.startswith(_PHYSICS) else archive
    parts = [group, archive, subject] if subject else [group, archive]
    return ":".join(parts)


def oai(now: datetime, verb: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<responseDate>{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</responseDate>"
        f'<request verb="{verb}">http://oaipmh.arxiv.org/oai</request>{body}</OAI-PMH>'
    )


def oai_error(now: datetime, verb: str, code: str, text: str) -> str:
    return oai(now, verb, f'<error code="{code}">{text}</error>')


def selected(world: World, now: datetime, set_name: str, first: date, last: date) -> list[WorldPaper]:
    """Papers whose datestamp lies in the window and that stand in the set, in a fixed order."""
    found = []
    for paper in world.papers.values():
        if paper.version_at(now) is None or not first <= paper.stamp_at(now) <= last:
            continue
        sets = [set_of(c) for c in paper.categories_at(now)]
        if not set_name or any(s == set_name or s.startswith(f"{set_name}:") for s in sets):
            found.append(paper)
    return sorted(found, key=lambda p: (p.stamp_at(now), p.id))


def record(paper: WorldPaper, now: datetime, prefix: str) -> str:
    sets = "".join(f"<setSpec>{set_of(c)}</setSpec>" for c in paper.categories_at(now))
    body = _raw(paper, now) if prefix == "arXivRaw" else _arxiv(paper, now)
    return (
        f"<record><header><identifier>oai:arXiv.org:{paper.id}</identifier>"
        f"<datestamp>{paper.stamp_at(now)}</datestamp>{sets}</header><metadata>{body}</metadata></record>"
    )


def _shared(paper: WorldPaper, version: Version, now: datetime) -> str:
    journal = f"<journal-ref>{escape(paper.journal_ref)}</journal-ref>" if paper.journal_ref else ""
    comments = f"<comments>{escape(version.comment)}</comments>" if version.comment else ""
    return (
        f"<categories>{' '.join(paper.categories_at(now))}</categories>{comments}{journal}"
        f"<license>http://creativecommons.org/licenses/by/4.0/</license>"
        f"<abstract>  {escape(version.abstract)}\n</abstract>"
    )


def _current(paper: WorldPaper, now: datetime) -> Version:
    version = paper.version_at(now)
    assert version is not None, paper.id
    return version


def _arxiv(paper: WorldPaper, now: datetime) -> str:
    version = _current(paper, now)
    names = "".join(
        f"<author><keyname>{escape(family)}</keyname><forenames>{escape(given)}</forenames></author>"
        for given, family in paper.authors
    )
    updated = f"<updated>{version.submitted.date()}</updated>" if version.number > 1 else ""
    return (
        '<arXiv xmlns="http://arxiv.org/OAI/arXiv/">'
        f"<id>{paper.id}</id><created>{paper.versions[0].submitted.date()}</created>{updated}"
        f"<authors>{names}</authors><title>{escape(version.title)}</title>"
        f"{_shared(paper, version, now)}</arXiv>"
    )


def _raw(paper: WorldPaper, now: datetime) -> str:
    version = _current(paper, now)
    versions = "".join(
        f'<version version="v{v.number}"><date>{v.submitted:%a, %d %b %Y %H:%M:%S} GMT</date>'
        f"<size>{10 + v.number}kb</size></version>"
        for v in paper.versions
        if v.visible <= now
    )
    names = escape(", ".join(f"{given} {family}" for given, family in paper.authors))
    return (
        '<arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">'
        f"<id>{paper.id}</id><submitter>{escape(paper.authors[0][0])}</submitter>{versions}"
        f"<title>{escape(version.title)}</title><authors>{names}</authors>"
        f"{_shared(paper, version, now)}</arXivRaw>"
    )


def api(title: str, total: int, start: int, entries: Sequence[str], now: datetime) -> str:
    return (
        "<?xml version='1.0' encoding='UTF-8'?>"
        '<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" '
        'xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">'
        f"<id>https://arxiv.org/api/x</id><title>arXiv Query: {escape(title)}</title>"
        f"<updated>{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</updated>"
        f"<opensearch:itemsPerPage>{len(entries)}</opensearch:itemsPerPage>"
        f"<opensearch:totalResults>{total}</opensearch:totalResults>"
        f"<opensearch:startIndex>{start}</opensearch:startIndex>{''.join(entries)}</feed>"
    )


def api_error(text: str, now: datetime) -> str:
    entry = (
        f"<entry><id>https://arxiv.org/api/errors#{escape(text.replace(' ', '_'))}</id><title>Error</title>"
        f"<updated>{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}</updated><summary>{escape(text)}</summary>"
        "<author><name>arXiv api core</name></author></entry>"
    )
    return api("", 1, 0, [entry], now)


def api_entry(paper: WorldPaper, version: Version, now: datetime) -> str:
    names = paper.categories_at(now)
    authors = "".join(f"<author><name>{escape(f'{g} {f}')}</name></author>" for g, f in paper.authors)
    terms = "".join(f'<category term="{c}" scheme="http://arxiv.org/schemas/atom"/>' for c in names)
    comment = f"<arxiv:comment>{escape(version.comment)}</arxiv:comment>" if version.comment else ""
    journal = (
        f"<arxiv:journal_ref>{escape(paper.journal_ref)}</arxiv:journal_ref>" if paper.journal_ref else ""
    )
    address = f"https://arxiv.org/abs/{paper.id}v{version.number}"
    return (
        f"<entry><id>http://arxiv.org/abs/{paper.id}v{version.number}</id>"
        f"<title>{escape(version.title)}</title><updated>{version.submitted:%Y-%m-%dT%H:%M:%SZ}</updated>"
        f'<link href="{address}" rel="alternate" type="text/html"/>'
        f"<summary>{escape(version.abstract)}</summary>"
        f"{terms}<published>{paper.versions[0].submitted:%Y-%m-%dT%H:%M:%SZ}</published>{comment}"
        f'<arxiv:primary_category term="{names[0]}"/>{journal}{authors}</entry>'
    )


def bad_ids(ids: Sequence[str]) -> list[str]:
    return [i for i in ids if not _ID.match(i)]


def by_ids(world: World, ids: Sequence[str], now: datetime) -> list[tuple[WorldPaper, Version]]:
    """The named papers in the order asked for; unknown ones are left out, as arXiv does."""
    found = []
    for name in ids:
        paper_id, _, number = name.partition("v")
        paper = world.papers.get(paper_id)
        version = paper.version_at(now) if paper else None
        if paper is None or version is None:
            continue
        if number and int(number) <= version.number:
            version = paper.versions[int(number) - 1]
        found.append((paper, version))
    return found


def by_search(world: World, query: str, now: datetime) -> list[tuple[WorldPaper, Version]]:
    """``cat:`` terms joined by OR, narrowed by ``submittedDate:[A TO B]``; oldest submission first."""
    names = [c.rstrip("*").rstrip(".") for c in re.findall(r"cat:([A-Za-z.*-]+)", query)]
    dates = re.search(r"submittedDate:\[(\d{8,14}) TO (\d{8,14})\]", query)
    found = []
    for paper in world.papers.values():
        version = paper.version_at(now)
        listed = paper.categories_at(now)
        if version is None or (
            names and not any(c == n or c.startswith(f"{n}.") for n in names for c in listed)
        ):
            continue
        stamp = f"{paper.versions[0].submitted:%Y%m%d%H%M%S}"
        if dates and not dates[1].ljust(14, "0") <= stamp <= dates[2].ljust(14, "9"):
            continue
        found.append((paper, version))
    return sorted(found, key=lambda f: (f[0].versions[0].submitted, f[0].id))
