"""What a calculation gave, as one bounded text for the model and as evidence for the gates."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

MAX_CHARS = 4000
_MAX_ENTRIES = 200
_MAX_DEPTH = 6
_MAX_ROUNDED = 20


def result_text(printed: str, value: Any) -> str:
    """Return what a program printed and the value of its last line, bounded.

    Numbers with many decimals are followed by their rounded forms: an answer gives one of those,
    and its figures have to stand in what it rests on.
    """
    parts = [bounded(printed.strip())] if printed.strip() else []
    if value is not None:
        parts.append(f"result: {bounded(_shown(value, 0))}")
        if rounded := _rounded(value):
            parts.append(f"rounded: {rounded}")
    return "\n".join(parts) or "The program printed nothing. Print the figures that are wanted."


def bounded(text: str) -> str:
    """Return a text that is not longer than a result may be, and says so where it was cut."""
    if len(text) <= MAX_CHARS:
        return text
    return f"{text[:MAX_CHARS]}… ({len(text) - MAX_CHARS} more characters were left out)"


def _shown(value: Any, depth: int) -> str:
    """Return a value in plain notation; not repr, which a hostile value can make long or deep."""
    if isinstance(value, str):
        return value[: MAX_CHARS + 1]
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int):
        # Python refuses to write integers of more than 4,300 digits.
        return str(value) if value.bit_length() < 8000 else "a whole number of over 2,400 digits"
    if isinstance(value, float | Decimal | datetime.date | datetime.time | datetime.timedelta):
        return str(value)
    if isinstance(value, dict | list | tuple | set | frozenset):
        return _container(value, depth)
    return f"a value of type {type(value).__name__}"


def _container(value: Any, depth: int) -> str:
    if depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, dict):
        pairs = list(value.items())[:_MAX_ENTRIES]
        told = [f"{_shown(key, depth + 1)}: {_shown(each, depth + 1)}" for key, each in pairs]
    else:
        told = [_shown(each, depth + 1) for each in list(value)[:_MAX_ENTRIES]]
    more = len(value) - len(told)
    told += [f"and {more} more"] if more else []
    joined = ", ".join(told)
    if isinstance(value, dict):
        return f"{{{joined}}}"
    return f"[{joined}]" if isinstance(value, list) else f"({joined})"


def _rounded(value: Any) -> str:
    forms = dict.fromkeys(
        form for number in list(_numbers(value, 0))[:_MAX_ROUNDED] for form in _forms(number)
    )
    return ", ".join(forms)


def _numbers(value: Any, depth: int) -> Iterator[float | Decimal]:
    if isinstance(value, float | Decimal):
        if math.isfinite(value) and value != round(value, 1):
            yield value
    elif isinstance(value, dict) and depth < _MAX_DEPTH:
        for each in list(value.values())[:_MAX_ENTRIES]:
            yield from _numbers(each, depth + 1)
    elif isinstance(value, list | tuple) and depth < _MAX_DEPTH:
        for each in value[:_MAX_ENTRIES]:
            yield from _numbers(each, depth + 1)


def _forms(number: float | Decimal) -> Iterator[str]:
    """Yield a number with fewer decimals, and a share also in per cent."""
    for decimals in (4, 2, 1, 0):
        form = f"{number:.{decimals}f}"
        if float(form) != float(number) and float(form) != 0:
            yield form
    if 0 < abs(float(number)) < 1:
        for decimals in (2, 1, 0):
            yield f"{number * 100:.{decimals}f}%"
