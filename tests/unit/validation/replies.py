"""Replies to judge, and the three gates that judge them."""

from __future__ import annotations

import json
from typing import Any

from ragqa.validation import CheckContext, Gates, Verdict
from ragqa.validation.schema import SchemaGate
from ragqa.validation.syntax import SyntaxGate
from ragqa.validation.text import TextGate

GATES = Gates((TextGate(), SyntaxGate(), SchemaGate()))

FIELDS: dict[str, Any] = {
    "answer": "Returns are accepted for 30 days.",
    "confidence": 0.9,
    "category": "policy",
    "sources": ["returns-policy.md"],
    "follow_up": ["How do I start a return?"],
    "needs_human": False,
}
VALID = json.dumps(FIELDS)
OTHER = json.dumps({**FIELDS, "answer": "Returns are accepted for 14 days."})


def judge(raw: Any, **context: Any) -> Verdict:
    """Judge a raw reply by the text, the syntax and the schema gate."""
    return GATES.judge(raw, CheckContext(**context))


def saying(written: str) -> str:
    """Return a valid reply whose answer is written as given, quotes and all."""
    return VALID.replace(json.dumps(FIELDS["answer"]), written)


def with_member(written: str) -> str:
    """Return a reply with one more member, written as given."""
    return f"{VALID[:-1]}, {written}}}"


def answer(verdict: Verdict) -> str:
    """Return the accepted answer's text."""
    assert verdict.response is not None, verdict.feedback
    return str(verdict.response.model_dump()["answer"])
