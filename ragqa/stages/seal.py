"""Seal a turn with its Answer. Every answer that reaches a caller is made here."""

from __future__ import annotations

from dataclasses import replace

from pydantic import ValidationError

import prompts
from ragqa.contract import (
    Answer,
    Citation,
    QAResponse,
    Status,
    Turn,
    response_type,
)
from ragqa.errors import OutputError
from ragqa.instructions import neutral_values
from ragqa.language import language_of
from ragqa.ports import Policy


def answered(
    turn: Turn,
    response: QAResponse,
    *,
    status: Status = "answered",
    reason: str | None = None,
    citations: tuple[Citation, ...] = (),
) -> Turn:
    """Return the turn with an Answer around a response that the gates accepted."""
    return replace(
        turn,
        answer=Answer(
            response=response,
            status=status,
            reason=reason,
            chain=turn.chain,
            citations=citations,
            attempts=turn.attempts,
            tools=turn.tools,
            passages=turn.passages,
            usage=turn.usage,
            run_id=turn.run_id,
            session_id=turn.session_id,
            strategy=turn.strategy,
        ),
    )


def abstained(turn: Turn, policy: Policy) -> Turn:
    """Seal with the preset answer that says that the documents do not hold it."""
    response = preset(turn, policy, "abstained", confidence=0.2)
    return answered(turn, response, status="abstained", reason="no_evidence")


def degraded(turn: Turn, policy: Policy, reason: str) -> Turn:
    """Seal with the preset answer that says that no reliable one came.

    Raises:
        OutputError: If the policy asks for an exception instead.
    """
    if policy.raise_degraded:
        raise OutputError(f"No valid answer was written (reason: {reason}).")
    response = preset(turn, policy, "degraded", confidence=0.0)
    return answered(turn, response, status="degraded", reason=reason)


def preset(turn: Turn, policy: Policy, phrase: str, *, confidence: float) -> QAResponse:
    """Return a valid response that holds nothing but a phrase of ours.

    Fields that a subclass requires get empty values; where its own validators refuse those, the
    response falls back to the six fields, with the schema's categories.
    """
    text = prompts.load("fields", language_of(turn.question.text)).part(phrase)
    text = " ".join(part for part in (text, turn.notes.get("done")) if part)  # by tools, if any
    categories = policy.schema.categories
    fields = {
        "answer": text[: policy.schema.max_answer_chars],
        "confidence": confidence,
        "category": turn.category if turn.category in categories else categories[-1],
        "sources": [],
        "follow_up": [],
        "needs_human": True,
    }
    try:
        return policy.schema.model_validate(neutral_values(policy.schema) | fields)
    except ValidationError:
        return response_type(categories=categories).model_validate(fields)
