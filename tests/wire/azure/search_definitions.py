"""Index definitions: checked as the service checks them, defaults filled in as it fills them in."""

from __future__ import annotations

import re
from typing import Any

from tests.wire.azure import search_analysis as analysis
from tests.wire.azure.search_refusals import JsonObject, invalid, unknown_key

_INDEX_KEYS = {
    "name", "description", "fields", "similarity", "semantic", "vectorSearch", "suggesters",
    "scoringProfiles", "defaultScoringProfile", "corsOptions", "analyzers", "tokenizers",
    "tokenFilters", "charFilters", "normalizers", "encryptionKey", "permissionFilterOption",
    "purviewEnabled", "@odata.etag",
}  # fmt: skip
_FIELD_KEYS = {
    "name", "type", "key", "searchable", "filterable", "retrievable", "stored", "sortable",
    "facetable", "analyzer", "searchAnalyzer", "indexAnalyzer", "normalizer", "dimensions",
    "vectorSearchProfile", "vectorEncoding", "synonymMaps", "fields", "permissionFilter",
    "sensitivityLabel",
}  # fmt: skip
VECTOR = "Collection(Edm.Single)"
_TYPES = {
    "Edm.String", "Edm.Int32", "Edm.Int64", "Edm.Double", "Edm.Boolean", "Edm.DateTimeOffset",
    "Edm.GeographyPoint", "Edm.ComplexType",
}  # fmt: skip
ANALYZERS = {
    "standard.lucene", "standardasciifolding.lucene", "keyword", "simple", "stop", "whitespace",
    "en.lucene", "en.microsoft", "zh-Hans.lucene", "zh-Hans.microsoft",
}  # fmt: skip
ANALYZER_KEYS = ("analyzer", "indexAnalyzer", "searchAnalyzer")
_FIELD_NAME = re.compile(r"(?!azureSearch)[A-Za-z][A-Za-z0-9_]{0,127}")
_INDEX_NAME = re.compile(r"(?!.*--)[a-z0-9](?:[a-z0-9-]{0,126}[a-z0-9])?")
MAX_FIELDS = 1000


def completed(definition: Any, etag: str) -> JsonObject:
    """Return a definition with every attribute that the service gives back.

    Raises:
        Refused: If the service would not make such an index.
    """
    if not isinstance(definition, dict):
        raise invalid("The request is invalid. Details: index : No body.\r\n")
    _known(definition, _INDEX_KEYS, "index")
    name = definition.get("name") or ""
    if not _INDEX_NAME.fullmatch(name):
        raise invalid(
            f"Invalid index name: '{name}'. Index name must only contain lowercase letters, digits "
            "or dashes, cannot start or end with dashes and is limited to 128 characters."
        )
    analysis.check(definition, ANALYZERS)
    analyzers = ANALYZERS | {one["name"] for one in definition.get("analyzers") or []}
    fields = [_field(field, analyzers) for field in definition.get("fields") or []]
    _check_names(fields)
    whole: JsonObject = {"@odata.etag": etag, **definition, "fields": fields}
    _check_vectors(whole)
    _check_semantic(whole)
    _check_scoring(whole)
    if "vectorSearch" in whole:
        whole["vectorSearch"] = _vector_search(whole["vectorSearch"])
    return whole


def check_update(before: JsonObject, after: JsonObject) -> None:
    """Refuse what needs a rebuild: a field that has gone, or has another type or analyzer."""
    analysis.check_update(before, after)
    fields = {field["name"]: field for field in after["fields"]}
    for old in before["fields"]:
        new = fields.get(old["name"])
        if new is None or any(new.get(k) != old.get(k) for k in old if k != "retrievable"):
            raise invalid(
                f"Existing field '{old['name']}' cannot be changed.", detail="CannotChangeExisting"
            )


def _field(field: JsonObject, analyzers: set[str]) -> JsonObject:
    _known(field, _FIELD_KEYS, "index.fields")
    name, kind = field.get("name", ""), field.get("type", "")
    if not _FIELD_NAME.fullmatch(name):
        raise invalid(f"Invalid field name '{name}'.")
    inner = re.fullmatch(r"Collection\((.*)\)", kind)
    if kind != VECTOR and (inner[1] if inner else kind) not in _TYPES:
        raise invalid(f"The type '{kind}' of the field '{name}' does not exist.")
    is_vector, is_text = kind == VECTOR, kind in ("Edm.String", "Collection(Edm.String)")
    if field.get("sortable") and inner:
        raise invalid(f"Field '{name}' is a collection and cannot be sortable.")
    _check_analyzers(field, analyzers if is_text else set())
    if is_vector and any(field.get(k) for k in ("filterable", "sortable", "facetable")):
        raise invalid(f"Vector field '{name}' cannot be filterable, sortable or facetable.")
    defaults: JsonObject = {
        "searchable": is_text or is_vector,
        "filterable": not is_vector,
        "retrievable": True,
        "stored": True,
        "sortable": not is_vector and inner is None,
        "facetable": not is_vector,
        "key": False,
        "synonymMaps": [],
    }
    given = {key: value for key, value in field.items() if value is not None}
    if given.get("searchable") and not (is_text or is_vector):
        raise invalid(f"Field '{name}' of type '{kind}' cannot be searchable.")
    return {"name": name, "type": kind, **defaults, **given}


