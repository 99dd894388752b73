"""Tell raw search results from an answer."""

from __future__ import annotations

from typing import Any, Final

_TELLTALE: Final = ("@search.", "@odata.", "search.score", "search.rerankerScore")
_ROW: Final = frozenset(
    {
        "content",
        "source",
        "score",
        "title",
        "chunk",
        "chunk_id",
        "page_content",
        "metadata",
        "snippet",
        "highlights",
        "captions",
        "text",
        "url",
        "path",
        "document",
        "document_id",
        "sourcepage",
        "sourcefile",
        "_score",
        "_source",
        "_id",
        "reranker_score",
        "similarity",
        "distance",
    }
)
"""Keys of the rows that search services, vector stores and loaders return."""
_LISTS: Final = ("value", "results", "documents", "hits", "matches", "passages", "items", "data")


def is_search_output(value: Any) -> bool:
    """Tell whether a JSON value looks like what a search returned: rows, or an envelope of rows."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, dict) and _is_row(item) for item in value[:20])
    if not isinstance(value, dict):
        return False
    return _is_row(value) or any(is_search_output(value.get(key)) for key in _LISTS)


def _is_row(row: dict[str, Any]) -> bool:
    if any(key.startswith(_TELLTALE) for key in row):
        return True
    return len(_ROW.intersection(row)) >= 2
