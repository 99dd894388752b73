"""Dates and times of day in their English, Chinese and numeric forms."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import replace

from ragqa.grounding.figures.figure import Day, Figure, Key
from ragqa.grounding.figures.numerals import HAN_NUMERALS, han_number
from ragqa.language.late import late

_MONTHS = {name.lower(): at for at, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name[:3]: at for name, at in _MONTHS.items()} | {"sept": 9}

MONTH_WORDS = frozenset(_MONTHS)

_MONTH = "|".join(sorted((name.title() for name in _MONTHS), key=len, reverse=True))
_NUMERAL = rf"(?:\d{{1,4}}|[{HAN_NUMERALS}]{{1,4}})"
_YMD = late(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_YM = late(r"(\d{4})[-/](\d{1,2})(?![\d/-])")
_DMY = late(r"(\d{1,2})(?:/(\d{1,2})/(\d{4}|\d{2})|([-.])(\d{1,2})\4(\d{4}))(?!\d)")
_DAY_MONTH = late(
    rf"(\d{{1,2}})(?:st|nd|rd|th)?(?: of)?[ -]({_MONTH})\b(?:\.?,?[ -](\d{{4}}|['’]\d{{2}})(?!\d))?"
)
_MONTH_DAY = late(
    rf"({_MONTH})\b\.?(?: (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%])(?:,? (?P<y1>\d{{4}})(?!\d))?"
    r"|,? (?P<y2>\d{4})(?!\d))"
)
_HAN_DATE = late(
    rf"({_NUMERAL})\s?年(?:\s?({_NUMERAL})\s?月(?:份|\s?({_NUMERAL})\s?[日号號])?)?"
    rf"|({_NUMERAL})\s?月(?:份|\s?({_NUMERAL})\s?[日号號])?"
)
_CLOCK = late(
    r"(\d{1,2}):(\d{2})(?::\d{2})?(?![\d:])(?:\s?([AaPp])\.?[Mm]\b\.?)?"
    r"|(\d{1,2})\.(\d{2})\s?([AaPp])\.?[Mm]\b\.?"  # 5.30 p.m.
)
_HOUR = late(r"(\d{1,2})\s?([AaPp])\.?[Mm]\b\.?")
_HAN_CLOCK = late(
    rf"({_NUMERAL})\s?(?:[点點](?![{HAN_NUMERALS}](?![{HAN_NUMERALS}]|[分刻]))|时(?![间候代常期段速]))"
    rf"(?:(半)|(一刻)|(三刻)|({_NUMERAL})\s?分?|[钟整])?"
)
# Nearly no number goes on like this, and then it is neither a date nor a time.
_MAY_BE = late(
    rf"{_NUMERAL}(?:[-/.:]\d|\s?[年月点點时]|(?:st|nd|rd|th)?(?: of)?[ -][A-Z]|\s?[AaPp]\.?[Mm])"
)
_AFTER_NOON = late(r"(?:(下午|晚上?|傍晚|夜间|夜里|午后|pm)|(上午|早上?|凌晨|清晨)|(中午))\s?$")


def month_first(text: str, at: int) -> Figure | None:
    """Return the date that begins with an English month's name here."""
    match = _MONTH_DAY.match(text, at)
    if match is None:
        return None
    month = _MONTHS[match.group(1).lower()]
    year = match.group("y1") or match.group("y2")
    day = match.group("day")
    return _date(match, [(_int(year), month, _int(day))])


def moment(text: str, at: int) -> Figure | None:
    """Return the date or time of day that begins here with a digit or a Chinese numeral."""
    if _MAY_BE.match(text, at) is None:
        return None
    if text[at].isascii():
        return _latin_date(text, at) or _han_date(text, at) or _clock(text, at)
    return _han_date(text, at) or _clock(text, at)


def _latin_date(text: str, at: int) -> Figure | None:
    if match := _YMD.match(text, at):
        return _date(match, [(int(match[1]), int(match[3]), int(match[4]))])
    if match := _DAY_MONTH.match(text, at):
        day = (_year(match[3]), _MONTHS[match[2].lower()], int(match[1]))
        return _date(match, [day])
    if match := _DMY.match(text, at):
        first, second = int(match[1]), int(match[2] or match[5])
        year = _year(match[3] or match[6])
        return _date(match, [(year, second, first), (year, first, second)])
    if match := _YM.match(text, at):
        return _date(match, [(int(match[1]), int(match[2]), None)])
    return None


