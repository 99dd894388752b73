"""Numbers written as words: English chains and Chinese numerals, as exact values."""

from __future__ import annotations

import re
from fractions import Fraction

from ragqa.grounding.figures.units import Number, plain
from ragqa.language.late import late


def _counted(words: str, values: range) -> dict[str, int]:
    return dict(zip(words.split(), values, strict=True))


_UNITS = _counted("zero one two three four five six seven eight nine ten", range(11)) | _counted(
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen", range(11, 20)
)
_TENS = _counted("twenty thirty forty fifty sixty seventy eighty ninety", range(20, 100, 10))
_BIG = {
    "hundred": 100,
    "dozen": 12,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fourths": 4,
    "fifth": 5,
    "fifths": 5,
    "sixths": 6,
    "sevenths": 7,
    "eighth": 8,
    "eighths": 8,
    "tenth": 10,
    "tenths": 10,
    "hundredths": 100,
}
_ORDINALS = _counted(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    range(1, 21),
) | {"thirtieth": 30}
_SMALL = _UNITS | _TENS

NUMBER_WORDS = frozenset(_SMALL) | frozenset(_BIG) | {"half"}
ORDINAL_WORDS = frozenset(_ORDINALS)


def ordinal_word(word: str) -> int:
    """Return the value of a lower-case ordinal word."""
    return _ORDINALS[word]


_WORD = "|".join(sorted((*_SMALL, *_BIG), key=len, reverse=True))
_DIGIT = "zero|one|two|three|four|five|six|seven|eight|nine"
_PART = "|".join(sorted(_PARTS, key=len, reverse=True))
_CHAIN = late(
    rf"(?:(?:{_WORD})\b(?:(?:[\s-]|\sand\s)(?={_WORD})|)){{1,12}}"
    rf"(?P<point>\spoint(?:\s(?:{_DIGIT})\b){{1,9}})?"
    rf"(?P<half>\sand\sa\shalf\b)?(?P<part>[\s-](?:{_PART})\b)?",
    re.IGNORECASE,
)
_HALF = late(r"half[\s-](?:an?\s)?(?=[a-z])|half\b", re.IGNORECASE)
_SPLIT = late(r"[a-z]+")


def english_number(text: str, at: int) -> tuple[Number | None, int]:
    """Return the value of the number words that begin here, and where they end.

    None where the words make no number ("one two three").

    >>> english_number("two hundred and five days", 0)
    (205, 20)
    >>> english_number("nineteen ninety-seven", 0)
    (1997, 21)
    """
    match = _CHAIN.match(text, at)
    if match is None:
        half = _HALF.match(text, at)
        return (Fraction(1, 2), half.end()) if half else (None, at)
    tails = (match.start(name) for name in ("point", "half", "part") if match.group(name))
    end = min(tails, default=match.end())
    value = _value([word for word in _SPLIT.findall(text[at:end].lower()) if word != "and"])
    if value is None:
        return None, end
    if match.group("point"):
        decimals = "".join(str(_UNITS[word]) for word in _SPLIT.findall(match["point"].lower())[1:])
        return plain(value + Fraction(int(decimals), 10 ** len(decimals))), match.end("point")
    if match.group("half"):
        return plain(value + Fraction(1, 2)), match.end("half")
    if match.group("part") and value < 20:
        denominator = _PARTS[match.group("part").strip(" -\t\n").lower()]
        if denominator > value or value == 1:
            return Fraction(value, denominator), match.end()
    return value, len(text[:end].rstrip(" -,"))


def _value(words: list[str]) -> Number | None:
    """Return what a chain of number words says."""
    total, group, last = 0, 0, 10**15
    for word in words:
        if word in ("hundred", "dozen"):
            group, last = (group or 1) * _BIG[word], _BIG[word]
        elif word in _BIG:
            total, group, last = total + (group or 1) * _BIG[word], 0, 10**15
        elif _fits(value := _SMALL[word], last):
            group, last = group + value, value
        else:
            return _year(words)
    return total + group


def _fits(value: int, last: int) -> bool:
    """Tell whether a word may follow: five behind twenty or hundred, not behind five."""
    return value < last and (last >= 100 or (last in _TENS.values() and value < 10))


def _year(words: list[str]) -> int | None:
    """Read the two halves of a year: nineteen ninety-seven, twenty twenty-four."""
    values = [_SMALL.get(word, 0) for word in words]
    if len(values) not in (2, 3) or not 10 <= values[0] <= 20 or values[1] < 10:
        return None
    if len(values) == 3 and not (values[1] in _TENS.values() and 0 < values[2] < 10):
        return None
    return values[0] * 100 + sum(values[1:])


_DIGITS = (
    dict(zip("〇零一二三四五六七八九", (0, 0, *range(1, 10)), strict=True))
    | dict(zip("壹贰叁肆伍陆柒捌玖貳參陸", (1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 6), strict=True))
    | {"两": 2, "兩": 2}
)
_STEPS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_TIED = {"廿": "二十", "卅": "三十"}

HAN_NUMERALS = "".join((*_DIGITS, *_STEPS, *_MYRIADS, *_TIED))
HAN_SCALES = "".join((*_STEPS, *_MYRIADS))
MAX_NUMERALS = 24
"""A longer run is no number."""


def han_scale(run: str) -> int:
    """Return what a run of 十百千万亿 behind digits multiplies them by."""
    product = 1
    for char in run:
        product *= _STEPS.get(char) or _MYRIADS[char]
    return product


def is_digit_row(run: str) -> bool:
    """Tell whether numerals are written digit by digit, as in 二〇一四."""
    return all(char in _DIGITS for char in run)


def han_number(run: str) -> int | None:
    """Return the value of Chinese numerals; None where they make no number.

    >>> han_number("一万二千"), han_number("一万二"), han_number("二〇一四"), han_number("千万")
    (12000, 12000, 2014, None)
    """
    if not run or len(run) > MAX_NUMERALS:
        return None
    for short, long in _TIED.items():
        run = run.replace(short, long)
    if is_digit_row(run):
        return int("".join(str(_DIGITS[char]) for char in run))
    if run[0] in _MYRIADS or run[0] in "百千佰仟":
        return None
    return _grouped(run)


def _grouped(run: str) -> int | None:
    """Add up 亿 over 万 over 千, 百 and 十."""
    high = low = group = 0
    digit, last = -1, 0
    for char in run:
        if char in _DIGITS:
            if digit > 0:
                return None
            digit = _DIGITS[char]
            continue
        if char in _STEPS:
            last = _STEPS[char]
            group += (1 if digit < 0 else digit) * last
        else:
            last, amount = _MYRIADS[char], group + max(digit, 0)
            if last == 10**4:
                low, group = low + amount * last, 0
            else:
                high, low, group = high + (low + amount) * last, 0, 0
        digit = -1
    if digit > 0 and last > 10 and run[-2] not in "零〇":
        digit *= last // 10  # 一万二 is 12,000 and 三百五 is 350
    return high + low + group + max(digit, 0)
