"""Saved answers of OAI-PMH: arXiv's own forms, and Dublin Core from any archive."""

from collections.abc import Iterator

from broadsheet.papers import Arrival, Skipped
from broadsheet.sources.arxiv import oai
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, address, arrival
from broadsheet.sources.files.journals import arxiv_in, doi_in
from broadsheet.sources.files.xml_documents import at, descendants, flat, line_of, root_of, words
from broadsheet.sources.markup import Element, children, name
from broadsheet.sources.text import author


def parse(content: bytes, path: str) -> Iterator[Arrival | Skipped]:
    """Each record's paper; an error, a deleted record and an unknown form are Skipped, each by its line."""
    root = root_of(content, path)
    if isinstance(root, Skipped):
        yield root
        return
    for error in children(root, "error"):
        if error.get("code") != "noRecordsMatch":
            yield Skipped(
                path, line_of(error), f"an error of OAI-PMH: {error.get('code')}, {flat(error)[:200]}"
            )
    for record in descendants(root, "record"):
        yield _record(record, path)


def _record(record: Element, path: str) -> Arrival | Skipped:
    line = line_of(record)
    header = at(record, "header")
    if header is not None and header.get("status") == "deleted":
        return Skipped(
            path, line, f"the record {words(header, 'identifier') or 'without identifier'} is deleted"
        )
    found = oai.record(record)
    if found is not None:
        return Arrival(found.paper, found.announcements, found.signals, None, line)
    metadata = at(record, "metadata")
    form = next((one for one in ([] if metadata is None else metadata) if name(one) == "dc"), None)
    if form is None:
        return Skipped(path, line, "the record has neither arXiv's form nor Dublin Core")
    return arrival(_dublin_core(form, header), path)


def _dublin_core(form: Element, header: Element | None) -> Draft:
    said = [flat(one) for one in children(form, "identifier")] + [words(header, "identifier")]
    dated = [day for one in children(form, "date") if (day := dates.instant(flat(one)))]
    descriptions = [flat(one) for one in children(form, "description")]
    comments = [one for one in descriptions if one.startswith("Comment:")]
    abstracts = [one for one in descriptions if one not in comments]
    doi = next((found for one in said if (found := doi_in(one))), "")
    return Draft(
        title=words(form, "title"),
        abstract=max(abstracts, key=len, default=""),
        authors=[author(flat(one)) for one in children(form, "creator") if flat(one)],
        identifiers=[*map(arxiv_in, said), f"doi:{doi}", *said],
        doi=doi,
        submitted=min(dated, default=None),
        comment=comments[0].removeprefix("Comment:") if comments else "",
        address=next((one for one in said if address(one)), ""),
        line=line_of(form),
    )
