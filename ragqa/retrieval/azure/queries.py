"""From a SearchQuery to the arguments of one ``SearchClient.search``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ragqa.contract import EVERYONE, Caller, ScoreKind
from ragqa.errors import ConfigError
from ragqa.language import has_han
from ragqa.ports import SearchQuery
from ragqa.retrieval.azure.boosts import boosted_fields
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.odata import (
    FORMS,
    all_of,
    any_of,
    choices,
    field_name,
    formed,
    matching,
)
from ragqa.retrieval.azure.words import asked_words, neighbours
from ragqa.retrieval.weights import PAIR_WEIGHT

SearchType = Literal["keyword", "similarity", "hybrid", "semantic_hybrid"]
SEARCH_TYPES: tuple[SearchType, ...] = ("keyword", "similarity", "hybrid", "semantic_hybrid")
WITH_VECTORS = ("similarity", "hybrid", "semantic_hybrid")

NEIGHBOURS = 50
"""Nearest vectors that a hybrid search ranks: fewer starve the semantic ranker, which reads 50.
Source: https://learn.microsoft.com/azure/search/semantic-how-to-query-request"""

BOOSTED = 50
"""Hits that boosts reorder: what lies deeper would have to be boosted over all of them."""

USER_TOKEN_HEADER = "x-ms-query-source-authorization"  # noqa: S105 -- the name of a header

_KINDS: Mapping[str, ScoreKind] = {
    "keyword": "keyword",
    "similarity": "vector",
    "hybrid": "hybrid",
    "semantic_hybrid": "hybrid",
}


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """How an index is searched.

    Attributes:
        fields: What its fields are called.
        search_type: Keyword, vectors, both, or both with the semantic ranker.
        semantic_config: Name of the semantic configuration.
        filter: An OData filter that every query carries.
        min_scores: By kind of score: hits that score less are left out.
    """

    fields: FieldNames = FieldNames()
    search_type: SearchType = "keyword"
    semantic_config: str | None = None
    filter: str | None = None
    min_scores: Mapping[str, float] | None = None

    def type_of(self, query: SearchQuery) -> SearchType:
        """Return how this query searches: a category's strategy counts before the setting.

        Raises:
            ConfigError: If that search type does not exist or lacks its configuration.
        """
        wanted = query.strategy.search_type or self.search_type
        if wanted not in SEARCH_TYPES:
            raise ConfigError(
                f"There is no search type {wanted!r}.",
                hint=f"Use one of {', '.join(SEARCH_TYPES)}.",
            )
        if wanted == "semantic_hybrid" and not self.semantic_config:
            raise ConfigError(
                "semantic_hybrid needs a semantic configuration.",
                hint="Set AZURE_SEARCH_SEMANTIC_CONFIG to its name.",
            )
        return wanted

    def score_kind(self, search_type: SearchType) -> ScoreKind:
        """Return what kind of score a search of this type gives."""
        return _KINDS[search_type]

    def arguments(
        self, query: SearchQuery, search_type: SearchType, vector: list[float] | None
    ) -> dict[str, Any]:
        """Return the arguments of the one request that answers a query.

        Enumerations go as plain text: in version 12.0 of the SDK their members go wrong on the
        wire.
        """
        arguments: dict[str, Any] = {
            "top": max(query.k, BOOSTED) if query.strategy.boost else query.k,
            "select": self._selected(query),
            "filter": self._filter(query),
        }
        if search_type != "similarity":
            arguments |= {"query_type": "full", "search_mode": "any"}
            # Else words are as rare as in the shard of a document: a few documents have several.
            arguments["scoring_statistics"] = "global"
            arguments["search_text"] = lucene_query(query.text)
        if vector is not None:
            arguments["vector_queries"] = [self._vector_query(vector, query.k, search_type)]
        if search_type == "semantic_hybrid":
            is_chinese = has_han(query.text)
            arguments |= {
                "query_type": "semantic",
                "search_text": asked_words(query.text) if is_chinese else query.text,
                "semantic_query": query.text if is_chinese else None,
                "semantic_configuration_name": self.semantic_config,
                "query_caption": "extractive",
                "semantic_error_mode": "partial",
            }
        if query.caller.token:  # for trimming at the service
            arguments["headers"] = {USER_TOKEN_HEADER: query.caller.token}
        return {name: value for name, value in arguments.items() if value is not None}

    def _vector_query(self, vector: list[float], k: int, search_type: SearchType) -> dict[str, Any]:
        neighbours = k if search_type == "similarity" else max(k, NEIGHBOURS)
        return {
            "kind": "vector",
            "vector": vector,
            "fields": self.fields.vector,
            "k": neighbours,
        }

    def _selected(self, query: SearchQuery) -> list[str]:
        """Return the fields to ask for; boosts need theirs."""
        boosted = [self._name(field_name(name)) for name in boosted_fields(query.strategy.boost)]
        return list(dict.fromkeys([*self.fields.selected, *boosted]))

    def _filter(self, query: SearchQuery) -> str | None:
        return self.filters(query)[0]

    def filters(self, query: SearchQuery) -> list[str | None]:
        """Return the filter of a query, and other ways to write its values."""
        return self._written(query, [()])

    def filters_of_collections(self, query: SearchQuery) -> list[str | None]:
        """Return the ways to write a filter where some of its fields hold several values."""
        return self._written(query, choices(self._conditions(query)))

    def _written(self, query: SearchQuery, among: Sequence[tuple[str, ...]]) -> list[str | None]:
        own = self._conditions(query)
        fixed = [self.filter, self._trimming(query.caller)]
        return [
            all_of([*fixed, *matching(formed(own, form), collections)])
            for collections in among
            for form in FORMS
        ]

    def _conditions(self, query: SearchQuery) -> dict[str, Any]:
        return {self._name(name): value for name, value in query.strategy.filter.items()}

    def _trimming(self, caller: Caller) -> str | None:
        if self.fields.groups is None:
            return None
        return any_of(self.fields.groups, [*caller.groups, EVERYONE])

    def _name(self, name: str) -> str:
        """Return the field that a filter's key means: our names stand for the configured ones."""
        return str(getattr(self.fields, name, None) or name)


_OPERATORS = str.maketrans({mark: f"\\{mark}" for mark in '+-&|!(){}[]^"~*?:\\/<>='})
_OPERATOR_WORDS = frozenset({"AND", "OR", "NOT"})


def lucene_query(question: str) -> str:
    r"""Return a question in the full syntax: its words, and its neighbouring words for a bit more.

    Operators in it are taken for what they are.
    Source: https://learn.microsoft.com/azure/search/query-lucene-syntax

    >>> lucene_query("kettle AND lamp?")
    'kettle \\AND lamp\\? "kettle AND"^0.3 "AND lamp"^0.3'
    """
    words = (_plain(word) for word in asked_words(question).split())
    phrases = (f'"{pair}"^{PAIR_WEIGHT:g}' for pair in neighbours(question))
    return " ".join((*words, *phrases))


def _plain(word: str) -> str:
    return f"\\{word}" if word in _OPERATOR_WORDS else word.translate(_OPERATORS)
