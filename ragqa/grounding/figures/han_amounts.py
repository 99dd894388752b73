"""Amounts written with Chinese numerals, told from the same characters inside other words."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from ragqa.grounding.figures.figure import Figure, measured, ordinal
from ragqa.grounding.figures.numerals import HAN_NUMERALS, han_number, is_digit_row
from ragqa.grounding.figures.units import Meanings, Number, Unit, half_behind, plain, unit_after
from ragqa.language.late import late
from ragqa.language.script import HAN

RUN = late(rf"[{HAN_NUMERALS}]+|半(?=个?(?:年|月|小时|钟头|天|升|斤|公斤|米))")

_POINT = late(r"[点點]([〇零一二三四五六七八九]+)(?!分)")
_FRACTION = late(rf"分之([{HAN_NUMERALS}]+(?:[点點][〇零一二三四五六七八九]+)?|\d+(?:\.\d+)?)")
_CLASSIFIER = late(
    r"[个個只次种種条位名人本张家座部项款层台件把支瓶盒包袋套双对颗粒枚根艘架辆列匹口间所场届期"
    r"门章节页行步档级倍类处面季段轮批句字篇首幅株棵栋艺]"
)
_TO = late(rf"[至到~—-](?=[\d{HAN_NUMERALS}])")
_WEEK = late(r"(?:[周週]|星期|[礼禮]拜)$")
_OF_DAY = late(
    rf"晚|[至到~—-](?:\d{{1,2}}\s?[点點时:：]|[一二三四五六日](?![{HAN_NUMERALS}次天日个個小回片遍到至]))"
)
# 一天三次 says how often, and of no one day.
_PER = late(
    rf"(?:[最至][多少]|不?(?:得|要|能|可)?超过|[可应服])?[\d{HAN_NUMERALS}]{{1,3}}\s?[次片粒回遍杯顿餐]"
)
_EXTRA = frozenset("多余來来餘")
_DETERMINERS = frozenset("这這那哪每某同另前后後有第任唯之统專专单單万萬")
# 签收后一年 and 提前一天 count from a moment; 后一年, 最后一年 and 的后一年 point at one.
_COUNTS_FROM = late(rf"(?:(?![最的在从與与和])[{HAN}][后後]|提前)$")
_IDIOMS = late(
    r"一(?:年一度|天到晚|日三餐|年四季|年到头|时|点|些|下|样|般|起|直|定|旦|律|向|度|分)"
)
_APPROXIMATE = late(r"[一二两三四五六七八][二两三四五六七八九]$")
_VAGUE = frozenset("几幾数數好近上")
_FEW = frozenset("几幾")
_NO_HALF = frozenset(HAN_NUMERALS + "个個大小上下")
_POINTING = frozenset("这這那哪前后後")
_ENDS = frozenset("。，,.；;！!？?）)\n")


def han_amount(text: str, start: int, end: int) -> Figure | None:
    """Return the figure that a run of Chinese numerals is; None where it is part of a word."""
    run = text[start:end]
    if run == "半":
        return _half(text, start, end)
    if found := _FRACTION.match(text, end):
        return _share(text, start, found, run)
    is_none = _is_vague(text, start, end) or _is_weekday(text, start, end)
    value = None if is_none else han_number(run)
    if value is None:
        return None
    if text[start - 1 : start] == "第":
        return ordinal(text, (start - 1, end), value, loose=value < 4)
    number: Number = value
    if (point := _POINT.match(text, end)) and not _is_clock(text, point):
        number, end = Fraction(f"{value}.{han_digits(point[1])}"), point.end()
    return _counted(text, start, end, run, plain(number))


def _is_vague(text: str, start: int, end: int) -> bool:
    """Tell whether a number only says about how many: 几十, 数百, 十几."""
    return text[start - 1 : start] in _VAGUE or text[end : end + 1] in _FEW


def _is_weekday(text: str, start: int, end: int) -> bool:
    """Tell whether 六 names a day: 周六晚8点, 周六到14点; 每周三到五次 counts."""
    day = end - start == 1 and _WEEK.search(text, max(0, start - 2), start)
    return bool(day) and _OF_DAY.match(text, end) is not None


def han_digits(row: str) -> str:
    """Return digits for a row of Chinese ones, as behind a decimal point."""
    return "".join(str(han_number(char)) for char in row)


def _is_clock(text: str, point: re.Match[str]) -> bool:
    return text[point.end() : point.end() + 1] in {"分", "十"}


def _half(text: str, start: int, end: int) -> Figure | None:
    if text[start - 1 : start] in _NO_HALF:
        return None
    at = end + 1 if text.startswith("个小", end) or text.startswith("个钟", end) else end
    meanings, stop = unit_after(text, at)
    return measured(text, (start, stop), (Fraction(1, 2),), meanings) if meanings else None


def _share(text: str, start: int, found: re.Match[str], whole: str) -> Figure | None:
    """Read 百分之五 and 三分之二."""
    written, _, decimals = found[1].replace("點", "点").partition("点")
    top: Number | None = Fraction(written) if written[0].isascii() else han_number(written)
    bottom = {"百": 100, "千": 1000}.get(whole) or han_number(whole)
    if top is None or not bottom:
        return None
    if decimals:
        top = Fraction(f"{top}.{han_digits(decimals)}")
    if bottom in (100, 1000):
        unit = Unit("percent", Fraction(1, bottom))
        return measured(text, (start, found.end()), (plain(top),), (unit,))
    return measured(text, (start, found.end()), (plain(Fraction(top, bottom)),))


def _counted(text: str, start: int, end: int, run: str, number: Number) -> Figure | None:
    """Read a number with what it counts: a unit, a discount, a classifier or nothing."""
    at = end + 1 if text[end : end + 1] in _EXTRA else end
    more, at = (Fraction(1, 2), at + 2) if text.startswith("个半", at) else (0, at)
    meanings, stop = _unit_behind(text, at, half=bool(more))
    if meanings and half_behind(text, stop) and not more:
        more, stop = Fraction(1, 2), stop + 1
    if run == "一" and not more and _is_part_of_word(text, start, meanings):
        return None
    if meanings:
        figure = _spread(text, start, stop, run, plain(number + more), meanings)
        return replace(figure, loose=True) if run == "一" and _PER.match(text, stop) else figure
    return _classified(text, start, at, run, number)


def _unit_behind(text: str, at: int, *, half: bool) -> tuple[Meanings, int]:
    if half and text[at : at + 1] == "月":
        return unit_after("个月", 0)[0], at + 1
    return unit_after(text, at)


def _is_part_of_word(text: str, start: int, meanings: Meanings) -> bool:
    """Tell whether 一 is no count: 每一年, 有一天, 一些, 一年一度."""
    if _IDIOMS.match(text, start):
        return True
    if start > 0 and text[start - 1] in _DETERMINERS:
        return not meanings or not _COUNTS_FROM.search(text[max(0, start - 2) : start])
    return not meanings and not _CLASSIFIER.match(text, start + 1)


def _spread(
    text: str, start: int, end: int, run: str, number: Number, meanings: Meanings
) -> Figure:
    """Read 三四天 as three to four days, which is no exact claim; other numbers as they are."""
    if len(run) == 2 and _APPROXIMATE.match(run) and text[start + 2] != "折":
        both = tuple(han_number(char) or 0 for char in run)
        return measured(text, (start, end), both, meanings, loose=True)
    return measured(text, (start, end), (number,), meanings)


def _classified(text: str, start: int, end: int, run: str, number: Number) -> Figure | None:
    if (classified := _CLASSIFIER.match(text, end)) is not None:
        said = _ends_clause(text, classified.end()) and text[start - 1 : start] not in _POINTING
        loose = number == 1 or (number <= 10 and not said)
        return measured(text, (start, end), (number,), loose=loose)
    if _TO.match(text, end):
        return measured(text, (start, end), (number,))
    if len(run) == 1 or (is_digit_row(run) and len(run) == 2):
        return None  # 三星, 五一: a name or a day, not a count
    counts = number >= 100 or text.startswith("世纪", end) or _ends_clause(text, end)
    return measured(text, (start, end), (number,), loose=not counts)


def _ends_clause(text: str, at: int) -> bool:
    """Tell whether nothing follows that is counted, so that the number itself is what is said."""
    return text[at : at + 1] in _ENDS or at >= len(text)
