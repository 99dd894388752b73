"""A figure of a text in all its readings, and sets of figures that others are looked up in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from ragqa.grounding.figures.units import Meanings, Number

Kind = Literal["number", "quantity", "money", "percent", "ordinal", "date", "time", "name"]
Day = tuple[int | None, int | None, int | None]
"""Year, month and day; None where the text does not say."""

Key = tuple[str, Number | Day | str]
"""A family and an amount in its base unit: figures that share one say the same."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it stands in a text.

    Attributes:
        text: The characters it stands in.
        start: Where they begin.
        end: Where they end.
        kind: What it is; ``name`` for numbers inside names, web addresses and the like.
        value: The number as written, a date as year, month and day, a name in its compared form.
        unit: The family of its unit, for instance ``time``; empty without a unit.
        keys: What it says, in each of its readings.
        numbers: The bare numbers it may be read as.
        parts: Figures that say the same together, for instance day and year of a date.
        loose: Whether it only counts something in a word ("two handles", 三个): such words may be
            the writer's own, so that they are wrong only against another number of the same.
        meanings: The units that its unit may mean.
    """

    text: str
    start: int
    end: int
    kind: Kind
    value: Number | Day | str
    unit: str = ""
    keys: frozenset[Key] = frozenset()
    numbers: tuple[Number, ...] = ()
    parts: tuple[Figure, ...] = ()
    loose: bool = False
    meanings: Meanings = field(default=(), repr=False)

    @property
    def span(self) -> tuple[int, int]:
        """Return where the figure stands in its text."""
        return self.start, self.end


def measured(
    text: str,
    span: tuple[int, int],
    numbers: tuple[Number, ...],
    meanings: Meanings = (),
    *,
    names: frozenset[Key] = frozenset(),
    parts: tuple[Figure, ...] = (),
    loose: bool = False,
) -> Figure:
    """Return the figure that numbers make with a unit or a currency, or without one.

    Args:
        text: The text it stands in.
        span: Where it stands.
        numbers: The number in each of its readings, the likeliest first.
        meanings: What its unit may mean.
        names: Names that it may be read as.
        parts: Figures that say the same together.
        loose: Whether it only counts something in a word.
    """
    start, end = span
    family = meanings[0].family if meanings else ""
    said = {(each.family, each.amount(number)) for each in meanings for number in numbers}
    return Figure(
        text=text[start:end],
        start=start,
        end=end,
        kind=_kind(family),
        value=numbers[0],
        unit=family,
        keys=names | said,
        numbers=numbers,
        parts=parts,
        loose=loose,
        meanings=meanings,
    )


def _kind(family: str) -> Kind:
    if not family:
        return "number"
    return (
        "money" if family.startswith("money") else "percent" if family == "percent" else "quantity"
    )


def ordinal(text: str, span: tuple[int, int], number: Number, *, loose: bool = False) -> Figure:
    """Return an ordinal figure: 1st, fourth, 第五."""
    start, end = span
    keys: frozenset[Key] = frozenset({("ordinal", number)})
    return Figure(
        text[start:end], start, end, "ordinal", number, "ordinal", keys, (number,), loose=loose
    )


@dataclass(slots=True)
class FigureSet:
    """Figures in which others are looked up, each in constant time.

    Attributes:
        keys: All that they say, dates with all that a date implies.
        bare: Numbers that stand without a unit: those may be of any unit.
        numbers: All numbers, whatever their unit.
    """

    keys: set[Key] = field(default_factory=set)
    bare: set[Number] = field(default_factory=set)
    numbers: set[Number] = field(default_factory=set)

    @classmethod
    def of(cls, figures: Iterable[Figure]) -> FigureSet:
        """Take figures in, with their parts."""
        found = cls()
        for figure in figures:
            found._add(figure)
        return found

    def _add(self, figure: Figure) -> None:
        self.numbers.update(figure.numbers)
        if not figure.unit:
            self.bare.update(figure.numbers)
        for family, said in figure.keys:
            self.keys.add(("name" if family == "name part" else family, said))
            if family == "date" and isinstance(said, tuple):
                self._add_day(said)
            elif family == "percent" and not isinstance(said, str | tuple):
                self.numbers.add(said)
        for part in figure.parts:
            self._add(part)

    def _add_day(self, said: Day) -> None:
        year, month, day = said
        implied = ((year, month, None), (None, month, day), (year, None, None), (None, month, None))
        self.keys.update(("date", each) for each in implied if any(each))
        self.numbers.update(number for number in (year, day) if number is not None)

    def supports(self, figure: Figure) -> bool:
        """Tell whether one of the figures says the same.

        A figure without a unit agrees with the same number of any unit, and the other way round;
        two different units must convert into each other exactly.
        """
        if not figure.keys.isdisjoint(self.keys):
            return True
        numbers = self.bare if figure.unit else self.numbers
        if any(number in numbers for number in figure.numbers):
            return True
        if figure.unit == "percent" and any(said in self.bare for _, said in figure.keys):
            return True  # 75 % and three quarters
        return bool(figure.parts) and all(self.supports(part) for part in figure.parts)
