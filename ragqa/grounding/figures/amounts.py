"""Amounts written with digits or words: the number, its scale, its unit, or the name it is in."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from ragqa.grounding.figures.figure import Figure, Key, measured, ordinal
from ragqa.grounding.figures.numerals import HAN_SCALES, han_scale
from ragqa.grounding.figures.units import (
    Meanings,
    Number,
    half_behind,
    money_before,
    plain,
    scale_after,
    unit_after,
)
from ragqa.language.late import late

MAX_DIGITS = 30
"""A longer row of digits is compared as a name, character by character."""

_GROUPED = late(r"(\d{1,3})((?:[,’']\d{3}){1,8})(?![\d])(?:\.(\d+))?(?![,.]?\d)")
_INDIAN = late(r"\d{1,2}(?:,\d{2}){1,8},\d{3}(?![,\d])")
_EUROPEAN = late(r"\d{1,3}(?:\.\d{3}){1,8},\d{1,20}(?![.,]?\d)|\d{1,3}(?:\.\d{3}){2,8}(?![.,]?\d)")
_SPACED = late(r"\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3}){1,8}(?:[.,]\d{1,2})?(?![\d]|[.,]\d)")
_DECIMAL = late(r"\d+\.\d+(?!\.?\d)")
_COMMA = late(r"(\d+),(\d{1,2}|\d{4,})(?![\d]|,\d)")
_WHOLE = late(r"\d+")
_GOES_ON = late(rf"[ \u00a0\u202f\u2009.,’'/]\d| ?[{HAN_SCALES}]")
_RATIO = late(r"(\d{1,3})/(\d{1,3})(?![\d/])")
_VULGAR = {
    "½": Fraction(1, 2),
    "⅓": Fraction(1, 3),
    "⅔": Fraction(2, 3),
    "¼": Fraction(1, 4),
    "¾": Fraction(3, 4),
    "⅕": Fraction(1, 5),
    "⅛": Fraction(1, 8),
    "⅜": Fraction(3, 8),
    "⅝": Fraction(5, 8),
    "⅞": Fraction(7, 8),
}
_MIXED = late(r" ?([½⅓⅔¼¾⅕⅛⅜⅝⅞])| (1/2|1/3|2/3|1/4|3/4)(?![\d/])| and a half\b")
_HAN_SCALED = late(rf"(\d[\d,]{{0,20}}(?:\.\d{{1,20}})?) ?([{HAN_SCALES}]{{1,4}})")
_ORDINAL = late(r"(?:st|nd|rd|th)(?![A-Za-z])", re.IGNORECASE)
_DECADE = late(r"(\d0|\d\d\d0)(?:['’]?s(?![A-Za-z])|年代)")
_NAME = late(
    r"[A-Za-zÀ-ɏ]+(?:-(?=\d))?\d[A-Za-z0-9]*"
    r"(?:[-./](?=[A-Z0-9]*\d)[A-Za-z0-9]+|-[A-Z]{1,3}(?![A-Za-z]))*"
)
_DIGITS_NAME = late(r"\d+(?:\.\d+)*[A-Za-z]+[A-Za-z0-9]*(?:-[A-Z0-9]{1,4}(?![A-Za-z]))?")
_DOTTED = late(r"\d+(?:\.\d+){2,20}")
_PHONE = late(
    r"\+\d[\d ()/-]{6,18}\d|\(?0\d{2,3}\)?[- ]?\d{3,4}[ -]?\d{4}(?!\d)|\d{3}-\d{3,4}-\d{4}(?!\d)"
)
_DIALLED = 7
"""So many digits in a row may be a telephone number, which others write in groups."""

_SEPARATORS = str.maketrans("", "", "-_./ ()–")
_RELEASE = late(r"v(\d{1,4}(?:\.\d{1,4})?)")
_DECIMAL_POINT = late(r"(?<=\d)\.(?=\d)")
_WORD_BEFORE = late(r"([A-Za-z]{1,12})[ -]$")


class Reading(NamedTuple):
    """A number as written: all that it may mean, and where it ends."""

    numbers: tuple[Number, ...]
    end: int
    parts: tuple[Number, ...] = ()


def compared(name: str) -> str:
    """Return the form in which names with digits are compared: ``XQ-200`` as ``xq200``.

    A point between digits stays: USB 3.2 is not USB 32.
    """
    pieces = _DECIMAL_POINT.split(name) if "." in name else [name]
    return ".".join(piece.translate(_SEPARATORS) for piece in pieces).casefold()


def name_at(text: str, at: int) -> Figure | None:
    """Return the name with letters in front of its digits that begins here."""
    match = _NAME.match(text, at)
    return named(match.group(), at) if match else None


def named(name: str, at: int) -> Figure:
    """Return a name that holds digits."""
    form = compared(name)
    if name[0] in "vV" and "." in name and name[1].isdigit():
        form = form[1:]  # v2.0.1
    keys: set[Key] = {("name", form)}
    head, dash, _ = name.rpartition("-")
    if dash and any(char.isdigit() for char in head):
        keys.add(("name part", compared(head)))
    release = _RELEASE.fullmatch(name)  # "version 3.12" says v3.12
    numbers = (plain(Fraction(release[1])),) if release else ()
    return Figure(name, at, at + len(name), "name", form, "name", frozenset(keys), numbers)


def phone_at(text: str, at: int) -> Figure | None:
    """Return the telephone number that begins here."""
    begin = at - 1 if text[at - 1 : at] in {"+", "("} else at
    match = _PHONE.match(text, begin)
    return named(match.group(), begin) if match else None


def amount_at(text: str, at: int) -> Figure:
    """Return the amount, ordinal or digit-led name that begins with a digit here."""
    dotted = _DOTTED.match(text, at)
    if dotted and not _EUROPEAN.match(text, at):
        return named(dotted.group(), at)
    reading = _number(text, at)
    if reading.end - at > MAX_DIGITS:
        return named(text[at : reading.end], at)
    if match := _DECADE.match(text, at):
        decade = int(match[1])
        return measured(text, match.span(), (decade, decade + 1900) if decade < 100 else (decade,))
    if match := _ORDINAL.match(text, reading.end):
        return ordinal(text, (at, match.end()), reading.numbers[0])
    return with_unit(text, at, reading)


def _number(text: str, at: int) -> Reading:
    """Read a number with its separators; an ambiguous one has several readings."""
    match = _WHOLE.match(text, at)
    assert match is not None, "a digit stands here"
    if _GOES_ON.match(text, match.end()):
        for read in (_scaled, _grouped, _european, _spaced, _decimal, _comma, _ratio):
            if (reading := read(text, at)) is not None:
                return reading
    if match.end() - at > MAX_DIGITS:
        return Reading((0,), match.end())
    value: Number = int(match.group())
    end = match.end()
    if mixed := _MIXED.match(text, end):
        more = _VULGAR.get(mixed[1] or "") or Fraction(mixed[2] or Fraction(1, 2))
        value, end = value + more, mixed.end()
    return Reading((plain(value),), end)


def _scaled(text: str, at: int) -> Reading | None:
    """Read 1.2万 and 3万5千."""
    total: Number = 0
    last, end = 10**20, at
    while match := _HAN_SCALED.match(text, end):
        scale = han_scale(match[2]) if len(match[2]) <= 4 else 0
        if not 0 < scale < last or len(match[1]) > MAX_DIGITS:
            break
        total += Fraction(match[1].replace(",", "")) * scale
        last, end = scale, match.end()
    return Reading((plain(total),), end) if end > at else None


def _grouped(text: str, at: int) -> Reading | None:
    if match := _GROUPED.match(text, at):
        digits, decimals = match[1] + re.sub(r"\D", "", match[2]), match[3]
        number = plain(Fraction(f"{digits}.{decimals or 0}")) if len(digits) <= MAX_DIGITS else 0
        european = decimals is None and len(match[2]) == 4 and match[2][0] == ","
        others = (plain(Fraction(f"{match[1]}.{match[2][1:]}")),) if european else ()
        return Reading((number, *others), match.end())
    if match := _INDIAN.match(text, at):
        return Reading((int(match.group().replace(",", "")),), match.end())
    return None


def _european(text: str, at: int) -> Reading | None:
    match = _EUROPEAN.match(text, at)
    if match is None or match.end() - at > MAX_DIGITS:
        return None
    number = Fraction(match.group().replace(".", "").replace(",", "."))
    return Reading((plain(number),), match.end())


def _spaced(text: str, at: int) -> Reading | None:
    match = _SPACED.match(text, at)
    if match is None or match.end() - at > MAX_DIGITS:
        return None
    pieces = re.split(r"[ \u00a0\u202f\u2009]", match.group().replace(",", "."))
    return Reading(
        (plain(Fraction("".join(pieces))),),
        match.end(),
        tuple(plain(Fraction(piece)) for piece in pieces),
    )


def _decimal(text: str, at: int) -> Reading | None:
    match = _DECIMAL.match(text, at)
    if match is None or match.end() - at > MAX_DIGITS:
        return None
    whole, _, decimals = match.group().partition(".")
    thousands = len(decimals) == 3 and len(whole) <= 3 and whole[0] != "0"
    others = (int(whole + decimals),) if thousands else ()
    return Reading((plain(Fraction(match.group())), *others), match.end())


def _comma(text: str, at: int) -> Reading | None:
    """Read 1,5 as a decimal number or as two numbers."""
    match = _COMMA.match(text, at)
    if match is None or match.end() - at > MAX_DIGITS:
        return None
    parts = (int(match[1]), int(match[2]))
    if len(match[2]) > 2:
        return Reading((int(match[1] + match[2]),), match.end(), parts)
    return Reading((plain(Fraction(f"{match[1]}.{match[2]}")),), match.end(), parts)


def _ratio(text: str, at: int) -> Reading | None:
    match = _RATIO.match(text, at)
    if match is None or int(match[2]) == 0:
        return None
    parts = (int(match[1]), int(match[2]))
    return Reading((plain(Fraction(*parts)),), match.end(), parts)


def with_unit(text: str, at: int, reading: Reading) -> Figure:
    """Return the figure that a number makes with its sign, currency, scale and unit."""
    currency, begin = money_before(text, at)
    sign, begin = _sign(text, begin)
    scale, end = scale_after(text, reading.end, money=bool(currency))
    numbers = tuple(plain(sign * number * scale) for number in reading.numbers)
    letter = scale > 1 and text[end - 1] in "kK" and end - reading.end == 1
    if letter and not currency:  # 12k may be a name, $12k is an amount
        numbers += reading.numbers
    unit, unit_end = unit_after(text, end)
    meanings = currency or unit
    if unit and half_behind(text, unit_end):
        numbers, unit_end = tuple(plain(each + Fraction(1, 2)) for each in numbers), unit_end + 1
    if unit_end == end and _letter_behind(text, reading.end) and not currency:
        return _digits_name(text, at, numbers)
    names = frozenset() if meanings or scale > 1 else _word_keys(text, begin, reading.end)
    if text[begin - 1 : begin] == "第":  # 第23分钟 is the 23rd minute
        names |= {("ordinal", numbers[0])}
    return measured(
        text,
        (begin, max(end, unit_end)),
        numbers,
        meanings,
        names=names,
        parts=_parts(text, at, reading, meanings),
    )


def _parts(text: str, at: int, reading: Reading, meanings: Meanings) -> tuple[Figure, ...]:
    """Return the figures that "1 200" or "1/2" are, read apart; the last one has the unit."""
    last = len(reading.parts) - 1
    return tuple(
        measured(text, (at, reading.end), (number,), meanings if place == last else ())
        for place, number in enumerate(reading.parts)
    )


_ENDS_OF_MINUS = frozenset("-− 下–")
# Behind other characters a dash is one of a range or a name: 10度-20度, F-16.
_MINUS = late(r"(?:(?<![^\s(（:：~～,，、为為是在到至达達于於从從约約低即])[-−]|minus |零下)$")
# An en dash is a minus before a temperature, where it joins nothing to it.
_DASH_MINUS = late(r"(?<![^\s(（:：~～,，])(?<!\d\s)–(?=\d[\d.,]*\s?(?:°|℃|℉|度|degrees|摄氏))")


def _sign(text: str, begin: int) -> tuple[int, int]:
    if text[begin - 1 : begin] not in _ENDS_OF_MINUS:
        return 1, begin
    if text[begin - 1] == "–":
        return (-1, begin - 1) if _DASH_MINUS.match(text, begin - 1) else (1, begin)
    found = _MINUS.search(text, max(0, begin - 6), begin)
    return (-1, found.start()) if found else (1, begin)


def _letter_behind(text: str, end: int) -> bool:
    """Tell whether a letter follows that makes the number a name, as in 1080p; 30x40 is none."""
    letter = text[end : end + 1]
    if not text[end - 1 : end].isdigit() or not (letter.isascii() and letter.isalpha()):
        return False
    following = text[end + 1 : end + 2]
    return not (letter in "xX" and not (following.isascii() and following.isalpha()))


def _digits_name(text: str, at: int, numbers: tuple[Number, ...]) -> Figure:
    match = _DIGITS_NAME.match(text, at)
    if match is None:
        return measured(text, (at, at + 1), numbers)
    form = compared(match.group())
    keys: frozenset[Key] = frozenset({("name", form)})
    return Figure(match.group(), at, match.end(), "name", form, "name", keys, numbers)


def _word_keys(text: str, begin: int, end: int) -> frozenset[Key]:
    """Read ``ISO 9001`` as the name ``ISO9001``, too, and ``4001234567`` as a telephone number."""
    written = text[begin:end]
    if not written[:1].isdigit():
        return frozenset()
    names = {written} if len(written) >= _DIALLED and written.isdigit() else set()
    if match := _WORD_BEFORE.search(text, max(0, begin - 13), begin):
        names.add(compared(match[1] + written))
    return frozenset(("name", name) for name in names)
