"""Fit the passages into the context that the writer sees."""

from __future__ import annotations

from dataclasses import replace

from ragqa import context
from ragqa.contract import Turn
from ragqa.flow import Stage
from ragqa.ports import Parts


def fit(parts: Parts) -> Stage:
    """Return the stage that sets ``context``: the best sentences within the budget."""

    def step(turn: Turn) -> Turn:
        question = turn.search_text or turn.question.text
        blocks = context.fit(question, turn.passages, max_chars=parts.policy.max_context_chars)
        return replace(turn, context=tuple(blocks))

    return Stage("fit", step)
