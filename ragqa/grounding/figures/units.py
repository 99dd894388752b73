"""What unit or currency stands beside a number, and what it makes of the number."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ragqa.grounding.figures.unit_table import CURRENCIES, MEASURES, SCALES
from ragqa.language.late import late

Number = int | Fraction


class Unit(NamedTuple):
    """One meaning of a unit: ``(value + offset) * factor`` is the amount in its family's base."""

    family: str
    factor: Number = 1
    offset: Number = 0

    def amount(self, value: Number) -> Number:
        """Return a value of this unit in the family's base unit."""
        return plain((value + self.offset) * self.factor)


Meanings = tuple[Unit, ...]


def plain(number: Number) -> Number:
    """Return a whole number as int, which is faster to compare and shorter to show."""
    return number if isinstance(number, int) or number.denominator != 1 else number.numerator


def _rows(table: str) -> Iterator[tuple[str, list[str]]]:
    for line in table.strip().splitlines():
        head, _, spellings = line.partition(":")
        yield head, [spelling.replace("_", " ") for spelling in spellings.split()]


def _meanings() -> dict[str, Meanings]:
    table: dict[str, Meanings] = {}
    for head, spellings in _rows(MEASURES):
        family, factor = head.split()
        unit = Unit(family, plain(Fraction(factor)))
        for spelling in spellings:
            table[spelling] = (*table.get(spelling, ()), unit)
    fahrenheit = Unit("temperature", Fraction(5, 9), -32)
    table |= dict.fromkeys(("°F", "℉", "degrees Fahrenheit", "华氏度"), (fahrenheit,))
    # 八折 and 八五折 ask for that share of the price, which is the rest of it off.
    table["折"] = tuple(
        Unit("percent", Fraction(sign, whole), offset)
        for whole in (10, 100)
        for sign, offset in ((1, 0), (-1, -whole))
    )
    for spelling, meanings in _MONEY.items():
        table[spelling] = (*table.get(spelling, ()), *meanings)
    return table


_MONEY = {
    spelling: tuple(Unit(f"money {code}") for code in head.split())
    for head, spellings in _rows(CURRENCIES)
    for spelling in spellings
}
_MEANINGS = _meanings()
_FOLDED = {spelling.lower(): found for spelling, found in _MEANINGS.items() if len(spelling) > 3}
_SCALES = {word: int(head) for head, words in _rows(SCALES) for word in words}
_LONGEST_HAN = max(len(spelling) for spelling in _MEANINGS if not spelling[0].isascii())

_NO_UNIT = frozenset(f"折{char}" for char in "叠疊腾磨射合旧断返中服") | {"年代"}

_BEFORE = late(
    r"(?:(?:US|CA|HK|NT|NZ|A|C|S|R)?\$|[€£￡¥￥₩₹₽]|(?<![A-Za-z])[A-Z]{3}|人民币|美元|港币)\s?$"
)
_ENDS_OF_MONEY = frozenset("$€£￡¥￥₩₹₽币元 \u00a0ABCDEFGHIJKLMNOPQRSTUVWXYZ")
# One blank or hyphen, perhaps an adjective that changes nothing, then a unit of one to three words.
_LATIN = late(
    r"[ \u00a0\u202f\u2009-]?"
    r"(?:(?:working|business|calendar|consecutive|full|whole|extra|additional|more)[ -])?"
    r"([A-Za-zµμ°ℓ%‰]+(?:[.$²³/-][A-Za-z$]*|[23](?![0-9A-Za-z]))?)"
    r"(?:[ -]([A-Za-z]{1,11}))?(?: ([A-Za-z]{1,7}))?"
)
_INCHES = late(r"\s?(?:″|in(?=\s?(?:[.,;:)x×/]|$)))")
_SCALE = late(
    r"(?:[ \u00a0-]?(hundred|thousand|million|billion|trillion|mn|bn|lakh|crore|dozen)"
    r"|([kKmMbB]))(?![A-Za-z])"
)


_HALF = late(r"半(?![片个個杯袋瓶粒包勺匙碗颗顆块塊支盒页頁张張价價数數夜路途])")


def half_behind(text: str, at: int) -> bool:
    """Tell whether a unit goes on with a half: 8小时半, but 每8小时半片 counts tablets."""
    return _HALF.match(text, at) is not None


def money_before(text: str, at: int) -> tuple[Meanings, int]:
    """Return the currency right before a number, and where it begins."""
    if text[at - 1 : at] not in _ENDS_OF_MONEY:
        return (), at
    match = _BEFORE.search(text, max(0, at - 5), at)
    found = _MONEY.get(match.group().strip()) if match else None
    return (found, match.start()) if match and found else ((), at)


def scale_after(text: str, at: int, *, money: bool) -> tuple[int, int]:
    """Return what the word behind a number multiplies it by, and where that word ends.

    The letters m and b count for money only: elsewhere they are metres or part of a name.
    """
    match = _SCALE.match(text, at)
    if match is None or (match.group(2) and not money and match.group(2) not in "kK"):
        return 1, at
    return _SCALES[match.group(1) or match.group(2)], match.end()


def unit_after(text: str, at: int) -> tuple[Meanings, int]:
    """Return the unit or currency behind a number, ``()`` if none, and where it ends."""
    following = text[at : at + 1]
    if not following:
        return (), at
    if not following.isascii() and following not in "\u00a0\u202f\u2009":
        return _han_unit(text, at)
    if following == " " and not text[at + 1 : at + 2].isascii():
        return _han_unit(text, at + 1)
    if inches := _INCHES.match(text, at):
        return _MEANINGS["inch"], inches.end()
    return _latin_unit(text, at)


def _han_unit(text: str, at: int) -> tuple[Meanings, int]:
    for length in range(min(_LONGEST_HAN, len(text) - at), 0, -1):
        found = _MEANINGS.get(text[at : at + length])
        if found and not text[at].isascii():
            no_unit = text[at : at + 2] in _NO_UNIT
            return ((), at) if no_unit else (found, at + length)
    return _latin_unit(text, at) if text[at : at + 1] in {"°", "µ", "μ", "ℓ"} else ((), at)


def _latin_unit(text: str, at: int) -> tuple[Meanings, int]:
    match = _LATIN.match(text, at)
    if match is None:
        return (), at
    for last in (3, 2, 1):
        if match.group(last) is None:
            continue
        spelling = text[match.start(1) : match.end(last)]
        spelling = spelling.replace("-", " ") if last > 1 else spelling.rstrip(".-/")
        found = _MEANINGS.get(spelling) or _FOLDED.get(spelling.lower())
        if found:
            return found, match.start(1) + len(spelling)
    return (), at


def money(spelling: str) -> Meanings:
    """Return what a currency's sign, code or name may mean; empty where it is none."""
    return _MONEY.get(spelling) or _MONEY.get(spelling.lower()) or _MONEY.get(spelling.upper(), ())
