"""What a text says in words, as others write it in figures.

A month that is named alone (6月底), the time of day in a machine's timestamp, noon, a share
(三分之一), a quarter of a year (Q2), the number of a king or a war (路易十四), the century of a
year. Others may say so; the text itself is not held to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from ragqa.grounding.figures.amounts import named
from ragqa.grounding.figures.figure import Figure, Key, measured, ordinal
from ragqa.language.late import late

if TYPE_CHECKING:
    from ragqa.grounding.figures.figure import Day, Kind
    from ragqa.grounding.figures.units import Number

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_MONTH = late(rf"\b(?:{'|'.join(_MONTHS[:4])}|(?<=[a-z,] )May|{'|'.join(_MONTHS[5:])})\b")
_STAMP = late(r"(?<!\d)\d{4}-\d{2}-\d{2}T(\d{2}):(\d{2})(?!\d)")
_SHARES = {"third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_SHARE = late(rf"\b(?:an?|one)[ -]({'|'.join(_SHARES)})(?! \d)\b", re.IGNORECASE)
_ODDS = late(r"(?<![\d.,])(\d{1,2}) in (\d{1,3}(?:,\d{3})*)(?![\d.,%]\d|[\d%])")
_NOON = late(r"\b(?:noon|midday)\b|正午|中午", re.IGNORECASE)
_MIDNIGHT = late(r"\bmidnight\b|午夜", re.IGNORECASE)
_QUARTER_WORDS = ("1 first 1st 一", "2 second 2nd 二", "3 third 3rd 三", "4 fourth 4th 四")
_QUARTERS = {word: at for at, line in enumerate(_QUARTER_WORDS, 1) for word in line.split()}
_QUARTER = late(
    r"\b(first|second|third|fourth|1st|2nd|3rd|4th) quarter\b|\bQ([1-4])\b|([一二三四1-4])季度",
    re.IGNORECASE,
)
_ROMAN = late(r"(?<=[a-z] )(?=[IVX])(?!I\b)X{0,3}(?:IX|IV|V?I{0,3})(?![\w.-])")
_VALUES = {"I": 1, "V": 5, "X": 10}
_CENTURY = late(r"[ -]century\b|\s?世[纪紀]", re.IGNORECASE)
_DECADE = late(r"\d0['’]?s$|\d0['’]?s\W|年代")
_IN_CENTURY = late(r"(\d{1,2})\s?世[纪紀]\s?$")
_YEARS = range(1000, 2100)


def implied(text: str) -> Iterator[Figure]:
    """Yield figures that say what a text says in words.

    >>> [each.value for each in implied("at the end of June")]
    [(None, 6, None)]
    """
    for match in _MONTH.finditer(text):
        month: Day = (None, _MONTHS.index(match[0]) + 1, None)
        yield _moment(match, "date", month)
    for match in _STAMP.finditer(text):
        yield _moment(match, "time of day", int(match[1]) * 60 + int(match[2]))
    for match in _SHARE.finditer(text):
        yield measured(text, match.span(), (Fraction(1, _SHARES[match[1].lower()]),))
    for match in _ODDS.finditer(text):
        few, all_of_them = int(match[1]), int(match[2].replace(",", ""))
        if 0 < few < all_of_them:
            yield measured(text, match.span(), (Fraction(few, all_of_them),))
    for said, minutes in ((_NOON, 720), (_MIDNIGHT, 0)):
        for match in said.finditer(text):
            yield replace(_moment(match, "time of day", minutes), numbers=(12,))
    for match in _QUARTER.finditer(text):
        number = _QUARTERS[(match[1] or match[2] or match[3]).lower()]
        yield ordinal(text, match.span(), number)
        yield named(f"Q{number}", match.start())
    for match in _ROMAN.finditer(text):
        yield ordinal(text, match.span(), _roman(match[0]))


def _moment(match: re.Match[str], family: str, said: Number | Day) -> Figure:
    keys: frozenset[Key] = frozenset({(family, said)})
    kind: Kind = "date" if family == "date" else "time"
    return Figure(match[0], match.start(), match.end(), kind, said, family, keys)


def _roman(numeral: str) -> int:
    values = [_VALUES[char] for char in numeral]
    following = (*values[1:], 0)
    return sum(
        -each if each < after else each for each, after in zip(values, following, strict=True)
    )


def covers_a_year(figure: Figure, text: str, years: Iterable[Figure]) -> bool:
    """Tell whether a figure numbers a century or a decade in which one of the years lies.

    >>> from ragqa.grounding.figures import figures
    >>> said = "It was begun in the 12th century."
    >>> covers_a_year(figures(said)[0], said, figures("It was begun in 1163."))
    True
    """
    if not figure.numbers:
        return False
    if _CENTURY.match(text, figure.end):
        century = figure.numbers[0]
        return any(century in (year // 100 + 1, (year - 1) // 100 + 1) for year in _years(years))
    if _DECADE.search(text[figure.start : figure.end + 2]):
        decades = set(figure.numbers)
        if century_before := _IN_CENTURY.search(text[: figure.start]):
            decades = {int(century_before[1]) * 100 - 100 + figure.numbers[0]}
        return any(year // 10 * 10 in decades for year in _years(years))
    return False


def _years(found: Iterable[Figure]) -> Iterator[int]:
    for figure in found:
        if figure.kind == "date" and isinstance(figure.value, tuple) and figure.value[0]:
            yield figure.value[0]
        elif not figure.unit and figure.text[:4].isdigit():
            yield from (year for year in figure.numbers if year in _YEARS and isinstance(year, int))
