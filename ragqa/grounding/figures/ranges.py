"""Figures that belong together: ranges, sums of units, years written short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from ragqa.grounding.figures.figure import Figure, measured
from ragqa.grounding.figures.units import Unit, plain
from ragqa.language.late import late

_RANGE = late(r"\s?(?:-|–|—|~|～|to|until|till|至|到|and|or|或|和|、)\s?$", re.IGNORECASE)
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
        _short_year(last, figure) if last and _is_short_year(text, last, figure) else figure
        for last, figure in zip([None, *found], found, strict=False)
    ]
    for at in range(len(lent) - 2, -1, -1):
        lent[at] = _with_unit_of(text, lent[at], lent[at + 1])
    return iter(lent)


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


def _with_unit_of(text: str, figure: Figure, following: Figure) -> Figure:
    between = text[figure.end : following.start]
    if figure.kind != "number" or len(between) > 7:
        return figure
    is_size = following.unit == "length" and _TIMES.fullmatch(between)
    if not is_size and not _RANGE.fullmatch(between):
        return figure
    if following.kind == "time":
        hours = [number for number in figure.numbers if isinstance(number, int)]
        keys = {("time of day", (hour * 60 + half) % 1440) for hour in hours for half in (0, 720)}
        return replace(figure, keys=figure.keys | keys)
    if not following.meanings:
        return figure
    lent = measured(text, figure.span, figure.numbers, following.meanings, names=figure.keys)
    return replace(lent, parts=figure.parts, loose=figure.loose and following.loose)
