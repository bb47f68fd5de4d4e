"""When two records are one work: by what they are named, then by title and authors. No database here.

The rules lean to keeping apart. A wrong link is a nuisance, a wrong merge hides a paper.
"""

import hashlib
from typing import Literal, NamedTuple

from broadsheet.errors import InvalidIdentifier
from broadsheet.papers import Author, Paper, fold, normal_id

Relation = Literal["merge", "twin"]

_PREPRINT_DOIS = ("doi:10.1101/", "doi:10.64898/", "doi:10.21203/", "doi:10.20944/", "doi:10.26434/")
_GENERIC = frozenset(
    fold(title)
    for title in (
        "Preface", "Foreword", "Editorial", "Introduction", "Conclusion", "Conclusions", "Erratum", "Errata",
        "Corrigendum", "Correction", "Retraction", "Retracted", "Retraction notice", "Addendum", "Comment",
        "Comments", "Reply", "Response", "Discussion", "Abstract", "Abstracts", "Announcement", "News",
        "Obituary", "In memoriam", "Book review", "Book reviews", "Letter", "Letter to the editor",
        "Letters to the editor", "Contents", "Table of contents", "Index", "Notes", "Note", "Overview",
        "Summary", "Acknowledgements", "Acknowledgments", "Editor's note", "Editors' note", "Untitled",
        "From the editor", "From the editors", "Guest editorial", "Guest editors' introduction", "Reply to",
        "Annual report", "Review", "Reviews", "Highlights", "Perspective", "Commentary", "Viewpoint",
        "Publisher's note", "Author correction", "Publisher correction", "Expression of concern", "Appendix",
        "Supplementary material", "Supplementary information", "Proceedings", "Program", "Poster", "Thesis",
    )
)  # fmt: skip
_MOST_YEARS_APART = 3
_SUFFIXES = frozenset(("jr", "sr", "ii", "iii", "iv"))


class Names(NamedTuple):
    """What a record is called: ``own`` names say the same thing, ``pointers`` name its relatives."""

    own: tuple[str, ...]
    pointers: tuple[str, ...]


def scheme(identifier: str) -> str:
    """The part of a normal identifier before its first colon."""
    return identifier.split(":", 1)[0]


def is_preprint(identifier: str) -> bool:
    """Whether an identifier is one that preprints carry."""
    return scheme(identifier) in ("arxiv", "openreview") or identifier.startswith(_PREPRINT_DOIS)


def names(paper: Paper) -> Names:
    """Sort a record's identifiers into its own and those that point to another record of the work.

    A preprint's journal DOI points to the published version, and a published version's arXiv id to
    the preprint; a second identifier of the kind that the record already has is a relative too.
    """
    own, pointers = [paper.id], []
    others = [*paper.identifiers, *((f"doi:{paper.doi}",) if paper.doi else ())]
    if not others:
        return Names((paper.id,), ())
    preprint = is_preprint(paper.id) or (scheme(paper.id) == "pmid" and any(map(_normal_preprint, others)))
    schemes = {_kind(paper.id)}
    for text in others:
        identifier = _normal(text)
        if identifier is None or identifier in own or identifier in pointers:
            continue
        of_class = scheme(paper.id) == "file" or is_preprint(identifier) == preprint
        if (of_class or scheme(identifier) == "pmid") and _kind(identifier) not in schemes:
            own.append(identifier)
            schemes.add(_kind(identifier))
        else:
            pointers.append(identifier)
    return Names(tuple(own), tuple(pointers))


def relation(first_ids: set[str], second_ids: set[str], share_a_name: bool) -> Relation:
    """How two works that belong together are joined, from the ids that each of them holds.

    A file's record merges into anything. Two ids of one registry stay two and are twins, and so do a
    preprint and a published version, unless their records share a name of their own (PubMed lists
    preprints too). Else they are one article in two registries, a DOI and a PubMed number most often.
    """
    first = {i for i in first_ids if scheme(i) != "file"}
    second = {i for i in second_ids if scheme(i) != "file"}
    if not first or not second:
        return "merge"
    if not share_a_name and len({_class(i) for i in first | second}) > 1:
        return "twin"
    return "twin" if {_kind(i) for i in first} & {_kind(i) for i in second} else "merge"


def title_key(title: str) -> int | None:
    """A number that equal titles share, whatever their punctuation and hyphens; None where a title
    says too little to join records by it.

    >>> title_key("Re-ranking of maps") == title_key("Reranking of Maps.")
    True
    >>> title_key("On metrics. I") == title_key("On metrics. II")
    False
    """
    folded = fold(title)
    if len(folded) < 5 or folded in _GENERIC:
        return None
    glued = folded.replace(" ", "")
    if not glued.isalpha():
        glued = "".join(word if word.isalpha() else f" {word} " for word in folded.split())
    return int.from_bytes(hashlib.blake2b(glued.encode(), digest_size=8).digest(), "big", signed=True)


def alike(first: Paper, second: Paper) -> bool:
    """Whether two records with the same title key are one work by their authors and years."""
    years = [_year(paper) for paper in (first, second)]
    if None not in years and abs((years[0] or 0) - (years[1] or 0)) > _MOST_YEARS_APART:
        return False
    return same_authors(first.authors, second.authors)


def same_authors(first: tuple[Author, ...], second: tuple[Author, ...]) -> bool:
    """Whether two lists of authors are of one work, by family names: initials and order may differ.

    The shorter list must lie inside the longer one, or both must share half of the longer; a single
    name counts only where it is the first of both. No authors, no match.
    """
    one, other = [family(a) for a in first], [family(a) for a in second]
    if not one or not other:
        return False
    shared = len(set(one) & set(other))
    shorter, longer = sorted((len(set(one)), len(set(other))))
    if shared < 2:
        return shared == 1 and one[0] == other[0] and longer <= 2
    return shared == shorter or 2 * shared >= longer


def family(author: Author) -> str:
    """The last word of the folded family name: "van der Berg" and "Berg, A. van der" agree.

    >>> [family(Author(name)) for name in ("Quillfeather A", "Quillfeather, Ada", "Ada Quillfeather")]
    ['quillfeather', 'quillfeather', 'quillfeather']
    """
    name = author.family or author.name.split(",", 1)[0]
    words = fold(name).split()
    while len(words) > 1 and (len(words[-1]) == 1 or words[-1] in _SUFFIXES):
        words.pop()
    return words[-1] if words else ""


def _class(identifier: str) -> str:
    return "preprint" if is_preprint(identifier) else "published"


def _kind(identifier: str) -> str:
    """The registry that an identifier is of; preprint servers' DOIs are one apart from journals'."""
    return f"{_class(identifier)} {scheme(identifier)}"


def _normal(text: str) -> str | None:
    try:
        return normal_id(text)
    except InvalidIdentifier:
        return None


def _normal_preprint(text: str) -> bool:
    identifier = _normal(text)
    return identifier is not None and is_preprint(identifier)


def _year(paper: Paper) -> int | None:
    day = paper.submitted or paper.announced
    return day.year if day else None
