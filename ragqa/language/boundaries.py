"""Where sentences and clauses begin and end: exact slices, in one pass over the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragqa.language.late import late
from ragqa.language.script import has_han

# An end is a run of marks with the closing quotes and footnote numbers behind it, or line breaks.
# Every alternative begins with its own character, so that the search never backs up. The marks of a
# sentence in bold belong to it.
_CANDIDATE = late(
    r"[。！？；…．.!?]+[”’」』）】〉》)\]\"']{0,4}(?:(?<=[。！？!?])[*_]{1,3}(?=\s|$))?(?:\[\d{1,3}\]){0,4}"
    r"|\n\s*"
    r"|\r(?!\n)\s*"
)
_CHINESE_END = late(r"[。！？；]")
_BEFORE = late(r"([^\W_](?:[^\W_]|[.'’-])*)$")
_LOOK_BACK = 24  # no abbreviation is longer


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TITLES = _listed(
    "mr mrs ms dr prof rev hon gov sen rep gen col lt sgt capt cmdr adm maj st ste mt ft sra sr"
    " mme mlle messrs"
)
_INLINE = _listed("vs e.g i.e eg ie cf viz approx ca circa resp incl excl esp al ed eds trans orig")
_BEFORE_NUMBER = _listed(
    "no nos fig figs eq sec sect ch chap vol p pp art par para ver v tel ext approx ca "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_MAY_END = _listed("etc inc ltd co corp jr bros dept univ assn est a.m p.m u.s u.k")
_ABBREVIATIONS = _TITLES | _INLINE | _BEFORE_NUMBER | _MAY_END
_STARTERS = _listed(
    "the a an it its he she they we you i his her their our this that these those there in on at"
    " as for from by with after before during when while where if although though since however"
    " but and so all some most many both each one no not it's"
)

_ITEM = late(
    r"(?:[-*+•·‣▪◦●○■□–—>|#]|\d{1,3}[.)、．]|[(（]\w{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}[、.．]|[A-Za-z][.)]\s|```|\*\*|[^\s:：|]{1,30}[:：])"
)
_ITEM_NUMBER = late(r"\s*(?:[-*#>]\s*){0,3}(?:\d{1,3}|[A-Za-z])")
_NEXT_WORD = late(r"\s*[\"'“‘(\[]{0,3}(\S{0,20})")
_MARKED = late(r"\s{0,12}(?:#{1,6}\s|[|>]|```|[-*+•·‣▪◦●○■□]\s)")
_WRAPPED_LATIN = 55  # a shorter line was ended on purpose
_WRAPPED_HAN = 22


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the slices of a text that are sentences, without blanks at their edges.

    Headings, list items, table rows and ``key: value`` lines count as sentences of their own;
    a line break inside wrapped prose, as in a PDF, does not end one.

    >>> text = "Dr. No paid $3.50. “是吗？”他走了。"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Dr. No paid $3.50.', '“是吗？”他走了。']
    """
    start = 0
    for match in _CANDIDATE.finditer(text):
        if match.start() < start:
            continue
        if _ends(text, start, match):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece.strip():
        yield start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    marks = match.group()
    if marks[0] in "\n\r":
        return _line_ends(text, match)
    following = text[match.end() : match.end() + 1]
    if _CHINESE_END.search(marks):
        if "。" not in marks and _bracketed(text, start, match.start()):
            return False
        return _chinese_ends(text, marks, match.end())
    if not following or following in "\n\r":
        return not _numbers_a_line(text, start, match.start())
    if not following.isspace():
        return _between_han(text, match) and marks[0] != "…"
    return _plainly_ends(text, match, marks) or _latin_ends(text, start, match)


def _plainly_ends(text: str, match: re.Match[str], marks: str) -> bool:
    """Tell most ends of English sentences without a pattern: a word, a full stop, a capital."""
    at = match.start()
    last = text[max(0, at - _LOOK_BACK) : at].rpartition(" ")[2]
    return (
        marks == "."
        and len(last) > 1
        and last.isalpha()
        and last.isascii()
        and text[at + 2 : at + 3].isupper()
        and last.lower() not in _ABBREVIATIONS
    )