def _han_date(text: str, at: int) -> Figure | None:
    match = _HAN_DATE.match(text, at)
    if match is None:
        return None
    year, month, day, month_alone, its_day = (_numeral(group) for group in match.groups())
    if month_alone is not None:
        return _date(match, [(None, month_alone, its_day)])
    if year is not None and match.end() - match.start(1) <= 4 and 50 <= year <= 99:
        return _short_year(text, match, year)
    if year is None or year < 1000 or year > 2999 or text[match.end() :].startswith("代", 0, 1):
        return None  # so many years, or a decade, not a year
    return _date(match, [(year, month, day)])


def _date(match: re.Match[str], days: list[Day]) -> Figure | None:
    days = [day for day in days if _exists(day)]
    if not days:
        return None
    keys: frozenset[Key] = frozenset(("date", day) for day in days)
    parts = tuple(_parts(days[0], match)) if len(days) == 1 else ()
    year, month, _ = days[0]
    return Figure(
        text=match.group(),
        start=match.start(),
        end=match.end(),
        kind="date",
        value=days[0],
        unit="date",
        keys=keys,
        numbers=(year,) if year and not month else (),
        parts=parts,
    )


def _exists(day: Day) -> bool:
    _, month, of_month = day
    return (month is None or 1 <= month <= 12) and (of_month is None or 1 <= of_month <= 31)


def _parts(day: Day, match: re.Match[str]) -> Iterator[Figure]:
    """Yield a date's year and the rest of it, which may stand in different places."""
    year, month, of_month = day
    if year is None or month is None:
        return
    for part in ((year, None, None), (None, month, of_month)):
        numbers = (year,) if part[0] else ()
        keys: frozenset[Key] = frozenset({("date", part)})
        yield Figure(match.group(), match.start(), match.end(), "date", part, "date", keys, numbers)


def _short_year(text: str, match: re.Match[str], year: int) -> Figure | None:
    """Read 97年 as the year 1997 or as 97 years."""
    whole = _date(match, [(1900 + year, None, None)])
    if whole is None or not match[1].isascii():
        return None
    keys = whole.keys | {("months", 12 * year)}
    return replace(whole, keys=keys, numbers=(year, 1900 + year))


def _year(digits: str | None) -> int | None:
    """Return a year of four digits, or of two."""
    if digits is None:
        return None
    year = int(digits.lstrip("'’"))
    return year if year > 99 else year + (2000 if year < 70 else 1900)


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _numeral(written: str | None) -> int | None:
    if written is None:
        return None
    return int(written) if written[0].isascii() else han_number(written)


def _clock(text: str, at: int) -> Figure | None:
    if match := _CLOCK.match(text, at):
        hours, minutes = match[1] or match[4], match[2] or match[5]
        half = (match[3] or match[6] or "").lower()
        return _time(match, int(hours), int(minutes), half, padded=hours[0] == "0")
    if match := _HOUR.match(text, at):
        return _time(match, int(match[1]), 0, match[2].lower())
    if match := _HAN_CLOCK.match(text, at):
        hour, minute = _numeral(match[1]), _numeral(match[5])
        minute = 30 if match[2] else 15 if match[3] else 45 if match[4] else minute or 0
        before = _AFTER_NOON.search(text, max(0, at - 4), at)
        half = "" if before is None else "p" if before[1] else "a" if before[2] else "n"
        return None if hour is None else _time(match, hour, minute, half)
    return None


def _time(
    match: re.Match[str], hour: int, minute: int, half: str, *, padded: bool = False
) -> Figure | None:
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12 and half != "n"):
        return None
    at = hour * 60 + minute
    if half in ("a", "p"):
        at = at % 720 + (720 if half == "p" else 0)
    either = not half and not padded and hour <= 12
    keys: frozenset[Key] = frozenset(
        ("time of day", each % 1440) for each in ((at, at + 720) if either else (at,))
    )
    return Figure(
        text=match.group(),
        start=match.start(),
        end=match.end(),
        kind="time",
        value=at,
        unit="time of day",
        keys=keys,
        numbers=(hour,) if minute == 0 else (),
    )
