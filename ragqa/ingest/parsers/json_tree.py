"""Reads JSON strictly, and makes lines that people can read of whatever tree it holds."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeGuard

from ragqa.ingest.tables import row_line

_PATH_MARK = " > "
_LONGEST_INTEGER = 4300  # digits that Python reads
_NAMING_KEYS = ("name", "title", "id", "名称", "标题", "编号")


def loads(text: str) -> Any:
    """Read JSON, and refuse what is none or could not be written again.

    Raises:
        ValueError: With a reason in plain words.
    """
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_decimal, parse_int=_whole
        )
        if "\\ud" in text or "\\uD" in text:  # half of a surrogate pair cannot be stored
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as exc:
        where = f"line {exc.lineno}, " if exc.lineno > 1 else ""
        raise ValueError(f"is not valid JSON ({exc.msg}, {where}column {exc.colno})") from exc
    except UnicodeEncodeError as exc:
        raise ValueError("holds half of a surrogate pair") from exc
    except RecursionError as exc:
        raise ValueError("is nested too deeply") from exc
    return value


class _Decimal(float):
    """A number that is shown as its file has it: 49.90 is not written 49.9."""

    _source: str

    def __new__(cls, source: str) -> _Decimal:
        value = super().__new__(cls, source)
        value._source = source
        return value

    def __str__(self) -> str:
        return self._source


def _decimal(source: str) -> _Decimal | str:
    value = _Decimal(source)
    return value if math.isfinite(value) else source


def _whole(source: str) -> int | str:
    return int(source) if len(source) <= _LONGEST_INTEGER else source


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"holds {name}, which is no JSON")


_Node = tuple[Any, tuple[str, ...], bool]


def readable_lines(value: Any) -> Iterator[str]:
    """Yield the leaves of a JSON value as ``path > key: value`` lines.

    An object of plain values in a list is a record and takes one line; a list of plain values is
    one value; any other object in a list goes by its name.

    >>> list(readable_lines({"lamp": {"watts": 8, "colours": ["black", "white"]}}))
    ['lamp > watts: 8', 'lamp > colours: black, white']
    >>> list(readable_lines([{"model": "L5", "price": 39}]))
    ['model: L5; price: 39']
    """
    pending: list[Iterator[_Node]] = [iter([(value, (), False)])]
    while pending:
        node, above, listed = next(pending[-1], (None, (), True))
        if node is None and listed:
            pending.pop()
        elif is_plain(node):
            if text := _plain(node):
                yield f"{_PATH_MARK.join(above)}: {text}" if above else text
        elif listed and is_record(node):
            if line := record_line(node):
                yield _PATH_MARK.join((*above, line))
        else:
            pending.append(_children(node, above, listed))


def _children(node: Any, above: tuple[str, ...], listed: bool) -> Iterator[_Node]:
    if isinstance(node, list):
        return ((child, above, True) for child in node if child is not None)
    name = next((_plain(node[key]) for key in _NAMING_KEYS if is_plain(node.get(key, {}))), "")
    path = (*above, name) if listed and name else above
    return ((child, (*path, str(key)), False) for key, child in node.items())


def record_line(record: Mapping[str, Any]) -> str:
    """Return an object of plain values as ``key: value; key: value``."""
    named = columns(record)
    return row_line(list(named), list(named.values()))


def columns(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a record as text."""
    return {str(key): _plain(value) for key, value in record.items()}


def is_record(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Tell whether a value is an object of plain values."""
    return isinstance(value, Mapping) and all(map(is_plain, value.values()))


def is_plain(value: Any) -> bool:
    """Tell whether a value is text, a number, a truth value, null or a list of such."""
    if isinstance(value, list):
        return not any(isinstance(item, list | Mapping) for item in value)
    return not isinstance(value, Mapping)


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(text for item in value if (text := _plain(item)))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())
