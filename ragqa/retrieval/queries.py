"""Builds what tantivy runs from terms, never from a query language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import tantivy

from ragqa.contract import Caller, Strategy
from ragqa.errors import ConfigError, UnknownNameError
from ragqa.retrieval import records
from ragqa.retrieval.analysis import well_formed
from ragqa.retrieval.text_index import View
from ragqa.retrieval.weights import HEADING_WEIGHT, PAIR_WEIGHT, TITLE_WEIGHT

Query = tantivy.Query
Occur = tantivy.Occur


_MANY_KEYS = 1000  # below that, asking for each is faster than tantivy's set of terms

_REGEX_MARKS = frozenset(r".^$+()[]{}|\&-~#")
_ANYTHING = "[^\x1f]"


@dataclass(frozen=True, slots=True)
class Scope:
    """A part of the documents, and how much a hit in it counts.

    Attributes:
        inside: Conditions that all hold there.
        outside: Conditions none of which holds there.
        factor: What scores are multiplied by.
    """

    inside: tuple[tantivy.Query, ...] = ()
    outside: tuple[tantivy.Query, ...] = ()
    factor: float = 1.0

    def limit(self, query: tantivy.Query) -> tantivy.Query:
        """Return the query, kept inside this part of the documents; scores stay as they are."""
        if not self.inside and not self.outside:
            return query
        clauses = [(Occur.Must, query)]
        clauses += [(Occur.Must, Query.const_score_query(q, 0.0)) for q in self.inside]
        clauses += [(Occur.MustNot, q) for q in self.outside]
        return Query.boolean_query(clauses)


def words_query(words: Sequence[str]) -> tantivy.Query:
    """Return the query that scores chunks by words in text, title and headings (BM25).

    It is flat and holds single terms only, which lets tantivy skip what cannot reach the top.
    """
    return _any([clause for word in words for clause in _word_clauses(word)])


@lru_cache(maxsize=4096)  # questions share most of their words
def _word_clauses(word: str) -> tuple[tantivy.Query, ...]:
    schema = records.schema()
    text = Query.term_query(schema, records.TEXT, word, "freq")
    title = Query.term_query(schema, records.TITLE, word, "freq")
    heading = Query.term_query(schema, records.HEADING, word, "freq")
    weighted = ((title, TITLE_WEIGHT), (heading, HEADING_WEIGHT))
    return (text, *(Query.boost_query(term, weight) for term, weight in weighted))


def pairs_query(pairs: Sequence[tuple[str, str]], keys: Sequence[int]) -> tantivy.Query:
    """Return the query that scores a few chunks by neighbouring words.

    Neighbours tell more than words apart (Metzler and Croft's sequential dependence model,
    https://doi.org/10.1145/1076034.1076115), but phrases are slow over a whole index. Nested,
    not flat: each pair is looked up in the candidates alone.
    """
    schema = records.schema()
    query = with_keys(keys)
    for pair in pairs:
        phrase = Query.phrase_query(schema, records.TEXT, list(pair))
        query = Query.boolean_query(
            [(Occur.Must, query), (Occur.Should, Query.boost_query(phrase, PAIR_WEIGHT))]
        )
    return query


def with_keys(keys: Sequence[int]) -> tantivy.Query:
    """Return the query for the chunks with these keys; it scores 0."""
    schema = records.schema()
    if len(keys) > _MANY_KEYS:
        found = Query.term_set_query(schema, records.KEY, list(keys))
    else:
        found = _any([Query.term_query(schema, records.KEY, key, "basic") for key in keys])
    return Query.const_score_query(found, 0.0)


def of_kind(kind: str) -> tantivy.Query:
    """Return the query for all files, or all chunks."""
    return Query.const_score_query(_term(records.KIND, kind), 0.0)


def tagged(field: str, value: Any) -> tantivy.Query:
    """Return the query for the chunks with that value in that field.

    In titles and paths ``*`` stands for any characters and ``?`` for one.
    """
    if field in ("title", "path") and isinstance(value, str) and set(value) & set("*?"):
        pattern = records.tag_prefix(field) + _regex(well_formed(value))
        return Query.regex_query(records.schema(), records.TAGS, pattern)
    return _term(records.TAGS, records.tag(field, value))


def scopes(view: View, caller: Caller | None, strategy: Strategy) -> list[Scope]:
    """Return the parts of the documents that are searched: one, unless there are boosts.

    Args:
        view: The state that is searched.
        caller: Who searches; None sees everything.
        strategy: Its filter and boosts.

    Raises:
        ConfigError: If a filter or a boost cannot be used; it names what can.
    """
    conditions = _filters(view, strategy.filter)
    parts: list[Scope] = []
    earlier = _hidden(view, caller)
    # Where several boosts fit a document, the largest one counts.
    for name, factor in sorted(strategy.boost.items(), key=lambda boost: -boost[1]):
        if not (math.isfinite(factor) and factor > 0):
            raise ConfigError(
                f"The boost of {name!r} is {factor}.", hint="A boost is a number above 0."
            )
        matching = _boosted(view, name)
        parts.append(Scope((*conditions, matching), earlier, factor))
        earlier = (*earlier, matching)
    return [*parts, Scope(conditions, earlier)]


def _hidden(view: View, caller: Caller | None) -> tuple[tantivy.Query, ...]:
    """Return the condition of what the caller may not see; none where everything is for everyone.

    To leave the hidden out is faster than to keep to the visible: hidden documents are fewer.
    """
    if caller is None or not view.count(records.KIND, records.RESTRICTED):
        return ()
    hidden = [(Occur.Must, _term(records.KIND, records.RESTRICTED))]
    hidden += [(Occur.MustNot, _term(records.GROUPS, group)) for group in caller.groups]
    return (Query.boolean_query(hidden),)


def _filters(view: View, conditions: Mapping[str, Any]) -> tuple[tantivy.Query, ...]:
    queries = []
    for field, wanted in conditions.items():
        if not _is_known(view, field):
            raise UnknownNameError("field to filter by", field, _known_fields(view))
        values = wanted if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
        if any(isinstance(value, Mapping) or value is None for value in values):
            raise ConfigError(
                f"The filter on {field!r} holds something that is no value.",
                hint="Give text, a number, true or false, or a list of them.",
            )
        queries.append(_any([tagged(field, value) for value in values]))
    return tuple(queries)


def _is_known(view: View, field: str) -> bool:
    if field in records.DOCUMENT_FIELDS:
        return True
    return bool(view.terms(records.TAGS, records.tag_prefix(field), limit=1))


def _known_fields(view: View) -> list[str]:
    named = {records.tag_field(term) for term in view.terms(records.TAGS, "")}
    return sorted(named | {*records.DOCUMENT_FIELDS})


def _boosted(view: View, name: str) -> tantivy.Query:
    """Return the condition behind ``field=value``, or behind a title or path with ``*``."""
    field, equals, value = name.partition("=")
    if equals and _is_known(view, field):
        return tagged(field, value)
    return _any([tagged("title", name), tagged("path", name)])


def _regex(glob: str) -> str:
    marks = {"*": f"{_ANYTHING}*", "?": _ANYTHING, **{mark: f"\\{mark}" for mark in _REGEX_MARKS}}
    return "".join(marks.get(char, char) for char in glob)


def _term(field: str, term: str) -> tantivy.Query:
    return Query.term_query(records.schema(), field, well_formed(term), "basic")


def _any(queries: Sequence[tantivy.Query]) -> tantivy.Query:
    if not queries:
        return Query.empty_query()
    return Query.boolean_query([(Occur.Should, query) for query in queries])
