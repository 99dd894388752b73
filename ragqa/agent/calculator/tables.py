"""Tables for calculations: typed columns, shown to the model before it uses them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from ragqa.errors import RagqaError
from ragqa.ports.tables import ReadRows, Rows

MAX_ROWS = 20_000
_MAX_COLUMNS = 60
_MAX_LISTED_CHARS = 3000
_INT = re.compile(r"[-+]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})")
_FLOAT = re.compile(r"[-+]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,15})?(?:[eE][-+]?\d{1,2})?")
_LEADING_ZERO = re.compile(r"[-+]?0\d")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

Kind = Literal["int", "float", "date text", "text"]


class CalculationTables:
    """The tables that programs of one run may use, read and typed once.

    Args:
        tables: Rows by title, or what reads them when they are wanted.

    Attributes:
        description: What a model is told of them, where that is known already.
    """

    def __init__(self, tables: Mapping[str, Rows | ReadRows] | None = None) -> None:
        self._tables = dict(tables or {})
        self.description: str | None = None
        self._rows: dict[str, list[dict[str, Any]]] = {}

    def __bool__(self) -> bool:
        return bool(self._tables)

    def rows(self, name: Any = None, *_: Any, **__: Any) -> list[dict[str, Any]]:
        """Return the rows of a table, numbers as numbers.

        Raises:
            KeyError: If there is no such table.
            ValueError: If it is too long, or cannot be read.
        """
        if not isinstance(name, str) or name not in self._tables:
            known = ", ".join(map(repr, self._tables)) or "none"
            raise KeyError(f"there is no table {str(name)[:80]!r}; there are: {known}")
        if name not in self._rows:
            self._rows[name] = typed_rows(self._read(name))
        return self._rows[name]

    def _read(self, name: str) -> Rows:
        held = self._tables[name]
        try:
            rows = held() if callable(held) else held
        except RagqaError as exc:
            raise ValueError(f"the table {name!r} cannot be read: {exc.message}") from exc
        if len(rows) > MAX_ROWS:
            raise ValueError(f"the table {name!r} has {len(rows)} rows; {MAX_ROWS} are allowed")
        return rows

    def described(self) -> str:
        """Return a line a table: its title, number of rows, and columns with their types."""
        if self.description is not None:
            return self.description
        lines: list[str] = []
        for name in self._tables:
            try:
                lines.append(f"{name!r}: {_described(self.rows(name))}")
            except ValueError as exc:
                lines.append(str(exc))
            if sum(map(len, lines)) > _MAX_LISTED_CHARS:
                lines.append(f"and {len(self._tables) - len(lines)} more")
                break
        return "\n".join(lines)


def _described(rows: Sequence[Mapping[str, Any]]) -> str:
    names = list(rows[0]) if rows else []
    told = [f"{name!r} {_kind_of(row.get(name) for row in rows)}" for name in names[:_MAX_COLUMNS]]
    more = [f"and {len(names) - _MAX_COLUMNS} more"] if len(names) > _MAX_COLUMNS else []
    return f"{len(rows)} rows; columns: {', '.join(told + more)}"


def _kind_of(values: Iterable[Any]) -> Kind:
    held = [value for value in values if value is not None]
    if held and all(isinstance(value, int) and not isinstance(value, bool) for value in held):
        return "int"
    if held and all(isinstance(value, int | float) for value in held):
        return "float"
    dates = bool(held) and all(isinstance(v, str) and _DATE.fullmatch(v) for v in held)
    return "date text" if dates else "text"


def typed_rows(rows: Rows) -> list[dict[str, Any]]:
    """Return rows in which columns of numbers hold numbers, and empty cells None.

    A column is one of numbers if all of its cells are; one with leading zeros holds codes.

    >>> typed_rows([{"sku": "007", "sold": "1,200"}, {"sku": "010", "sold": ""}])
    [{'sku': '007', 'sold': 1200}, {'sku': '010', 'sold': None}]
    """
    names = [str(name) for name in dict.fromkeys(name for row in rows for name in row)]
    readers = {name: _reader([row.get(name) for row in rows]) for name in names}
    return [{name: readers[name](row.get(name)) for name in names} for row in rows]


def _reader(cells: Sequence[Any]) -> Callable[[Any], Any]:
    texts = [cell.strip() for cell in cells if isinstance(cell, str) and cell.strip()]
    if not texts or any(_LEADING_ZERO.match(text) for text in texts):
        return _plain
    if all(_INT.fullmatch(text) for text in texts):
        return lambda cell: _number(cell, int)
    if all(_FLOAT.fullmatch(text) for text in texts):
        return lambda cell: _number(cell, float)
    return _plain


def _number(cell: Any, kind: type[int] | type[float]) -> Any:
    if not isinstance(cell, str):
        return _plain(cell)
    return kind(cell.strip().replace(",", "")) if cell.strip() else None


def _plain(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell if cell.strip() else None
    return cell if cell is None or isinstance(cell, bool | int | float) else str(cell)
