"""The forms that one request can take, from the richest to the plainest.

A payload asks for its format by ``response_format`` of type ``json_schema``. Where an endpoint
refuses that, the same schema goes as the arguments of a function that has to be called, or as
plain JSON mode, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

Mode = Literal["json_schema", "function_calling", "json_mode"]
DEFAULT_ORDER: tuple[Mode, ...] = ("json_schema", "function_calling", "json_mode")

_PLAIN: tuple[str, ...] = ("temperature", "stream_options", "encoding_format")
_LIMITS = ("max_completion_tokens", "max_tokens")
_TEXTS = ("messages", "input")
USER_AFTER_TOOL = "user_after_tool"
"""The feature that a user may speak after the result of a tool."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Form:
    """A request body, and what of it an endpoint may refuse.

    Attributes:
        body: What is sent.
        features: The optional features in it.
        by_function: Whether the reply comes as the arguments of a function.
    """

    body: dict[str, Any]
    features: frozenset[str]
    by_function: bool = False


def form_of(
    payload: Mapping[str, Any],
    refused: Collection[str],
    *,
    order: tuple[Mode, ...] = DEFAULT_ORDER,
    limit_name: str = "max_tokens",
) -> Form:
    """Return the richest form of a payload that uses nothing refused.

    Args:
        payload: The whole request.
        refused: Features that the endpoint is known to refuse.
        order: Ways to ask for a format, the preferred one first.
        limit_name: What this kind of service calls the limit of the reply.
    """
    body = {
        key: _encodable(value) if key in _TEXTS else value
        for key, value in payload.items()
        if value is not None
    }
    features = {name for name in _PLAIN if name in body}
    for name in features & set(refused):
        del body[name]
    features |= _rename_limit(body, refused, limit_name)
    features |= _take_tools(body, refused)
    features |= _take_roles(body, refused)
    mode = _take_mode(body, refused, order)
    sent = (features | ({mode} if mode else set())) - set(refused)
    return Form(body, frozenset(sent), by_function=mode == "function_calling")


def _encodable(value: Any) -> Any:
    """Put U+FFFD in place of halves of characters, which no request can carry.

    Models break off within an emoji, and what they said goes back to them.
    """
    if isinstance(value, str):
        return value if value.isascii() else _HALF_CHARACTER.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {key: _encodable(each) for key, each in value.items()}
    return [_encodable(each) for each in value] if isinstance(value, list) else value


def _rename_limit(body: dict[str, Any], refused: Collection[str], preferred: str) -> set[str]:
    """Send the reply's limit under the name that the endpoint takes, or not at all."""
    limit = next((body.pop(name) for name in _LIMITS if name in body), None)
    names = sorted(_LIMITS, key=lambda name: name != preferred)
    name = next((name for name in names if name not in refused), None)
    if limit is None or name is None:
        return set()
    body[name] = limit
    return {name}


def _take_tools(body: dict[str, Any], refused: Collection[str]) -> set[str]:
    """Leave out how tools are chosen where that is refused; what is chosen from always stays."""
    if "tools" not in body:
        return set()
    if "tool_choice" in refused:
        body.pop("tool_choice", None)
    return {"tools", "tool_choice"} & body.keys()


def _take_roles(body: dict[str, Any], refused: Collection[str]) -> set[str]:
    """Say beforehand what is said after results of tools, where no user may speak there.

    So it is with Mistral, and with the templates of its models in other servers.
    """
    messages = body.get("messages")
    if not isinstance(messages, list):
        return set()
    late = [
        number
        for number, (before, message) in enumerate(pairwise(messages), 1)
        if (before.get("role"), message.get("role")) == ("tool", "user")
        and isinstance(message.get("content"), str)
    ]
    if late and USER_AFTER_TOOL in refused:
        said = [messages[number]["content"] for number in late]
        rest = [each for number, each in enumerate(messages) if number not in late]
        if rest[0].get("role") == "system" and isinstance(rest[0].get("content"), str):
            said.insert(0, rest.pop(0)["content"])
        body["messages"] = [{"role": "system", "content": "\n\n".join(said)}, *rest]
    return {USER_AFTER_TOOL} if late else set()


def _take_mode(
    body: dict[str, Any], refused: Collection[str], order: tuple[Mode, ...]
) -> Mode | None:
    """Put the wanted format into the body in the first way that is open."""
    wanted = body.get("response_format")
    if not isinstance(wanted, dict) or wanted.get("type") != "json_schema":
        return None
    del body["response_format"]
    for mode in order:
        if mode in refused:
            continue
        if mode == "json_schema":
            body["response_format"] = wanted
        elif mode == "function_calling" and "tools" not in body:
            body.update(_function(wanted["json_schema"]))
        elif mode == "json_mode" and _mentions_json(body.get("messages", ())):
            body["response_format"] = {"type": "json_object"}
        else:
            continue
        return mode
    return None


def _function(described: Mapping[str, Any]) -> dict[str, Any]:
    name = described["name"]
    function = {
        "name": name,
        "description": described["schema"].get("description", "Give the reply."),
        "parameters": described["schema"],
        "strict": described["strict"],
    }
    return {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": name}},
    }


def _mentions_json(messages: Any) -> bool:
    """JSON mode is refused where no message says JSON (OpenAI's API reference, response_format)."""
    return any("json" in str(message.get("content", "")).lower() for message in messages)
