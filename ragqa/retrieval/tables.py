"""Tables of an embedded index: the rows of its csv files, as far as a caller may see them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any

from ragqa.contract import Caller, Strategy
from ragqa.ports import StoredFile
from ragqa.retrieval import reading, records
from ragqa.retrieval.queries import Scope, of_kind, scopes, tagged
from ragqa.retrieval.records import StoredChunk
from ragqa.retrieval.text_index import View

SUFFIXES = frozenset({".csv", ".tsv"})
MAX_TABLES = 50
_Row = dict[str, Any]


def tables_in(
    view: View, caller: Caller, conditions: Mapping[str, Any]
) -> dict[str, Callable[[], list[_Row]]]:
    """Return the csv files of which the caller may see something, by title, read when wanted."""
    scope = scopes(view, caller, Strategy(filter=dict(conditions)))[0]
    found: dict[str, Callable[[], list[_Row]]] = {}
    for file in reading.files_in(view).values():
        if PurePath(file.path).suffix.lower() not in SUFFIXES or len(found) >= MAX_TABLES:
            continue
        if _chunks(view, file, scope, most=1):
            title = file.relative_path if file.title in found else file.title
            found[title] = _reader(view, file, scope)
    return found


def _reader(view: View, file: StoredFile, scope: Scope) -> Callable[[], list[_Row]]:
    return lambda: rows_of(_chunks(view, file, scope))


def _chunks(
    view: View, file: StoredFile, scope: Scope, most: int | None = None
) -> list[StoredChunk]:
    in_file = Scope(inside=(tagged("path", file.path),))
    query = scope.limit(in_file.limit(of_kind(records.CHUNK)))
    if most is not None:
        addresses = [address for _, address in view.hits(query, most)]
    else:
        addresses = view.all_hits(query)
    found = [records.stored_chunk(view.document(address)) for address in addresses]
    return sorted(found, key=lambda stored: stored.number)


def rows_of(chunks: Iterable[StoredChunk]) -> list[_Row]:
    """Return the rows that chunks of a table hold: a row that was cut into several counts once.

    Cells of prose, longer than what is kept to filter by, are left out.
    """
    rows: list[Mapping[str, Any]] = []
    whole, end = True, 0
    for stored in chunks:
        chunk = stored.chunk
        if (whole or chunk.start != end) and chunk.metadata:
            rows.append(chunk.metadata)
        whole, end = chunk.text.endswith("\n"), chunk.end
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]
