"""Model calls that write no answer: they decide, condense or rewrite, and are counted apart."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from ragqa.contract import Turn
from ragqa.errors import AuthError, ConfigError, RagqaError, WrongEndpointError
from ragqa.flow import Ask, Effect
from ragqa.ports import Message, ModelReply, ModelRequest, Parts, Role
from ragqa.stages.retrieve import remaining_s


def ask_aside(
    turn: Turn, parts: Parts, messages: tuple[tuple[str, str], ...], *, max_tokens: int
) -> Generator[Effect, Any, tuple[str | None, Turn]]:
    """Ask the model something on the side; its reply is never shown nor taken for an answer.

    Returns:
        The reply's text, or None where none came or it was cut off; and the turn with the usage.

    Raises:
        AuthError, ConfigError, WrongEndpointError: Where settings are wrong.
    """
    timeout_s = remaining_s(turn, parts)
    if parts.model is None or timeout_s <= 0:
        return None, turn
    request = ModelRequest(
        messages=tuple(Message(_role(role), text) for role, text in messages),
        max_tokens=max_tokens,
        temperature=0.0,
        timeout_s=timeout_s,
    )
    try:
        reply: ModelReply = yield Ask(parts.model, request)
    except (AuthError, ConfigError, WrongEndpointError):
        raise
    except RagqaError:
        return None, turn
    whole = reply.finish_reason is not None and reply.refusal is None
    return reply.text if whole else None, replace(turn, usage=turn.usage + reply.usage)


def _role(name: str) -> Role:
    return "system" if name == "system" else "user"
