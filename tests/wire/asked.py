"""Requests that the tests of chat models send, and a reply that fits them."""

from __future__ import annotations

import json
from typing import Any

from ragqa.contract import QAResponse
from ragqa.ports import Message, ModelReply, ModelRequest

PROMPT = (
    Message("system", "Answer from the passages. Reply with one JSON object."),
    Message("user", "How long is the warranty of the kettle?"),
)
VALID = json.dumps(
    {
        "answer": "The kettle has a warranty of two years.",
        "confidence": 0.9,
        "category": "policy",
        "sources": ["warranty.md"],
        "follow_up": [],
        "needs_human": False,
    }
)


def request(text: str | None = None, **options: Any) -> ModelRequest:
    """Return a request as an answer-writing stage sends it."""
    messages = PROMPT if text is None else (Message("user", text),)
    defaults: dict[str, Any] = {"schema": QAResponse, "max_tokens": 400, "temperature": 0.2}
    return ModelRequest(messages, **{**defaults, **options})


def plain(text: str = "Say hello.", **options: Any) -> ModelRequest:
    """Return a request without a format."""
    return ModelRequest((Message("user", text),), **options)


def streamed(events: Any) -> tuple[list[str], ModelReply]:
    """Split the events of a stream into its pieces and the reply at its end."""
    *pieces, reply = events
    assert isinstance(reply, ModelReply)
    assert all(isinstance(piece, str) for piece in pieces)
    return pieces, reply
