"""Look over an index: does it hold what a search asks for?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragqa.retrieval.azure.definition import Definition
from ragqa.retrieval.azure.queries import WITH_VECTORS, SearchPlan

_VECTORS = "Collection(Edm.Single)"


def faults_of(definition: Definition, plan: SearchPlan) -> Iterator[str]:
    """Yield what an index lacks for the searches that a plan describes, each with its setting.

    Args:
        definition: The index's definition.
        plan: How it is searched.
    """
    held = {field["name"]: field for field in definition["fields"]}
    names = plan.fields
    wanted: list[tuple[str, str | None, tuple[str, ...]]] = [
        ("ID", names.id, ("key", "retrievable")),
        ("CONTENT", names.content, ("searchable", "retrievable")),
        ("TITLE", names.title, ("retrievable",)),
        ("GROUPS", names.groups, ("filterable", "retrievable")),
    ]
    if plan.search_type in WITH_VECTORS:
        wanted.append(("VECTOR", names.vector, ("searchable",)))
    for label, name, attributes in wanted:
        if name is not None:
            yield from _faults_of_field(held.get(name), label, name, attributes)
    yield from _semantic_faults(definition, plan)


def _faults_of_field(
    field: Mapping[str, Any] | None, label: str, name: str, attributes: tuple[str, ...]
) -> Iterator[str]:
    if field is None:
        yield f"there is no field {name!r} (AZURE_SEARCH_FIELD_{label})"
        return
    # Attributes that a service leaves out of its reply hold.
    missing = [attribute for attribute in attributes if field.get(attribute) is False]
    if missing:
        yield f"the field {name!r} (AZURE_SEARCH_FIELD_{label}) is not {' and '.join(missing)}"
    if label == "VECTOR" and field["type"] != _VECTORS:
        yield f"the field {name!r} (AZURE_SEARCH_FIELD_VECTOR) holds no vectors"


def _semantic_faults(definition: Definition, plan: SearchPlan) -> Iterator[str]:
    if plan.semantic_config is None:
        return
    semantic = definition.get("semantic") or {}
    names = [one["name"] for one in semantic.get("configurations") or []]
    if plan.semantic_config not in names:
        known = ", ".join(names) or "none"
        yield (
            f"there is no semantic configuration {plan.semantic_config!r} "
            f"(AZURE_SEARCH_SEMANTIC_CONFIG); known: {known}"
        )
