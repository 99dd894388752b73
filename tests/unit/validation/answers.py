"""Answers for the tests of the rules and the context gate."""

from __future__ import annotations

from typing import Any

from ragqa.contract import Passage, QAResponse, QAResponseWithEntities
from ragqa.validation.gate import CheckContext, Gate, Outcome, Rejected, Rule


def response(answer: str = "Returns are open for 30 days.", **fields: Any) -> QAResponse:
    """Return a response with an answer; other fields are as a good one has them."""
    values: dict[str, Any] = {
        "answer": answer,
        "confidence": 0.9,
        "category": "policy",
        "sources": ["returns.md"],
        "follow_up": [],
        "needs_human": False,
    }
    schema = QAResponseWithEntities if "entities" in fields else QAResponse
    long = type(schema.__name__, (schema,), {"max_answer_chars": 1_000_000, "__module__": __name__})
    return long.model_validate(values | fields)


def passage(title: str, text: str, **fields: Any) -> Passage:
    """Return a passage of a document."""
    return Passage(id=title, title=title, text=text, **fields)


def codes(outcome: Outcome) -> list[str]:
    """Return the codes of all faults."""
    return [fault.code for fault in outcome.faults] if isinstance(outcome, Rejected) else []


def judged(checker: Gate | Rule, answer: str, **known: Any) -> list[str]:
    """Return the codes that a gate or a rule finds for an answer in a context."""
    return codes(checker.check(response(answer), CheckContext(**known)))
