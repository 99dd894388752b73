"""Tool calls of many servers, brought to what LangChain reads without raising or guessing."""

from __future__ import annotations

import json
from typing import Any

MARK = " …"
"""Stands behind the arguments of a call that are not one clear object."""


def whole_calls(said: Any) -> list[dict[str, Any]]:
    """Return the calls of a complete reply with their arguments as text."""
    calls = said if isinstance(said, list) else []
    return [
        spelled(
            {
                **call,
                "function": {**call["function"], "arguments": _sent_arguments(call["function"])},
            }
        )
        for call in calls
        if isinstance(call, dict) and isinstance(call.get("function"), dict)
    ]


def spelled(call: dict[str, Any]) -> dict[str, Any]:
    """Return a call, or a fragment of one, whose id and name are texts: some servers count."""
    function = call["function"]
    return {**call, **_text(call, "id"), "function": {**function, **_text(function, "name")}}


def _text(said: dict[str, Any], key: str) -> dict[str, str]:
    return {} if said.get(key) is None else {key: str(said[key])}


def _sent_arguments(function: dict[str, Any]) -> str:
    """Return arguments as text that is JSON only where it is one clear object.

    LangChain raises for any other JSON (``[1]``), and the whole reply would be lost with it; of a
    key that stands twice it takes the last. Text that is no JSON it keeps for whoever reads the
    call.
    """
    arguments = function.get("arguments")
    if arguments is None or isinstance(arguments, dict):
        return json.dumps(arguments or {}, ensure_ascii=False)
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    try:
        value = json.loads(text, object_pairs_hook=_object_of)
        if isinstance(value, str) and value:  # encoded twice, as small models do
            value, text = json.loads(value, object_pairs_hook=_object_of), value
    except (ValueError, RecursionError):
        return f"{text}{MARK}"
    return text if isinstance(value, dict) or not value else f"{text}{MARK}"


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands there twice")
    return found
