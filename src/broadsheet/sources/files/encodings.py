"""From bytes to text for files that do not say what they are encoded in, or say it wrongly."""

import re

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECLARED = re.compile(rb"%\s*Encoding:\s*([\w-]+)|encoding=[\"']([\w.:-]+)[\"']", re.IGNORECASE)
_SAMPLE = 20_000

# Encodings tried, each with the characters that are frequent in the languages written in it and the
# ranges of its other letters. Western comes first: it wins a tie.
_TRIED = (
    ("cp1252", "éèüöäáíóúñçãõàêôâïßøåæÖÜÉ’‘“”–—°±µ×", "À-ÿŒœŠšŸŽž"),
    ("cp1253", "αοιετσνηυρπκλίόάήέύώςμδ", "Ͱ-Ͽ"),
    ("cp1251", "оеаинтсрвлкмдпуяы", "Ѐ-ӿ"),
    ("cp1250", "ěščřžýáíéůúłńśźżćęąóőűöüŠŽČ", "À-ſ"),
    ("gb18030", "的一是在不了有和人这中大为上国以要学研究报基于方法与技术应用分析", "一-鿿　-〿＀-￯"),
    ("big5", "的一是在不了有和人這中大為上國以要學研究報基於方法與技術應用分析", "一-鿿　-〿＀-￯"),
    ("shift_jis", "のにはをたがでてとしいるスンルトーアイラ", "぀-ヿ一-鿿　-〿＀-￯"),
    ("euc_kr", "이다는의에을를가하고로지사기한인도연구", "가-힣　-〿"),
)
_LATIN = frozenset(("cp1252", "cp1250"))
_SCORES = tuple((name, frozenset(frequent), re.compile(f"[{letters}]")) for name, frequent, letters in _TRIED)


def decoded(content: bytes) -> str:
    """The text of a file: by its byte-order mark, as UTF-8, as it declares, or as its letters suggest.

    Never fails; line endings become ``\\n``.
    """
    return _text_of(content).replace("\r\n", "\n").replace("\r", "\n")


def _text_of(content: bytes) -> str:
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return content[len(mark) :].decode(encoding, errors="replace")
    if (plain := _as(content, "utf-8")) is not None:
        return plain
    declared = _DECLARED.search(content[:2000])
    names = [(declared[1] or declared[2]).decode("ascii")] if declared else []
    for encoding in [*names, *_likeliest(content)]:
        if (text := _as(content, encoding)) is not None:
            return text
    return content.decode("cp1252", errors="replace")


def _as(content: bytes, encoding: str) -> str | None:
    try:
        return content.decode(encoding)
    except (UnicodeDecodeError, LookupError, ValueError):
        return None


def _likeliest(content: bytes) -> list[str]:
    """The encodings that fit, the likeliest first, judged by the lines that are not ASCII."""
    foreign = b"\n".join(line for line in content.splitlines() if not line.isascii())[:_SAMPLE]
    scored = []
    for place, (name, frequent, letters) in enumerate(_SCORES):
        text = foreign.decode(name, errors="replace")
        scored.append((-_likelihood(text, frequent, letters, name in _LATIN), place, name))
    return [name for _, _, name in sorted(scored)]


def _likelihood(text: str, frequent: frozenset[str], letters: re.Pattern[str], is_latin: bool) -> float:
    """1 where every foreign character is a frequent one, 0.5 for letters, below 0 for anything else.

    Where Latin is written, accented letters seldom stand side by side; a lower-case letter is seldom
    followed by a capital in any script.
    """
    total, count, before = 0.0, 0, " "
    for character in text:
        if not character.isascii():
            count += 1
            odd = (is_latin and not before.isascii()) or (before.islower() and character.isupper())
            if odd or not (character in frequent or letters.match(character)):
                total -= 1
            else:
                total += 1 if character in frequent else 0.5
        before = character
    return total / count if count else 0.0
