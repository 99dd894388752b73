"""Look over an index: does it hold what a search asks for, and anything at all?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragqa.contract import Passage, Strategy
from ragqa.ports import SearchQuery
from ragqa.retrieval.azure.definition import Definition, vector_size
from ragqa.retrieval.azure.queries import WITH_VECTORS, SearchPlan, SearchType

if TYPE_CHECKING:
    from ragqa.retrieval.azure.retriever import AzureRetriever

_VECTORS = "Collection(Edm.Single)"
_TEXTS = "Collection(Edm.String)"


class _Everything(SearchPlan):
    """Asks for every document that a caller may see."""

    __slots__ = ()

    def arguments(
        self, query: SearchQuery, search_type: SearchType, vector: list[float] | None
    ) -> dict[str, Any]:
        own = super().arguments(query, search_type, vector)
        return {**own, "search_text": "*", "query_type": "simple"}


def any_passage(retriever: AzureRetriever) -> Passage | None:
    """Return some passage of an index, by one search for everything; None where there is none.

    Args:
        retriever: Searches the index; its filter and the caller's groups hold, its threshold does
            not.

    Raises:
        RagqaError: If the search fails.
    """
    plan = retriever.plan
    everything = _Everything(plan.fields, filter=plan.filter)
    query = SearchQuery("*", k=1, strategy=Strategy(search_type="keyword"))
    return next(iter(replace(retriever, plan=everything).retrieve(query)), None)


def faults_of(
    definition: Definition, plan: SearchPlan, dimensions: int | None = None
) -> Iterator[str]:
    """Yield what an index lacks for the searches that a plan describes, each with its setting.

    Args:
        definition: The index's definition.
        plan: How it is searched.
        dimensions: Length of the embedding model's vectors; None where it is not known.
    """
    held = dict(_named(definition["fields"]))
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
    if dimensions is not None and plan.search_type in WITH_VECTORS:
        yield from _vector_faults(definition, plan, dimensions)
    yield from _semantic_faults(definition, plan)


def _named(fields: Sequence[Definition], above: str = "") -> Iterator[tuple[str, Definition]]:
    """Yield the fields of an index by name, ``Page/Text`` for one inside a complex one."""
    for field in fields:
        name = f"{above}{field['name']}"
        yield name, field
        yield from _named(field.get("fields") or (), f"{name}/")


def _vector_faults(definition: Definition, plan: SearchPlan, dimensions: int) -> Iterator[str]:
    taken = vector_size(definition, plan.fields)
    if taken is not None and taken != dimensions:
        yield (
            f"the field {plan.fields.vector!r} takes vectors of {taken} numbers, the embedding "
            f"model makes {dimensions} (AZURE_OPENAI_EMBEDDING_DEPLOYMENT or "
            "RAGQA_EMBEDDING_MODEL)"
        )


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
    if label == "GROUPS" and field["type"] != _TEXTS:
        yield f"the field {name!r} (AZURE_SEARCH_FIELD_GROUPS) is no {_TEXTS}"


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
