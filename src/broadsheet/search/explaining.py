"""Why a paper stands where it does in a search, in words that people read."""

from broadsheet.papers import Paper, Reason
from broadsheet.search.fusion import FEATURES, Shares
from broadsheet.search.text import STOP_WORDS, is_unspaced, running, spaced, stems, word_stems

_MOST_WORDS_NAMED = 6
_TEXTS = {
    "exact": "exactly this title or identifier",
    "phrase": "these words in a row",
    "title": "most of these words in the title",
    "meaning": "near in meaning",
    "neighbours": "near to other good matches",
    "unlike": "near to what is not wanted",
}


def query_words(text: str) -> dict[str, str]:
    """The words of a query that count, by their stems."""
    words = list(dict.fromkeys(spaced(text).split()))
    counting = [word for word in words if word not in STOP_WORDS] or words
    return {stem: word for word in counting for stem in stems(word)}


def reasons(shares: Shares, row: int, asked: dict[str, str], paper: Paper) -> tuple[Reason, ...]:
    """The parts of the score of the paper in this row; their shares add up to it."""
    held, total = bool(shares.held[row]), dict(zip(FEATURES, shares.values[row].tolist(), strict=True))
    found = [Reason(name, _TEXTS[name], total[name]) for name in ("exact", "phrase", "title") if total[name]]
    if held:
        found.append(Reason("meaning", _TEXTS["meaning"], total["meaning"]))
    found.append(Reason("words", words_text(asked, paper), total["words"]))
    if held:
        found.append(Reason("neighbours", _TEXTS["neighbours"], total["neighbours"]))
    if total["unlike"]:
        found.append(Reason("unlike", _TEXTS["unlike"], total["unlike"]))
    return tuple(found)


def words_text(asked: dict[str, str], paper: Paper) -> str:
    """Which words of a query stand in a paper; without a query, that words are shared."""
    if not asked:
        return "words in common"
    names = " ".join(author.name for author in paper.authors)
    words, compounds = running(f"{paper.title} {paper.abstract}")
    stemmed = (stem for word in {*words.split(), *compounds} for stem in word_stems(word))
    held = {*stemmed, *spaced(names).split()}
    matched = [word for stem, word in asked.items() if stem in held or word in held]
    if not matched:
        return "none of the words"
    separator = "" if all(map(is_unspaced, matched)) else ", "
    more = len(matched) - _MOST_WORDS_NAMED
    shown = separator.join(matched[:_MOST_WORDS_NAMED])
    return f"words: {shown}" + (f" and {more} more" if more > 0 else "")
