"""Find the passages: categorise the question, look up what its category asks for."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from ragqa.contract import Passage, Strategy, Turn
from ragqa.flow import Call, Effect, Effects, Stage
from ragqa.intent import categorise
from ragqa.language import looked_up
from ragqa.ports import Parts, Policy, SearchQuery


def retrieve(parts: Parts) -> Stage:
    """Return the stage that sets ``category``, ``strategy`` and ``passages``."""

    def step(turn: Turn) -> Effects:
        text = turn.search_text or turn.question.text
        if turn.notes.get("retrieved") == text:
            return turn  # a stage around the chain had to know what is found
        turn = categorised(turn, parts.policy)
        query = _query(turn, parts)
        found: Sequence[Passage] = yield Call(
            lambda config: parts.retriever.retrieve(query, config),
            lambda config: parts.retriever.aretrieve(query, config),
        )
        # The retriever has trimmed already; a store that did not must not leak.
        seen = tuple(passage for passage in found if turn.caller.may_see(passage.groups))
        passages = yield from _reranked(parts, turn, seen)
        return replace(turn, passages=passages, notes={**turn.notes, "retrieved": text})

    return Stage("retrieve", step)


def categorised(turn: Turn, policy: Policy) -> Turn:
    """Set the category and its strategy, without a model."""
    if turn.category is not None:
        return turn
    name = categorise(turn.search_text or turn.question.text, policy.categories)
    strategies = {category.name: category.strategy for category in policy.categories}
    return replace(turn, category=name, strategy=strategies.get(name, Strategy()))


def _query(turn: Turn, parts: Parts) -> SearchQuery:
    return SearchQuery(
        text=looked_up(turn.search_text or turn.question.text),
        k=turn.strategy.k or parts.policy.top_k,
        caller=turn.caller,
        strategy=turn.strategy,
        timeout_s=remaining_s(turn, parts),
    )


def _reranked(
    parts: Parts, turn: Turn, passages: tuple[Passage, ...]
) -> Generator[Effect, Any, tuple[Passage, ...]]:
    reranker = parts.reranker
    if reranker is None or not passages:
        return passages
    question = turn.search_text or turn.question.text
    best: Sequence[Passage] = yield Call(
        lambda config: reranker.rerank(question, passages, config),
        lambda config: reranker.arerank(question, passages, config),
    )
    return tuple(best)


def remaining_s(turn: Turn, parts: Parts) -> float:
    """Return the seconds left for this ask; zero or less when its time is over."""
    if turn.deadline_s is None:
        return parts.policy.timeout_s
    return turn.deadline_s - parts.clock()