def _check_analyzers(field: JsonObject, known: set[str]) -> None:
    """Refuse what is no analyzer, or not for this field: one for all, or one for each purpose."""
    given = {key: field[key] for key in ANALYZER_KEYS if field.get(key)}
    fits = given.keys() in ({"analyzer"}, {"indexAnalyzer", "searchAnalyzer"})
    if len(given) == 2 and any(name.startswith(("en.", "zh-")) for name in given.values()):
        fits = False  # a language analyzer serves both purposes
    is_searched = field.get("searchable", True)
    if given and not (fits and is_searched and known.issuperset(given.values())):
        raise invalid(f"The analyzer of the field '{field['name']}' is invalid.")


def _check_names(fields: list[JsonObject]) -> None:
    keys = [field["name"] for field in fields if field["key"]]
    if len(keys) != 1:
        raise invalid(f"An index must have exactly one key field; this one has {len(keys)}.")
    if next(field for field in fields if field["key"])["type"] != "Edm.String":
        raise invalid("The key field must be of type Edm.String.")
    names = [field["name"].lower() for field in fields]
    if len(set(names)) < len(names):
        raise invalid("Duplicate field name in the index definition.")
    if len(fields) > MAX_FIELDS:
        raise invalid(f"An index can have at most {MAX_FIELDS} fields.")


def _check_vectors(definition: JsonObject) -> None:
    search = definition.get("vectorSearch") or {}
    profiles = {profile["name"]: profile for profile in search.get("profiles", [])}
    algorithms = {algorithm["name"] for algorithm in search.get("algorithms", [])}
    for profile in profiles.values():
        if profile.get("algorithm") not in algorithms:
            raise invalid(f"The profile '{profile['name']}' names an unknown algorithm.")
    for field in definition["fields"]:
        if field["type"] != VECTOR:
            continue
        dimensions = field.get("dimensions")
        if not isinstance(dimensions, int) or not 2 <= dimensions <= 4096:
            raise invalid(
                f"The vector field '{field['name']}' must have the property 'dimensions' set "
                "between 2 and 4096."
            )
        if field.get("vectorSearchProfile") not in profiles:
            raise invalid(
                f"The vector field '{field['name']}' must have the property 'vectorSearchProfile' "
                "set to a profile of the index."
            )


def _vector_search(search: JsonObject) -> JsonObject:
    """Fill in what hnsw does by default."""
    defaults = {"metric": "cosine", "m": 4, "efConstruction": 400, "efSearch": 500}
    algorithms = [
        {**algorithm, "hnswParameters": {**defaults, **(algorithm.get("hnswParameters") or {})}}
        if algorithm.get("kind") == "hnsw"
        else algorithm
        for algorithm in search.get("algorithms", [])
    ]
    return {**search, "algorithms": algorithms}


def _check_semantic(definition: JsonObject) -> None:
    names = {field["name"] for field in definition["fields"] if field["searchable"]}
    for configuration in (definition.get("semantic") or {}).get("configurations", []):
        chosen = configuration.get("prioritizedFields") or {}
        _known(
            chosen,
            {"titleField", "prioritizedContentFields", "prioritizedKeywordsFields"},
            "semantic",
        )
        used = [chosen["titleField"]] if chosen.get("titleField") else []
        used += chosen.get("prioritizedContentFields") or []
        used += chosen.get("prioritizedKeywordsFields") or []
        for field in used:
            if field["fieldName"] not in names:
                raise invalid(
                    f"The semantic configuration '{configuration['name']}' names the field "
                    f"'{field['fieldName']}', which is not searchable in the index."
                )


def _check_scoring(definition: JsonObject) -> None:
    names = {f["name"] for f in definition["fields"] if f["searchable"] and f["type"] != VECTOR}
    profiles = definition.get("scoringProfiles") or []
    for profile in profiles:
        _known(
            profile, {"name", "text", "functions", "functionAggregation"}, "index.scoringProfiles"
        )
        for field, weight in ((profile.get("text") or {}).get("weights") or {}).items():
            if field not in names:
                raise invalid(
                    f"The scoring profile '{profile['name']}' weighs the field '{field}', which is "
                    "not a searchable text field of the index."
                )
            if not isinstance(weight, int | float) or weight <= 0:
                raise invalid(f"The weight of the field '{field}' must be a positive number.")
    default = definition.get("defaultScoringProfile")
    if default and default not in {profile["name"] for profile in profiles}:
        raise invalid(f"The default scoring profile '{default}' does not exist in the index.")


def _known(given: JsonObject, allowed: set[str], what: str) -> None:
    for key in given:
        if key not in allowed:
            raise unknown_key(key, what)
