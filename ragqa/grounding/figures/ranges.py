"""Figures that belong together: ranges, sums of units, years written short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from ragqa.grounding.figures.amounts import amount_at
from ragqa.grounding.figures.figure import Figure, Key, measured
from ragqa.grounding.figures.han_amounts import RUN, han_amount
from ragqa.grounding.figures.units import Unit, plain
from ragqa.language.late import late

_RANGE = late(r"\s?(?:-|–|—|~|～|to|until|till|至|到|and|or|或|和|、)\s?$", re.IGNORECASE)
_SCALE = (
    r"(?:[ \u00a0-]?(?:hundred|thousand|million|billion|trillion|mn|bn|lakh|crore)\b"
    r"|[百千万萬亿億])"
)
_SCALED = late(rf"(?:[^\d]{{0,4}}\d[\d.,]*|[一二两兩三四五六七八九十]{{1,3}})({_SCALE}.*)$")
_HAS_SCALE = late(_SCALE)
_OF_MONTH = late(r"\d{1,2}\s?[日号號]")
_DIGIT = late(r"\d")
_TIMES = late(r"\s?[x×X*]\s?$")


def connected(text: str, found: Iterable[Figure]) -> Iterator[Figure]:
    """Yield the figures of a text, in order and apart, with what they lend each other."""
    return _joined(text, _lent(text, list(_apart(found))))


def _apart(found: Iterable[Figure]) -> Iterator[Figure]:
    """Yield the figures that do not lie in an earlier one."""
    end = 0
    for figure in found:
        if figure.start >= end:
            end = figure.end
            yield figure


def _lent(text: str, found: list[Figure]) -> Iterator[Figure]:
    """Give the first number of a range the unit of the second: 3 to 5 days, 3至5天.

    So the last one of 35 x 24 x 51 cm lends its unit to all before it.
    """
    lent = [
        _lent_by(text, last, figure) if last else figure
        for last, figure in zip([None, *found], found, strict=False)
    ]
    for at in range(len(lent) - 2, -1, -1):
        lent[at] = _with_unit_of(text, lent[at], lent[at + 1])
    return iter(lent)


def _lent_by(text: str, first: Figure, figure: Figure) -> Figure:
    """Return the second figure of a range with what the first lends it: 1914–18, 8月5日至16日."""
    if _is_short_year(text, first, figure):
        return _short_year(first, figure)
    day = first.value if first.kind == "date" else None
    if not (isinstance(day, tuple) and day[2] and _OF_MONTH.fullmatch(figure.text)):
        return figure
    if not _RANGE.fullmatch(text[first.end : figure.start]):
        return figure
    last: Key = ("date", (None, day[1], int(figure.numbers[0])))
    return replace(figure, keys=figure.keys | {last})


def _is_short_year(text: str, first: Figure, figure: Figure) -> bool:
    """Tell whether the second year of a range is written short, as in 1914–18."""
    dash = text[first.end : figure.start] in {"-", "–", "/", "—"}
    plain_numbers = figure.kind == first.kind == "number"
    return dash and plain_numbers and len(first.text) == 4 and len(figure.text) == 2


def _short_year(first: Figure, figure: Figure) -> Figure:
    century, year = first.numbers[0] // 100 * 100, figure.numbers[0]
    return replace(figure, numbers=(*figure.numbers, century + year))


def _joined(text: str, found: Iterable[Figure]) -> Iterator[Figure]:
    """Read 1 hour 30 minutes and 5英尺6英寸 as one figure, too."""
    last: Figure | None = None
    for figure in found:
        joined = _sum(text, last, figure) if last is not None else None
        if last is not None and joined is None:
            yield last
        last = joined or figure
    if last is not None:
        yield last


def _sum(text: str, figure: Figure, smaller: Figure) -> Figure | None:
    """Return two figures as one if the second goes on with a smaller unit of the same family."""
    if not figure.meanings or figure.loose or smaller.loose:
        return None
    span, between = (figure.start, smaller.end), text[figure.end : smaller.start].strip(" ,")
    if smaller.kind == "number" and not between and figure.text[-1:] in {"米", "块"}:
        return _decimal(text, span, figure, smaller)
    if not smaller.meanings or between not in ("", "and", "零", "又"):
        return None
    unit, rest = figure.meanings[0], smaller.meanings[0]
    if unit.family != rest.family or unit.factor <= rest.factor or unit.family == "percent":
        return None
    amount = unit.amount(figure.numbers[0]) + rest.amount(smaller.numbers[0])
    joined = measured(text, span, (plain(amount),), (Unit(unit.family),))
    return replace(joined, numbers=(), parts=(figure, smaller), meanings=())


def _decimal(text: str, span: tuple[int, int], figure: Figure, decimals: Figure) -> Figure | None:
    """Read 1米8 as 1.8 metres and 3块5 as 3.5 yuan."""
    if not decimals.text.isdigit() or len(decimals.text) > 2:
        return None
    part = Fraction(int(decimals.text), 10 ** len(decimals.text))
    return measured(text, span, (plain(figure.numbers[0] + part),), figure.meanings)


def _scaled_as(figure: Figure, following: Figure) -> Figure | None:
    """Return a figure that has a scale in common with the next: 1.2 to 1.5 billion, 3至5万元.

    What it says without the scale stays one of its readings.
    """
    scale, digit = _SCALED.match(following.text), _DIGIT.search(figure.text)
    if scale is None or _HAS_SCALE.search(figure.text):
        return None
    scaled = figure.text + scale[1]
    run = RUN.match(scaled)
    whole = amount_at(scaled, digit.start()) if digit else run and han_amount(scaled, *run.span())
    if whole is None:
        return None
    return replace(
        whole,
        text=figure.text,
        start=figure.start,
        end=figure.end,
        keys=figure.keys | whole.keys,
        numbers=(*figure.numbers, *whole.numbers),
        parts=figure.parts,
    )


def _with_unit_of(text: str, figure: Figure, following: Figure) -> Figure:
    between = text[figure.end : following.start]
    if figure.kind not in ("number", "money") or len(between) > 7:
        return figure
    is_range = _RANGE.fullmatch(between) is not None
    if is_range and (scaled := _scaled_as(figure, following)) is not None:
        return scaled
    is_size = following.unit == "length" and _TIMES.fullmatch(between) is not None
    if figure.kind == "money" or not (is_range or is_size):
        return figure
    return _lent_unit(text, figure, following)


def _lent_unit(text: str, figure: Figure, following: Figure) -> Figure:
    if following.kind == "time":
        hours = [number for number in figure.numbers if isinstance(number, int)]
        keys = {("time of day", (hour * 60 + half) % 1440) for hour in hours for half in (0, 720)}
        return replace(figure, keys=figure.keys | keys)
    if not following.meanings:
        return figure
    lent = measured(text, figure.span, figure.numbers, following.meanings, names=figure.keys)
    return replace(lent, parts=figure.parts, loose=figure.loose and following.loose)
