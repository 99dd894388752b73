"""Documents of other programs, read as passages whatever their metadata look like."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ragqa.contract import EVERYONE, Passage
from ragqa.retrieval.analysis import well_formed

if TYPE_CHECKING:
    from langchain_core.documents import Document

_TITLE_KEYS = ("title", "file_name", "filename", "name", "source", "file_path", "path", "url")
_ID_KEYS = ("id", "doc_id", "document_id", "source", "file_path", "path", "url")
_PATH_KEYS = ("path", "file_path", "source", "url")
_PAGE_KEYS = ("page_label", "page", "page_number")  # page counts from 0 where there is a label
_SCORE_KEYS = ("score", "relevance_score")


def as_passage(document: Document) -> Passage:
    """Return a LangChain document as a passage, whatever its metadata looks like."""
    metadata = document.metadata
    source = _first(metadata, _ID_KEYS) or document.id or "unknown"
    score = next((s for key in _SCORE_KEYS if (s := number(metadata.get(key))) is not None), None)
    start = _whole(metadata.get("start", metadata.get("start_index"))) or 0
    return Passage(
        id=well_formed(source),
        title=well_formed(_title(metadata) or source),
        score=score or 0.0,
        score_kind=_score_kind(metadata, score),
        text=well_formed(document.page_content),
        chunk_id=document.id or f"{source}#{start}",
        path=_first(metadata, _PATH_KEYS) or None,
        page=next((p for key in _PAGE_KEYS if (p := _whole(metadata.get(key))) is not None), None),
        heading=str(metadata.get("heading") or ""),
        start=start,
        end=start + len(document.page_content),
        groups=_groups(metadata.get("groups")),
        metadata=dict(metadata),
    )


def _title(metadata: Mapping[str, Any]) -> str:
    for key in _TITLE_KEYS:
        if value := _first(metadata, (key,)):
            return value if key == "title" else PurePath(value.replace("\\", "/")).name or value
    return ""


def _first(metadata: Mapping[str, Any], keys: Sequence[str]) -> str:
    values = (metadata.get(key) for key in keys)
    return next((str(value) for value in values if value not in (None, "")), "")


def _score_kind(metadata: Mapping[str, Any], score: float | None) -> Any:
    kind = metadata.get("score_kind")
    kinds = ("bm25", "fused", "vector", "hybrid", "reranker", "keyword")
    return kind if score is not None and kind in kinds else "unknown"


def _groups(value: Any) -> tuple[str, ...]:
    if value is None:
        return (EVERYONE,)
    return (value,) if isinstance(value, str) else tuple(str(group) for group in value)


def fits(passage: Passage, conditions: Mapping[str, Any]) -> bool:
    """Tell whether the metadata of a passage are what a filter asks for."""
    known = {**passage.metadata, "title": passage.title, "id": passage.id, "path": passage.path}
    for field, wanted in conditions.items():
        accepted = wanted if isinstance(wanted, (list, tuple, set, frozenset)) else (wanted,)
        value = known.get(field)
        held = value if isinstance(value, (list, tuple)) else (value,)
        if not {str(item) for item in held} & {str(item) for item in accepted}:
            return False
    return True


def number(value: Any) -> float | None:
    """Return a finite number, or None where a value is none."""
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None


def _whole(value: Any) -> int | None:
    found = number(value)
    return int(found) if found is not None and found.is_integer() and found >= 0 else None
