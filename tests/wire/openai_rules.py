"""What the real service refuses in a request, so that a client's fault is not overlooked."""

from __future__ import annotations

import re
from typing import Any

from tests.wire.openai_refusals import JsonObject, invalid
from tests.wire.openai_strict import check_strict

CHAT_KEYS = frozenset(
    {
        "audio",
        "frequency_penalty",
        "function_call",
        "functions",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "metadata",
        "modalities",
        "model",
        "moderation",
        "n",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning_effort",
        "response_format",
        "safety_identifier",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
        "web_search_options",
    }
)
MESSAGE_KEYS = frozenset(
    {"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "audio", "function_call"}
)
EMBEDDING_KEYS = frozenset({"model", "input", "encoding_format", "dimensions", "user"})
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
NUMBERS: dict[str, tuple[float, float]] = {
    "temperature": (0, 2),
    "top_p": (0, 1),
    "presence_penalty": (-2, 2),
    "frequency_penalty": (-2, 2),
}
COUNTS = ("max_tokens", "max_completion_tokens", "n", "seed", "top_logprobs")
TYPES: dict[str, type] = {
    "model": str,
    "messages": list,
    "stream": bool,
    "tools": list,
    "response_format": dict,
    "stream_options": dict,
    "parallel_tool_calls": bool,
    "logprobs": bool,
    "store": bool,
    "user": str,
}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def check_chat(body: Any) -> None:
    """Raise what the service answers to a wrong chat request."""
    if not isinstance(body, dict):
        raise invalid("Invalid body: failed to parse JSON value. An object was expected.")
    if "model" not in body:
        raise invalid("you must provide a model parameter")
    if "messages" not in body:
        raise invalid(
            "Missing required parameter: 'messages'.", "messages", "missing_required_parameter"
        )
    for key in body:
        if key not in CHAT_KEYS:
            raise invalid(f"Unknown parameter: '{key}'.", key, "unknown_parameter")
    for name, kind in TYPES.items():
        if name in body and type(body[name]) is not kind:
            raise wrong_type(name, kind.__name__)
    _check_numbers(body)
    _check_messages(body["messages"])
    _check_tools(body)
    _check_format(body)
    if "stream_options" in body and not body.get("stream"):
        raise invalid(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            "stream_options",
        )


def check_embedding(body: Any) -> None:
    """Raise what the service answers to a wrong embedding request."""
    if not isinstance(body, dict) or "model" not in body:
        raise invalid("you must provide a model parameter")
    for key in body:
        if key not in EMBEDDING_KEYS:
            raise invalid(f"Unknown parameter: '{key}'.", key, "unknown_parameter")
    texts = body.get("input")
    texts = texts if isinstance(texts, list) else [texts]
    if not texts or len(texts) > 2048 or not all(isinstance(text, str) for text in texts):
        raise wrong_type("input", "string")
    if not all(texts):
        raise invalid("'$.input' is invalid. Please check the API reference.", "input")


def wrong_type(name: str, expected: str) -> Exception:
    return invalid(f"Invalid type for '{name}': expected a {expected}.", name, "invalid_type")


def _check_numbers(body: JsonObject) -> None:
    for name, (least, most) in NUMBERS.items():
        value = body.get(name, least)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong_type(name, "decimal")
        if not least <= value <= most:
            side = "above maximum" if value > most else "below minimum"
            code = f"decimal_{side.replace(' ', '_')}_value"
            raise invalid(f"Invalid '{name}': decimal {side} value.", name, code)
    for name in COUNTS:
        value = body.get(name, 1)
        if type(value) is not int:
            raise wrong_type(name, "integer")
        if value < 1 and name != "seed":
            raise invalid(
                f"Invalid '{name}': integer below minimum value. Expected a value >= 1.",
                name,
                "integer_below_min_value",
            )
    if "max_tokens" in body and "max_completion_tokens" in body:
        raise invalid(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
            "max_tokens",
        )


def _check_messages(messages: list[Any]) -> None:
    if not messages:
        raise invalid("Invalid 'messages': empty array.", "messages", "empty_array")
    due: list[str] = []
    for i, message in enumerate(messages):
        where = f"messages[{i}]"
        if not isinstance(message, dict):
            raise wrong_type(where, "object")
        for key in message:
            if key not in MESSAGE_KEYS:
                raise invalid(
                    f"Unknown parameter: '{where}.{key}'.", f"{where}.{key}", "unknown_parameter"
                )
        role = message.get("role")
        if role not in ROLES:
            raise invalid(
                f"Invalid value: '{role}'. Supported values are: {', '.join(ROLES)}.",
                f"{where}.role",
                "invalid_value",
            )
        _check_content(message, where)
        due = _calls_due(message, due, where)
    if due:
        raise _unanswered(due)


def _check_content(message: JsonObject, where: str) -> None:
    content = message.get("content")
    if content is None and message["role"] == "assistant" and message.get("tool_calls"):
        return
    if not isinstance(content, str | list):
        raise invalid(
            f"Invalid value for 'content': expected a string, got {type(content).__name__}.",
            f"{where}.content",
            "invalid_type",
        )


def _calls_due(message: JsonObject, due: list[str], where: str) -> list[str]:
    """Follow which tool calls still wait for their result."""
    if message["role"] == "tool":
        if message.get("tool_call_id") not in due:
            raise invalid(
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
                "message with 'tool_calls'.",
                f"{where}.role",
            )
        return [call for call in due if call != message["tool_call_id"]]
    if due:
        raise _unanswered(due)
    calls = message.get("tool_calls") or []
    for call in calls:
        if not (isinstance(call, dict) and call.get("id") and call.get("type") == "function"):
            raise invalid("Missing required parameter.", f"{where}.tool_calls[0].id")
        if not isinstance(call.get("function", {}).get("arguments"), str):
            raise wrong_type(f"{where}.tool_calls[0].function.arguments", "string")
    return [call["id"] for call in calls]


def _unanswered(due: list[str]) -> Exception:
    return invalid(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to "
        "each 'tool_call_id'. The following tool_call_ids did not have response messages: "
        + ", ".join(due),
        "messages",
    )


def _check_tools(body: JsonObject) -> None:
    for name in ("tool_choice", "parallel_tool_calls"):
        if name in body and "tools" not in body:
            raise invalid(f"'{name}' is only allowed when 'tools' are specified.", name)
    names = []
    for i, tool in enumerate(body.get("tools", [])):
        where = f"tools[{i}].function"
        function = tool.get("function") if isinstance(tool, dict) else None
        if not isinstance(function, dict) or tool.get("type") != "function":
            raise invalid(f"Missing required parameter: '{where}'.", where)
        if not NAME.fullmatch(str(function.get("name"))):
            raise invalid(
                f"Invalid '{where}.name': string does not match pattern.",
                f"{where}.name",
                "invalid_value",
            )
        names.append(function["name"])
        _check_parameters(function, i)
        if function.get("strict"):
            said = f"Invalid schema for function '{function['name']}'"
            check_strict(function.get("parameters"), said, f"{where}.parameters")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise invalid(f"Duplicate function name: '{twice}'.", "tools")
    choice = body.get("tool_choice")
    if isinstance(choice, str) and choice not in ("auto", "none", "required"):
        raise invalid(f"Invalid value: '{choice}'.", "tool_choice", "invalid_value")
    if isinstance(choice, dict) and choice.get("function", {}).get("name") not in names:
        raise invalid("Tool choice not found in 'tools' parameter.", "tool_choice")


def _check_parameters(function: JsonObject, number: int) -> None:
    """Refuse parameters that are no schema of an object, as the service does at once."""
    param = f"tools[{number}].function.parameters"
    said = f"Invalid schema for function '{function['name']}'"
    schema = function.get("parameters", {"type": "object", "properties": {}})
    if not isinstance(schema, dict) or schema.get("type") != "object":
        kind = schema.get("type") if isinstance(schema, dict) else None
        raise invalid(
            f"{said}: schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'.",
            param,
            "invalid_function_parameters",
        )
    if "properties" not in schema:
        raise invalid(
            f"{said}: In context=(), object schema missing properties.",
            param,
            "invalid_function_parameters",
        )
    for name, node in schema["properties"].items():
        if isinstance(node, dict) and node.get("type") == "array" and "items" not in node:
            raise invalid(
                f"{said}: In context=('properties', '{name}'), array schema missing items.",
                param,
                "invalid_function_parameters",
            )


def _check_format(body: JsonObject) -> None:
    wanted = body.get("response_format")
    if wanted is None:
        return
    kind = wanted.get("type")
    if kind not in ("text", "json_object", "json_schema"):
        raise invalid(
            f"Invalid value: '{kind}'. Supported values are: 'json_object', 'json_schema', and "
            "'text'.",
            "response_format.type",
            "invalid_value",
        )
    if kind == "json_object" and "json" not in str(body["messages"]).lower():
        raise invalid(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of "
            "type 'json_object'.",
            "messages",
        )
    if kind == "json_schema":
        described = wanted.get("json_schema")
        if not isinstance(described, dict) or not NAME.fullmatch(str(described.get("name"))):
            raise invalid(
                "Missing required parameter: 'response_format.json_schema.name'.",
                "response_format.json_schema.name",
                "missing_required_parameter",
            )
        if described.get("strict"):
            said = f"Invalid schema for response_format '{described['name']}'"
            check_strict(described.get("schema"), said, "response_format")
