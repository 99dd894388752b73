"""Find the figures of a text, told from numbers that only number or speak."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from ragqa.grounding.figures.amounts import (
    MAX_DIGITS,
    Reading,
    amount_at,
    name_at,
    named,
    phone_at,
    with_unit,
)
from ragqa.grounding.figures.figure import Figure, measured, ordinal
from ragqa.grounding.figures.han_amounts import RUN, han_amount
from ragqa.grounding.figures.moments import MONTH_WORDS, moment, month_first
from ragqa.grounding.figures.numerals import (
    NUMBER_WORDS,
    ORDINAL_WORDS,
    english_number,
    ordinal_word,
)
from ragqa.grounding.figures.ranges import connected
from ragqa.grounding.figures.units import money_before, unit_after
from ragqa.language.late import late

# Full-width digits, letters and signs stand for the ASCII ones; marks stay what they are.
_FOLD = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()}
_FOLD |= {
    ord(wide): ord(sign) for wide, sign in zip("％＄．：－／＋～＃＠＿", "%$.:-/+~#@_", strict=True)
}
_WIDE = late("[" + "".join(map(chr, _FOLD)) + "]")
_OTHER_DIGIT = late(r"(?![0-9])\d")

_DIGIT = late(r"[0-9]+")
_WORD = late(r"[A-Za-z]{3,}")
_ONE_UNIT = late(
    r"\b[Aa]n? (?:(?:full|whole|calendar) )?(?:year|month|fortnight|week|day|hour|minute|decade|"
    r"lit(?:re|er)|(?:kilo|centi|milli)?met(?:re|er)|mile|kilo(?:gram)?|gram|tonne)\b"
)
_LASTING = late(
    r"\b(?:within|for|after|takes?|took|lasts?|lasted|than|least|most|about|over|nearly|almost|under|"
    r"is|was)\s+$",
    re.IGNORECASE,
)
_LASTED = late(
    r"\s*(?:[.,;:!?)]|$)|\s+(?:from|after|before|and|or|but|until|if|when|with|without|on|at|by|to|in|"
    r"long|wide|high|deep|tall|old)\b"
)
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_EVERY = late(r"\s+(?:an?|per|every|each|in|daily|weekly|monthly|yearly|annually)\b", re.IGNORECASE)
_TELLING = NUMBER_WORDS | ORDINAL_WORDS | MONTH_WORDS | frozenset(_TIMES)
_ADDRESS = late(
    r"(?:https?://|www\.)[^\s<>\"'，。；）)]+|[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}"
)
_NOTE = late(r"[\[【]\^?\d{1,2}(?:\s?[,，、;]\s?\d{1,2}){0,6}[\]】]")
_MARKER = late(r"(?:^|[\n。；;.!?！？:：])[ \t\u3000]*[(（]?$")
_MARKER_END = late(r"(?:[.．](?=\s)|[)）、])")
_STEP = late(r"(?:step|option|step no\.|步骤|选项|方法)\s?$", re.IGNORECASE)
_ENDS = late(r"\s*(?:[.,;:!?)]|$)")
_POINTING = late(r"\b(?:the|these|those|all|both|other|last|first|next) $", re.IGNORECASE)


@lru_cache(maxsize=64)  # several checks look at the same answer
def figures(text: str) -> tuple[Figure, ...]:
    """Return the figures of a text in their order.

    Numbers inside names (``K2``, ``ISO 9001``), web addresses and the like are compared as names.
    List numbers, notes like ``[2]`` and idioms (``one of``, 一下) are no figures.
    """
    folded = plain_digits(text)
    found = sorted(_found(folded), key=lambda figure: figure.start)
    return tuple(connected(folded, found))


def plain_digits(text: str) -> str:
    """Return the text with plain digits and signs; every character keeps its place."""
    if text.isascii():
        return text
    if _WIDE.search(text):
        text = text.translate(_FOLD)
    if _OTHER_DIGIT.search(text):
        text = _OTHER_DIGIT.sub(lambda digit: str(unicodedata.digit(digit.group())), text)
    return text


def _found(text: str) -> Iterator[Figure]:
    """Yield all figures, in no order; some lie inside others."""
    taken = list(_addresses(text))
    yield from taken
    if _DIGIT.search(text):
        notes = _NOTE.finditer(text) if "[" in text or "【" in text else ()
        closed = [figure.span for figure in taken] + [note.span() for note in notes]
        yield from _from_digits(text, sorted(closed))
    yield from _from_words(text)
    yield from _from_articles(text)
    if text.isascii():
        return
    for run in RUN.finditer(text):
        figure = moment(text, run.start()) or han_amount(text, *run.span())
        if figure:
            yield figure


def _addresses(text: str) -> Iterator[Figure]:
    if "@" not in text and "://" not in text and "www." not in text:
        return
    for match in _ADDRESS.finditer(text):
        address = match.group().rstrip(".,;:!?")
        if any(char.isdigit() for char in address):
            yield named(address, match.start())


def _from_digits(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[Figure]:
    closed = deque(spans)
    end, marker = 0, 0
    for match in _DIGIT.finditer(text):
        at = match.start()
        while closed and closed[0][1] <= at:
            closed.popleft()
        if at < end or (closed and closed[0][0] <= at):
            continue
        if text.startswith("24/7", at):
            end = at + 4
            continue
        if _is_marker(text, match, marker + 1):
            marker, end = int(match.group()), match.end()
            continue
        figure = _from_digit(text, at, end)
        if figure is not None:
            end = figure.end
            yield figure


def _is_marker(text: str, match: re.Match[str], due: int) -> bool:
    """Tell whether a number only numbers a list item or a step."""
    if match.end() - match.start() > 2 or int(match.group()) not in (1, due):
        return False
    if _STEP.search(text, max(0, match.start() - 8), match.start()):
        return True
    begin = max(0, match.start() - 5)
    if not _MARKER_END.match(text, match.end()):
        return False
    return match.start() == 0 or _MARKER.search(text[begin : match.start()]) is not None


def _from_digit(text: str, at: int, floor: int) -> Figure | None:
    begin = _word_start(text, at, floor)
    if begin < at and (name := name_at(text, begin)) is not None:
        return name
    if (
        text[at - 1 : at] == "."
        and text[at - 2 : at - 1] in {"", " ", "$", "€", "£", "("}
        and at > floor
    ):
        return _point_led(text, at)
    return moment(text, at) or phone_at(text, at) or amount_at(text, at)


def _point_led(text: str, at: int) -> Figure | None:
    """Read .5 as 0.5."""
    match = _DIGIT.match(text, at)
    if match is None or len(match.group()) > MAX_DIGITS:
        return None
    return with_unit(text, at - 1, Reading((Fraction(f"0.{match.group()}"),), match.end()))


_CAPITALS = 6  # longer words before a hyphen are words: post-2008, Boeing-747


def _word_start(text: str, at: int, floor: int) -> int:
    """Return where the name begins whose digits stand here; ``at`` where they stand alone."""
    begin = at
    while begin > floor and text[begin - 1].isalpha() and text[begin - 1] < "\u0250":
        begin -= 1
    if begin < at:
        times = text[begin:at] in {"x", "X"} and text[begin - 1 : begin].isdigit()
        return at if times or money_before(text, at)[0] else begin
    if text[at - 1 : at] != "-" or at - 1 <= floor:
        return at
    begin = at - 1
    while begin > floor and "A" <= text[begin - 1] <= "Z":
        begin -= 1
    letters = at - 1 - begin
    word_goes_on = begin > 0 and text[begin - 1].isalnum() and text[begin - 1] < "\u0250"
    return begin if 0 < letters <= _CAPITALS and not word_goes_on else at


def _from_words(text: str) -> Iterator[Figure]:
    end = 0
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word not in _TELLING or match.start() < end:
            continue
        figure = _from_word(text, match, word)
        if figure is not None:
            end = figure.end
            yield figure


def _from_articles(text: str) -> Iterator[Figure]:
    """Read "a month" as one month: a claim where something lasts so long, else not an exact one.

    "Three times a day" and "a day trip" speak of no day that is counted.
    """
    for match in _ONE_UNIT.finditer(text):
        meanings, end = unit_after(text, text.index(" ", match.start()))
        if meanings and end == match.end():
            span = match.start(), end
            before = text[max(0, match.start() - 10) : match.start()]
            lasts = _LASTING.search(before) and _LASTED.match(text, end)
            yield replace(measured(text, span, (1,), meanings, loose=not lasts), numbers=())


def _from_word(text: str, match: re.Match[str], word: str) -> Figure | None:
    if word in MONTH_WORDS:
        return month_first(text, match.start())
    if word in ORDINAL_WORDS:
        place = ordinal_word(word)  # first, second and third are adverbs and units, too
        return ordinal(text, match.span(), place, loose=place <= 3)
    if word in _TIMES:
        counts = word != "once" or _EVERY.match(text, match.end())
        return measured(text, match.span(), (_TIMES[word],), loose=True) if counts else None
    number, end = english_number(text, match.start())
    if number is None:
        return None
    figure = with_unit(text, match.start(), Reading((number,), end))
    return _counting(text, figure)


def _counting(text: str, figure: Figure) -> Figure | None:
    """Tell the words that count from those that only speak: one of, half the time."""
    number = figure.numbers[0]
    if figure.unit:
        return None if number == 1 and _sets_in(text, figure) else figure
    if number == Fraction(1, 2):
        return None
    said = number > 1 and _is_said_alone(text, figure)
    return replace(figure, loose=number <= 12 and not said)


def _is_said_alone(text: str, figure: Figure) -> bool:
    """Tell whether a number word counts no thing that follows and points at none before."""
    if text[figure.end : figure.end + 1].strip(" .,;:!?)。，") or not _ENDS.match(text, figure.end):
        return False
    return _POINTING.search(text, max(0, figure.start - 8), figure.start) is None


def _sets_in(text: str, figure: Figure) -> bool:
    """Tell whether "One day, …" tells a story."""
    return figure.start == 0 and text[figure.end : figure.end + 1] == ","
