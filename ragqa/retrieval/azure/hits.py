"""From a search hit to a passage: whatever fields an index has, and whatever is missing.

Scores of different kinds are never compared: ``keyword`` is BM25 without an upper end, ``vector``
between 0.33 and 1, ``hybrid`` a few hundredths, ``reranker`` from 0 to 4.
Source: https://learn.microsoft.com/azure/search/hybrid-search-ranking
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ragqa.contract import EVERYONE, Passage, ScoreKind
from ragqa.retrieval.azure.fields import FieldNames, Place, place_of

Hit = Mapping[str, Any]

_SCORE, _RERANKER_SCORE = "@search.score", "@search.reranker_score"
_TITLES = ("title", "source", "file_name", "filename", "name")


def passage_of(hit: Hit, fields: FieldNames, kind: ScoreKind) -> Passage:
    """Return a hit as a passage; missing fields and scores are tolerated.

    Args:
        hit: A document with ``@search.…`` beside its fields.
        fields: What the fields are called.
        kind: What kind of score this search gives, where there is no reranker's.
    """
    key = str(hit.get(fields.id) or "")
    place = place_of(key)
    metadata = _metadata(hit, fields)
    text = _text(_value(hit, fields.content), "\n")
    path = _text_or_none(_value(hit, fields.path)) or _text_or_none(metadata.get("path"))
    page = _page(_value(hit, fields.page), metadata.get("page"))
    reranked = hit.get(_RERANKER_SCORE)
    start = place.start if place else 0
    return Passage(
        id=_document_id(place, metadata, key),
        title=_title(hit, metadata, fields, key),
        text=text,
        score=_score(reranked, hit.get(_SCORE)),
        score_kind=kind if reranked is None else "reranker",
        chunk_id=key,
        path=path,
        page=page,
        heading=place.heading if place else str(metadata.get("heading") or ""),
        start=start,
        end=start + len(text),
        groups=_groups(hit, fields),
        highlight=_caption(hit),
        metadata=metadata,
    )


def _value(hit: Hit, name: str | None) -> Any:
    """Return a field's value; ``Page/Text`` is a field inside a complex one."""
    value: Any = None if name is None else hit
    for part in name.split("/") if name else ():
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _document_id(place: Place | None, metadata: Mapping[str, Any], key: str) -> str:
    if place is not None:
        return place.doc_id
    return str(metadata.get("id") or key)


def _title(hit: Hit, metadata: Mapping[str, Any], fields: FieldNames, key: str) -> str:
    named = _value(hit, fields.title)
    found = named or next((metadata[name] for name in _TITLES if metadata.get(name)), None)
    return _text(found, ", ") or key


def _metadata(hit: Hit, fields: FieldNames) -> dict[str, Any]:
    """Return the other plain fields; a field ``metadata`` may hold more of them as JSON."""
    names = (fields.id, fields.title, fields.content, fields.vector, fields.path, fields.page)
    known = {name.partition("/")[0] for name in names if name}
    plain = {
        name: value
        for name, value in hit.items()
        if name not in known
        and name != fields.groups
        and not name.startswith("@")
        and name not in ("metadata", fields.metadata)
        and value not in (None, "", [])
        and not _is_vector(value)
    }
    return {**_inner_metadata(hit.get(fields.metadata or "metadata")), **plain}


def _inner_metadata(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"metadata": value} if value else {}
    if not isinstance(value, Mapping):
        return {}
    return {str(name): inner for name, inner in value.items() if not _is_vector(inner)}


def _is_vector(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 8
        and all(isinstance(number, int | float) for number in value)
    )


def _page(*values: Any) -> int | None:
    for value in values:
        text = str(value).strip().removesuffix(".0") if isinstance(value, int | float | str) else ""
        if text.isdecimal():
            return int(text) or None
    return None


def _score(*values: Any) -> float:
    """Return the first score that there is; a service may leave one out."""
    for value in values:
        try:
            return float(value)
        except (TypeError, ValueError):
            continue
    return 0.0


def _groups(hit: Hit, fields: FieldNames) -> tuple[str, ...]:
    """Return who may see a hit; a hit whose groups are unknown is shown to nobody."""
    if fields.groups is None:
        return (EVERYONE,)
    groups = _value(hit, fields.groups)
    return tuple(map(str, groups)) if isinstance(groups, list) else ()


def _caption(hit: Hit) -> str | None:
    captions = hit.get("@search.captions") or ()
    for caption in captions:
        text = caption.get("text") if isinstance(caption, Mapping) else getattr(caption, "text", "")
        if text:
            return str(text)
    return None


def _text(value: Any, separator: str) -> str:
    """Return a field's text; a collection's texts are joined."""
    if isinstance(value, list):
        return separator.join(str(item) for item in value if item)
    return str(value or "")


def _text_or_none(value: Any) -> str | None:
    return _text(value, "/") or None
