"""Values of records and tables, as the fields of an index take them.

An index that others made may hold numbers, truth values, times or several texts where ours holds
text. What does not fit a field is left out: the service would refuse the whole document.
Source: https://learn.microsoft.com/rest/api/searchservice/supported-data-types
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from ragqa.retrieval.azure.definition import plain_text
from ragqa.retrieval.azure.odata import as_meant, moment_text

_TEXTS = "Collection(Edm.String)"


def field_value(value: Any, kind: str) -> Any:
    """Return a value as a field of that type takes it; None where it does not fit.

    >>> field_value("2024", "Edm.Int32"), field_value(2024, "Edm.String")
    (2024, '2024')
    """
    if kind == _TEXTS:
        return [text for item in _items(value) if (text := plain_text(item)) is not None] or None
    text = plain_text(value)
    if kind == "Edm.String":
        return text
    read = _READERS.get(kind)
    return read(as_meant(text)) if read and text is not None else None


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _whole(bits: int) -> Callable[[Any], int | None]:
    def read(value: Any) -> int | None:
        fits = isinstance(value, int) and not isinstance(value, bool)
        return value if fits and -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else None

    return read


def _number(value: Any) -> float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if fits and abs(value) < _LARGEST else None


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _moment(value: Any) -> str | None:
    return moment_text(value) if isinstance(value, datetime) else None


_LARGEST = 1e308
_READERS: dict[str, Callable[[Any], Any]] = {
    "Edm.Int32": _whole(32),
    "Edm.Int64": _whole(64),
    "Edm.Double": _number,
    "Edm.Boolean": _truth,
    "Edm.DateTimeOffset": _moment,
}
