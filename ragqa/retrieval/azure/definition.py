"""The definition of an index that ragqa makes at Azure AI Search.

Beside the fields that a search reads it has ``heading``, ``…_zh``, the text once more for the
service's Chinese analyser (a field has one analyser), ``…_words``, by which it ranks (see
``ragqa.retrieval.azure.words``), and ``ragqa_file``: what is known of a file, in the first of its
chunks. Keys of records and columns of tables become fields to filter by as they turn up. Older
indexes of ours, and foreign ones that get our fields, have no words.
Sources: https://learn.microsoft.com/rest/api/searchservice/indexes/create,
https://learn.microsoft.com/azure/search/index-add-scoring-profiles
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragqa.errors import ConfigError
from ragqa.retrieval.analysis import value_text
from ragqa.retrieval.azure import words
from ragqa.retrieval.azure.fields import FieldNames

FILE_FIELD = "ragqa_file"
HEADING_FIELD = "heading"
SEMANTIC_NAME = "ragqa"
MAX_METADATA_FIELDS = 200
"""An index may have 1,000 fields at most, 3,000 in the largest tiers; most people need ten.
Source: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity"""

_ENGLISH, _CHINESE = "en.lucene", "zh-Hans.lucene"
_PROFILE, _ALGORITHM = "ragqa-profile", "ragqa-hnsw"
_SCORING = "ragqa"
_MAX_VALUE_CHARS = 1000
_FIELD = re.compile(r"(?!azureSearch)[A-Za-z][A-Za-z0-9_]{0,127}")

Definition = dict[str, Any]


def definition_of(
    index: str,
    fields: FieldNames,
    *,
    dimensions: int | None = None,
    with_vectors: bool = False,
    semantic_config: str | None = None,
    metadata: Iterable[str] = (),
) -> Definition:
    """Return the definition of an index, as the service's REST interface takes it.

    Args:
        index: The index's name.
        fields: What its fields are called.
        dimensions: Length of the vectors; None where it is not known yet.
        with_vectors: Whether it has vectors.
        semantic_config: Name of its semantic configuration.
        metadata: Names of further fields to filter by.
    """
    with_vectors = with_vectors or dimensions is not None
    made: Definition = {
        "name": index,
        "fields": [
            *_newest_fields(fields),
            *([_vector_field(fields.vector, dimensions)] if with_vectors else []),
            *(metadata_field(name) for name in metadata),
        ],
        "semantic": {"configurations": [_semantic(semantic_config or SEMANTIC_NAME, fields)]},
        "scoringProfiles": [
            {
                "name": _SCORING,
                "text": {"weights": words.weights(fields, HEADING_FIELD, chinese_field(fields))},
            }
        ],
        "defaultScoringProfile": _SCORING,
        **words.analysis(),
    }
    if with_vectors:
        made["vectorSearch"] = {
            "algorithms": [
                {"name": _ALGORITHM, "kind": "hnsw", "hnswParameters": {"metric": "cosine"}}
            ],
            "profiles": [{"name": _PROFILE, "algorithm": _ALGORITHM}],
        }
    return made


def own_fields(definition: Definition, fields: FieldNames) -> list[Definition]:
    """Return the fields that an index has to have so that our documents fit into it."""
    return _newest_fields(fields) if has_words(definition, fields) else _plain_fields(fields)


def _newest_fields(fields: FieldNames) -> list[Definition]:
    return [*_plain_fields(fields), *(_words_field(name) for name in words_of(fields))]


def _words_field(name: str) -> Definition:
    field = _field(name, analyzer=words.WORDS, retrievable=False)
    del field["analyzer"]
    return {**field, "indexAnalyzer": words.WORDS, "searchAnalyzer": words.ASKED}


def _plain_fields(fields: FieldNames) -> list[Definition]:
    plain = [
        _field(fields.id, key=True, filterable=True, sortable=True),
        _field(fields.title or "title", analyzer=_ENGLISH, filterable=True),
        _field(fields.content, analyzer=_ENGLISH),
        _field(chinese_field(fields), analyzer=_CHINESE, retrievable=False),
        _field(HEADING_FIELD, analyzer=_ENGLISH, filterable=True),
        _field(fields.path or "path", filterable=True),
        _field(fields.page or "page", kind="Edm.Int32", filterable=True),
        _field(FILE_FIELD, filterable=True),
    ]
    if fields.groups is not None:
        plain.append(_field(fields.groups, kind="Collection(Edm.String)", filterable=True))
    return plain


def chinese_field(fields: FieldNames) -> str:
    """Return the field that holds Chinese text for its own analyser."""
    return f"{fields.content}_zh"


def words_of(fields: FieldNames) -> dict[str, str]:
    """Return the names of the fields of words, each with the field that it repeats."""
    return words.word_fields(fields, HEADING_FIELD)


def has_words(definition: Definition, fields: FieldNames) -> bool:
    """Tell whether an index has our fields of words; older and foreign ones have not."""
    analyzers = {field["name"]: field.get("indexAnalyzer") for field in definition["fields"]}
    return all(analyzers.get(name) == words.WORDS for name in words_of(fields))


def is_older(definition: Definition, fields: FieldNames) -> bool:
    """Tell whether ragqa has put documents into an index that has no fields of words."""
    holds_ours = any(field["name"] == FILE_FIELD for field in definition["fields"])
    return holds_ours and not has_words(definition, fields)


def names_of(fields: FieldNames) -> frozenset[str]:
    """Return the names of all fields of ours in lower case; no metadata goes there."""
    own = (str(field["name"]) for field in _newest_fields(fields))
    return frozenset(map(str.lower, (*own, fields.vector)))


def metadata_field(name: str) -> Definition:
    """Return a field to filter by."""
    return _field(name, filterable=True)


def metadata_names(
    metadata: Iterable[Mapping[str, Any]], fields: FieldNames, taken: Sequence[str] = ()
) -> list[str]:
    """Return the keys that can be fields: valid names that do not collide, of plain values.

    Args:
        metadata: Of chunks.
        fields: What the fields are called.
        taken: Fields that the index has already.
    """
    own = names_of(fields).union(map(str.lower, taken))
    names: dict[str, str] = {}
    for values in metadata:
        for name, value in values.items():
            if name.lower() not in own and _FIELD.fullmatch(name) and plain_text(value) is not None:
                names.setdefault(name.lower(), name)
    return list(names.values())[: max(0, MAX_METADATA_FIELDS - len(taken))]


def plain_text(value: Any) -> str | None:
    """Return a value as the text to filter by; None for what is none, or too long for a field."""
    if not isinstance(value, str | int | float):
        return None
    text = value_text(value)
    return text if len(text) <= _MAX_VALUE_CHARS else None


def vector_size(definition: Definition, fields: FieldNames) -> int | None:
    """Return the length of the vectors that an index takes; None if it takes none."""
    found = next((f for f in definition["fields"] if f["name"] == fields.vector), None)
    return None if found is None else found.get("dimensions")


def missing_fields(definition: Definition, fields: FieldNames) -> list[Definition]:
    """Return the fields of ours that an index lacks; adding some does it no harm.

    Raises:
        ConfigError: If it has one of them of another kind, which cannot be changed.
    """
    held = {field["name"]: field for field in definition["fields"]}
    own = own_fields(definition, fields)
    wrong = [
        field["name"]
        for field in own
        if field["name"] in held and not _serves(held[field["name"]], field)
    ]
    if wrong or fields.id not in held:
        raise ConfigError(
            f"The index {definition['name']!r} has no fitting field "
            f"{', '.join(map(repr, wrong or [fields.id]))}.",
            hint="Check AZURE_SEARCH_FIELD_…, or name another index in AZURE_SEARCH_INDEX "
            "(ragqa index PATH --to azure --dry-run shows the definition that it would get).",
        )
    return [field for field in own if field["name"] not in held]


def _serves(held: Definition, wanted: Definition) -> bool:
    needed = ("key", "filterable", "sortable", "searchable")
    return held["type"] == wanted["type"] and all(held.get(a) or not wanted[a] for a in needed)


def check_vectors(definition: Definition, fields: FieldNames, dimensions: int) -> None:
    """Refuse vectors that an index does not take.

    Raises:
        ConfigError: Tells both sizes.
    """
    expected = vector_size(definition, fields)
    if expected is None:
        raise ConfigError(
            f"The index {definition['name']!r} has no vector field {fields.vector!r}.",
            hint="Check AZURE_SEARCH_FIELD_VECTOR, set RAGQA_SEARCH_TYPE=keyword, or name another "
            "index in AZURE_SEARCH_INDEX.",
        )
    if expected != dimensions:
        raise ConfigError(
            f"The embedding model makes vectors of {dimensions} numbers; the field "
            f"{fields.vector!r} of the index {definition['name']!r} takes {expected}.",
            hint="Check AZURE_OPENAI_EMBEDDING_DEPLOYMENT (or RAGQA_EMBEDDING_MODEL), or name "
            "another index in AZURE_SEARCH_INDEX.",
        )


def _field(
    name: str,
    *,
    kind: str = "Edm.String",
    key: bool = False,
    analyzer: str | None = None,
    filterable: bool = False,
    sortable: bool = False,
    retrievable: bool = True,
) -> Definition:
    field: Definition = {
        "name": name,
        "type": kind,
        "key": key,
        "searchable": analyzer is not None,
        "filterable": filterable,
        "sortable": sortable,
        "facetable": False,
        "retrievable": retrievable,
    }
    return field if analyzer is None else {**field, "analyzer": analyzer}


def _vector_field(name: str, dimensions: int | None) -> Definition:
    return {
        "name": name,
        "type": "Collection(Edm.Single)",
        "searchable": True,
        "retrievable": False,
        "dimensions": dimensions,
        "vectorSearchProfile": _PROFILE,
    }


def _semantic(name: str, fields: FieldNames) -> Definition:
    return {
        "name": name,
        "prioritizedFields": {
            "titleField": {"fieldName": fields.title or "title"},
            "prioritizedContentFields": [{"fieldName": fields.content}],
            "prioritizedKeywordsFields": [{"fieldName": HEADING_FIELD}],
        },
    }
