"""OData filters built from values: nothing that a value holds can leave its literal.

>>> equals("author", "O'Brien")
"author eq 'O''Brien'"
>>> one_of("author", ["O'Brien", "d'Arc"])
"search.in(author, 'O''Brien,d''Arc', ',')"

Source: https://learn.microsoft.com/azure/search/search-query-odata-filter
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import combinations
from typing import Any

from ragqa.errors import ConfigError

Value = str | bool | int | float | date | None

_FEW = 3  # of their subsets each may be tried, at a request each
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*)*")
_SEPARATORS = (",", "|", ";", "\t", "\x1f", "~", "^")


def literal(value: Value) -> str:
    """Return a value as an OData literal.

    Raises:
        ConfigError: If no literal can hold it.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{_text(value)}'"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if isinstance(value, date):
        return moment_text(value)
    raise ConfigError(
        f"A filter cannot hold a value of the type {type(value).__name__}.",
        hint="Use text, numbers, true, false, dates or null.",
    )


def _text(value: str) -> str:
    if any(0xD800 <= ord(char) <= 0xDFFF for char in value):
        raise ConfigError("A filter's text holds half of a character (a lone surrogate).")
    return value.replace("'", "''")


def moment_text(value: date) -> str:
    """Return a date or a time as the service writes it, in UTC."""
    moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def field_name(name: str) -> str:
    """Return a field's name if it is one; text is never taken for an expression.

    Raises:
        ConfigError: If no field can bear that name.
    """
    if not _FIELD.fullmatch(name):
        raise ConfigError(f"{name!r} is no name of a field.", hint="Check the filter's keys.")
    return name


def equals(field: str, value: Value) -> str:
    """Return the filter for one value of a field."""
    return f"{field_name(field)} eq {literal(value)}"


def one_of(field: str, values: Sequence[Value]) -> str:
    """Return the filter for any of some values; an empty list fits nothing.

    Texts go through ``search.in``, which has no limit of clauses, behind a separator that stands
    in none of them.
    """
    field = field_name(field)
    if not values:
        return "false"
    if all(isinstance(value, str) for value in values):
        return search_in(field, [str(value) for value in values])
    return "(" + " or ".join(equals(field, value) for value in values) + ")"


def search_in(variable: str, texts: Sequence[str]) -> str:
    """Return ``search.in`` for texts, with a separator that stands in none of them.

    Raises:
        ConfigError: If every separator stands in one of them.
    """
    separator = next(
        (mark for mark in _SEPARATORS if not any(mark in text for text in texts)), None
    )
    if separator is None:
        raise ConfigError("A filter's values use up every separator.", hint="Use fewer values.")
    # search.in takes an empty list item for no item: an empty text needs a comparison.
    filled = [_text(text) for text in texts if text]
    clauses = [f"{variable} eq ''"] if "" in texts else []
    if filled:
        clauses.insert(0, f"search.in({variable}, '{separator.join(filled)}', '{separator}')")
    return clauses[0] if len(clauses) == 1 else f"({' or '.join(clauses)})"


def any_of(field: str, texts: Sequence[str]) -> str:
    """Return the filter for a collection of texts that holds any of these."""
    return f"{field_name(field)}/any(g: {search_in('g', texts)})"


def matching(conditions: Mapping[str, Any], collections: Collection[str] = ()) -> list[str]:
    """Return a filter for each condition: a value, or a list of which any fits.

    Args:
        conditions: Values by field.
        collections: The fields among them that hold several values, of which one must fit.
    """
    return [
        f"{field_name(field)}/any(g: {_fits('g', wanted)})"
        if field in collections
        else _fits(field, wanted)
        for field, wanted in conditions.items()
    ]


def _fits(variable: str, wanted: Any) -> str:
    return one_of(variable, tuple(wanted)) if _is_list(wanted) else equals(variable, wanted)


def choices(fields: Iterable[str]) -> list[tuple[str, ...]]:
    """Return which of some fields may be collections, the fewest first.

    >>> choices(["tags", "year"])
    [('tags',), ('year',), ('tags', 'year')]
    """
    named = tuple(fields)
    sizes = range(1, len(named) + 1) if len(named) <= _FEW else (1, len(named))
    return [one for size in sizes for one in combinations(named, size)]


def as_given(value: Value) -> Value:
    """Return a filter's value as it is."""
    return value


def as_text(value: Value) -> Value:
    """Return a number, true or false as text, as an index of ours keeps them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else value


def as_meant(value: Value) -> Value:
    """Return text that reads as a number, a date, true or false as just that: settings give text.

    >>> as_meant("2024"), as_meant("True"), as_meant("2024-05-01")
    (2024, True, datetime.datetime(2024, 5, 1, 0, 0))
    """
    if not isinstance(value, str):
        return value
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    for read in _READINGS:
        try:
            meant = read(value)
        except ValueError:
            continue
        if not isinstance(meant, float) or math.isfinite(meant):  # a name may be "Infinity"
            return meant
    return value


_READINGS: tuple[Callable[[str], Value], ...] = (int, float, datetime.fromisoformat)


FORMS = (as_given, as_text, as_meant)
"""The ways to write a filter's values: which one fits, the types of an index's fields decide."""


def formed(conditions: Mapping[str, Any], form: Callable[[Value], Value]) -> dict[str, Any]:
    """Return conditions with their values written another way."""
    return {
        field: [form(value) for value in wanted] if _is_list(wanted) else form(wanted)
        for field, wanted in conditions.items()
    }


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def all_of(filters: Iterable[str | None]) -> str | None:
    """Join filters that must all hold; None if there is none."""
    parts = [part for part in filters if part]
    if len(parts) < 2:
        return parts[0] if parts else None
    return " and ".join(f"({part})" for part in parts)
