"""Documents of arXiv's own search index."""

from collections.abc import Iterator, Mapping

from broadsheet.papers import Arrival, Author, Skipped
from broadsheet.sources.files import dates
from broadsheet.sources.files.drafts import Draft, arrival
from broadsheet.sources.files.values import number, record_of, records, text, texts
from broadsheet.sources.text import clean_name, named


def parse(documents: Iterator[Mapping[str, object]], path: str) -> Iterator[Arrival | Skipped]:
    """Each document's paper, one a version."""
    for one in documents:
        yield arrival(_draft(one), path)


def _draft(one: Mapping[str, object]) -> Draft:
    instants = [found for stated in texts(one, "submitted_date_all") if (found := dates.instant(stated))]
    primary = text(record_of(record_of(one, "primary_classification"), "category"), "id")
    version = number(one, "version")
    return Draft(
        title=text(one, "title_utf8", "title"),
        abstract=text(one, "abstract_utf8", "abstract"),
        authors=[_author(author) for author in records(one, "authors_parsed")],
        identifiers=[text(one, "paper_id")],
        doi=text(one, "doi"),
        submitted=min(instants, default=None),
        updated=dates.instant(text(one, "updated_date")) or dates.instant(text(one, "submitted_date")),
        categories=list(
            dict.fromkeys([*([primary] if primary else []), *text(one, "abs_categories").split()])
        ),
        version=int(version) if version and version >= 1 else None,
        comment=text(one, "comments_utf8", "comments"),
        journal_ref=text(one, "journal_ref_utf8", "journal_ref"),
        withdrawn=one.get("is_withdrawn") is True,
        source="arxiv",
    )


def _author(parts: Mapping[str, object]) -> Author:
    family, given = clean_name(text(parts, "last_name")), clean_name(text(parts, "first_name"))
    return named(family, given, clean_name(text(parts, "suffix")))
