"""A query as the words index understands it: what is scored, and what papers must be or not be.

Terms are made here one by one and never parsed by tantivy, so no text can be a syntax error, and each
distinct word stands once with its count as a weight (tantivy's own parser drops repeated words).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from tantivy import FieldType, Occur, Schema
from tantivy import Query as Match

from broadsheet.search.query import Clause
from broadsheet.search.text import STOP_WORDS, author_query_terms, glued, is_unspaced, running, stems
from broadsheet.search.words import Keys, category_terms

# Chosen on scifact's train split: title and abstract as one text, and the title a little more.
TITLE_WEIGHT = 0.2
AUTHOR_WEIGHT = 0.3
_MOST_TERMS = 512
_FEW_WORDS = 6
_MOST_PHRASE_WORDS = 8
_FEWEST_TITLE_WORDS, _MOST_TITLE_WORDS = 3, 40
_MOST_KEYS = 20_000
_FEW_DAYS = 150


def scored(fields: Schema, text: str) -> Match:
    """Any word of the text, stop words aside unless there is nothing else."""
    words, compounds = running(text)
    grams = _grams(words.split())
    # In a few words a compound is meant as one word too; in long texts that weighs its parts too much.
    counted = Counter(grams if len(grams) > _FEW_WORDS else [*grams, *compounds])
    wanted = {gram: count for gram, count in counted.items() if gram not in STOP_WORDS} or counted
    weighed: Counter[str] = Counter()
    for gram, count in wanted.items():
        weighed[" ".join(stems(gram))] += count
    parts: list[Match] = []
    for gram, count in weighed.most_common(_MOST_TERMS):
        parts += _scored_gram(fields, gram.split(), float(count))
    # One flat union, since tantivy passes over blocks that cannot reach the top only in such a one.
    return any_of([*parts, *(_term(fields, "authors", word, AUTHOR_WEIGHT) for word in wanted)])


def whole_phrase(fields: Schema, text: str) -> Match | None:
    """Papers that hold all of the text in a row; None for one word, only stop words, or a long text,
    which no paper would hold but the one whose title it is."""
    words = running(text)[0].split()
    if len(words) > _MOST_PHRASE_WORDS or STOP_WORDS.issuperset(words):
        return None
    stemmed = stems(text)
    return _sequence(fields, "text", stemmed) if len(stemmed) > 1 else None


def title_words(fields: Schema, text: str) -> Match | None:
    """Papers by the part of the text's words that stand in their titles, from 0 to 1; None for few words,
    which a phrase serves better, and for more than a title has."""
    words = [word for word in dict.fromkeys(running(text)[0].split()) if word not in STOP_WORDS]
    wanted = list(dict.fromkeys(stem for word in words for stem in stems(word)))
    if not _FEWEST_TITLE_WORDS <= len(wanted) <= _MOST_TITLE_WORDS:
        return None
    each = 1 / len(wanted)
    return any_of(
        [Match.const_score_query(Match.term_query(fields, "title", stem, "basic"), each) for stem in wanted]
    )


def _grams(words: Sequence[str]) -> list[str]:
    """Words as they are, but runs of an unspaced script as pairs of neighbouring characters."""
    grams: list[str] = []
    for i, word in enumerate(words):
        if not is_unspaced(word):
            grams.append(word)
        elif i + 1 < len(words) and is_unspaced(words[i + 1]):
            grams.append(f"{word} {words[i + 1]}")
        elif i == 0 or not is_unspaced(words[i - 1]):
            grams.append(word)
    return grams


def _scored_gram(fields: Schema, words: list[str], count: float) -> list[Match]:
    if not words:
        return []
    return [
        Match.boost_query(_sequence(fields, "text", words), count),
        Match.boost_query(_sequence(fields, "title", words), TITLE_WEIGHT * count),
    ]


def _sequence(fields: Schema, field: str, words: list[str]) -> Match:
    if len(words) == 1:
        return Match.term_query(fields, field, words[0], "freq")
    return Match.phrase_query(fields, field, list(words))


def _term(fields: Schema, field: str, term: str, weight: float) -> Match:
    return Match.boost_query(Match.term_query(fields, field, term, "basic"), weight)


def condition(fields: Schema, clause: Clause) -> Match:
    """What a clause on words, an author or something held asks of a paper.

    A hyphenated word is also looked for as one word, as some papers write it.
    """
    if clause.field == "author":
        groups = author_query_terms(clause.text)
        return all_of([_any_term(fields, "authors", group) for group in groups])
    if clause.field == "has":
        return Match.term_query(fields, "has", clause.text, "basic")
    words = stems(clause.text)
    if not words:
        return Match.empty_query()
    together = _sequence(fields, clause.field, words)
    _, compounds = running(clause.text)
    if len(compounds) == 1 and compounds[0] == glued(clause.text):
        return any_of([together, _sequence(fields, clause.field, stems(compounds[0]))])
    return together


def _any_term(fields: Schema, field: str, terms: Iterable[str]) -> Match:
    return any_of([Match.term_query(fields, field, term, "basic") for term in terms])


def in_categories(fields: Schema, categories: Sequence[str]) -> Match:
    """Papers of any of these categories or archives."""
    return _any_term(fields, "categories", [category_terms([category])[0] for category in categories])


def in_days(fields: Schema, since: date | None, until: date | None) -> Match:
    """Papers of these days, both ends included; a paper without a day is in none.

    A range reads the day of every paper there is; a few days are looked up one by one.
    """
    first = since.toordinal() if since else 1
    last = until.toordinal() if until else date.max.toordinal()
    if last - first < _FEW_DAYS:
        days = range(first, last + 1)
        return any_of([Match.term_query(fields, "day", day, "basic") for day in days])
    return Match.range_query(fields, "day", FieldType.Integer, first, last)


def with_title(fields: Schema, text: str) -> Match:
    """Papers whose whole title is this text, as far as folding goes."""
    title = glued(text)
    return Match.term_query(fields, "exact", title, "basic") if title else Match.empty_query()


def title_beginning(fields: Schema, begun: str) -> Match:
    """Papers whose title begins with glued text: letters and digits only, so it is no pattern."""
    return Match.regex_query(fields, "exact", f"{begun}.*")


def nearly(fields: Schema, field: str, term: str, changes: int) -> Match:
    """Papers that have a term in a field with at most so many letters changed."""
    return Match.fuzzy_term_query(fields, field, term, changes)


def with_keys(fields: Schema, keys: Keys) -> Match:
    """Exactly these papers; adds nothing to a score.

    tantivy's set of terms reads the whole dictionary of keys, 70 ms for each million papers; terms
    looked up one by one cost 4 microseconds each.
    """
    wanted = keys.tolist()
    if len(wanted) > _MOST_KEYS:
        members = Match.term_set_query(fields, "key", wanted)
    else:
        members = any_of([Match.term_query(fields, "key", key, "basic") for key in wanted])
    return Match.const_score_query(members, 0.0)


def everything(fields: Schema) -> Match:
    """All papers, but not the marker."""
    return Match.range_query(fields, "key", FieldType.Integer, 0, 2**62)


def all_there_is() -> Match:
    """All papers and the marker, at no cost."""
    return Match.all_query()


def any_of(parts: Sequence[Match]) -> Match:
    return Match.boolean_query([(Occur.Should, part) for part in parts]) if parts else Match.empty_query()


def all_of(parts: Sequence[Match]) -> Match:
    return Match.boolean_query([(Occur.Must, part) for part in parts]) if parts else Match.empty_query()


def restricted(query: Match, required: Sequence[Match], excluded: Sequence[Match]) -> Match:
    """The query among the papers that all of ``required`` and none of ``excluded`` match; scores stay."""
    parts = [(Occur.Must, query)]
    parts += [(Occur.Must, Match.const_score_query(part, 0.0)) for part in required]
    parts += [(Occur.MustNot, part) for part in excluded]
    return Match.boolean_query(parts)
