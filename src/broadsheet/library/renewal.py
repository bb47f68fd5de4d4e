"""What a record becomes when it is told again: the newer version speaks, the richer text stays."""

from dataclasses import replace

from broadsheet.papers import Links, Paper, fold

_REGISTRIES = {"arxiv": "arxiv", "biorxiv": "doi", "medrxiv": "doi"}


def renewed(old: Paper, new: Paper) -> Paper:
    """One record after a second telling of it, under the old record's id.

    A higher version speaks; a lower one only fills what is missing. Within a version the id's own
    registry speaks before a file does, and a text that is missing or cut never replaces a whole one.
    Withdrawn is what the newest version says, and stays said within a version.
    """
    if new.version < old.version or (new.version == old.version and not _speaks(new, old)):
        kept = filled(old, new)
        same = new.version == old.version
        return replace(kept, withdrawn=old.withdrawn or (same and new.withdrawn))
    spoken = filled(replace(new, id=old.id), old)
    if new.version == old.version:
        spoken = _with_whole_text(spoken, old)
        spoken = replace(spoken, withdrawn=old.withdrawn or new.withdrawn)
    return spoken


def filled(speaker: Paper, other: Paper) -> Paper:
    """The speaker with what it lacks taken from another record of the same work.

    Version, withdrawn, source and the days of announcement are the speaker's own.
    """
    return replace(
        speaker,
        title=speaker.title or other.title,
        abstract=speaker.abstract or other.abstract,
        authors=speaker.authors or other.authors,
        submitted=min(filter(None, (speaker.submitted, other.submitted)), default=None),
        updated=max(filter(None, (speaker.updated, other.updated)), default=None),
        announced=min(filter(None, (speaker.announced, other.announced)), default=None),
        categories=speaker.categories or other.categories,
        comment=speaker.comment or other.comment,
        journal_ref=speaker.journal_ref or other.journal_ref,
        doi=speaker.doi or other.doi,
        identifiers=_united(speaker.identifiers, other.identifiers),
        links=_filled_links(speaker.links, other.links),
        original_title=speaker.original_title if speaker.title else other.original_title,
        original_abstract=speaker.original_abstract if speaker.abstract else other.original_abstract,
    )


def _speaks(new: Paper, old: Paper) -> bool:
    scheme = old.id.split(":", 1)[0]
    new_has, old_has = (_REGISTRIES.get(paper.source) == scheme for paper in (new, old))
    if new_has != old_has:
        return new_has
    if new.updated and old.updated and new.updated != old.updated:
        return new.updated > old.updated
    return True


def _with_whole_text(spoken: Paper, old: Paper) -> Paper:
    if _is_cut(spoken.abstract, old.abstract):
        spoken = replace(spoken, abstract=old.abstract, original_abstract=old.original_abstract)
    if _is_cut(spoken.title, old.title):
        spoken = replace(spoken, title=old.title, original_title=old.original_title)
    return spoken


def _is_cut(text: str, whole: str) -> bool:
    return len(text) < len(whole) and fold(whole).startswith(fold(text))


def _united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _filled_links(links: Links, other: Links) -> Links:
    if links == other:
        return links
    return Links(
        links.abs or other.abs,
        links.pdf or other.pdf,
        links.code or other.code,
        links.project or other.project,
    )