def _chinese_ends(text: str, marks: str, end: int) -> bool:
    """End at a Chinese mark, unless it belongs to a title or a quote that the sentence goes on."""
    last = marks[-1]
    if last in "》〉":
        return False
    if last in "”’」』）)\"'":
        following = text[end : end + 1]
        return not following or following in "\n\r 　" or last in "）)" or marks[-2:-1] in "。；"
    return True


def _bracketed(text: str, start: int, at: int) -> bool:
    """Tell whether a bracket that opened shortly before is still open."""
    begin = max(start, at - 80)
    opened = max(text.rfind("（", begin, at), text.rfind("(", begin, at))
    return opened > max(text.rfind("）", begin, at), text.rfind(")", begin, at))


def _between_han(text: str, match: re.Match[str]) -> bool:
    """Tell whether ASCII marks without a blank behind them stand for Chinese ones."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return has_han(before) and has_han(after)


def _latin_ends(text: str, start: int, match: re.Match[str]) -> bool:
    marks = match.group()
    following = _NEXT_WORD.match(text, match.end())
    assert following is not None  # everything in it is optional
    word = following.group(1)
    before = _BEFORE.search(text[max(start, match.start() - _LOOK_BACK) : match.start()])
    last = before.group(1) if before else ""
    if word[:1].islower():  # "temp. range", "'What?' she asked"; but a careless typist's full stop
        return marks == "." and last.islower() and len(last) > 4 and last not in _ABBREVIATIONS
    if marks[0] != ".":
        return True
    if _numbers_a_line(text, start, match.start()):
        return False
    return marks != "." or not _abbreviated(last.lower(), word)


def _numbers_a_line(text: str, start: int, dot: int) -> bool:
    """Tell whether a dot belongs to the number of a list item, as in ``2. Unpack it``."""
    return dot - start <= 8 and _ITEM_NUMBER.fullmatch(text, start, dot) is not None


def _abbreviated(word: str, following: str) -> bool:
    starter = following.strip(",.;:!?\"'”’").lower() in _STARTERS
    if word in _TITLES or word in _INLINE or (word in _BEFORE_NUMBER and following[:1].isdigit()):
        return True
    if word in _MAY_END:
        return not starter and word not in {"etc", "a.m", "p.m"}
    if len(word) == 1 and word.isalpha():  # an initial: "J. S. Bach", but not "plan B. The"
        return not starter
    return "." in word and len(word) <= 6 and not starter and _is_acronym(word)


def _is_acronym(word: str) -> bool:
    return all(len(part) == 1 for part in word.split("."))


def _line_ends(text: str, match: re.Match[str]) -> bool:
    """End at a line break, unless prose merely wraps there."""
    if match.group().count("\n") > 1 or match.group().startswith("\r"):
        return True
    # The whole line, of which the sentence may be no more than the last words.
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    if line.endswith(("  ", "  \r", ":", "：", ":\r", "：\r", "|")) or _MARKED.match(line):
        return True
    following = text[match.end() : match.end() + 48]
    if _ITEM.match(following):
        return True
    line = line.strip()
    han = has_han(line[-8:])
    long_enough = len(line) >= (_WRAPPED_HAN if han else _WRAPPED_LATIN)
    return not (long_enough or (following[:1].islower() and len(line) >= 20))


# A comma inside a figure has no blank behind it; Chinese marks need none.
_BREAK = late(r"[,;:](?=\s)|[，；：。！？]|\s[-–—]{1,2}\s|—{1,2}|(?=[(（])|(?<=[)）])")


def clauses(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the clauses of ``text[start:end]``: slices that end behind their mark.

    >>> text = "It weighs 1,200 g, the lid included; 盖子另售，需预订。"
    >>> [text[start:end] for start, end in clauses(text)]
    ['It weighs 1,200 g,', 'the lid included;', '盖子另售，', '需预订。']
    """
    end = len(text) if end is None else end
    begin = start
    for match in _BREAK.finditer(text, start, end):
        if match.end() > begin:
            yield from _without_blanks(text, begin, match.end())
            begin = match.end()
    yield from _without_blanks(text, begin, end)


def _without_blanks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
