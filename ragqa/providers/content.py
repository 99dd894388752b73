"""What a message of a reply says: as text, in parts, or as the arguments of a function."""

from __future__ import annotations

import json
from typing import Any


def text_of(message: dict[str, Any], by_function: bool) -> tuple[str, bool]:
    """Return the text that a message carries, and whether it is a refusal.

    Args:
        message: A whole message, or a piece of one.
        by_function: Whether the text was asked for as a function's arguments.
    """
    if by_function and (arguments := _arguments(message)):
        return arguments, False
    content = message.get("content")
    if content and isinstance(content, dict) and "type" not in content:
        return json.dumps(content, ensure_ascii=False), False  # a gateway read what it passed on
    parts = content if isinstance(content, list) else [content]
    kept = [part for part in parts if isinstance(part, dict) and part.get("type") not in _THOUGHTS]
    for refusal in (message.get("refusal"), *(part.get("refusal") for part in kept)):
        if isinstance(refusal, str) and refusal:
            return refusal, True
    text = content if isinstance(content, str) else "".join(map(_text_of_part, kept))
    return text, False


_THOUGHTS = ("reasoning", "reasoning_text", "thinking")
"""Parts that lead to the reply and belong to none; a draft in them may be a whole object."""


def _text_of_part(part: dict[str, Any]) -> str:
    text = part.get("text")
    return _text(text.get("value") if isinstance(text, dict) else text)


def _arguments(message: dict[str, Any]) -> str:
    """Return the arguments of the first function that is called; fragments while streaming."""
    calls = message.get("tool_calls")
    first = calls[0] if isinstance(calls, list) and calls else None
    function = first.get("function") if isinstance(first, dict) else message.get("function_call")
    if isinstance(first, dict) and first.get("index") not in (None, 0):
        return ""  # a second call: only one was asked for
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(arguments, dict) and arguments:
        return json.dumps(arguments, ensure_ascii=False)  # some servers send them decoded
    return _text(arguments)


def _text(said: Any) -> str:
    return said if isinstance(said, str) else ""
