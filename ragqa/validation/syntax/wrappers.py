"""Take an object out of the clothing that names it: a tool call, or the schema's own name.

Only a wrapper that bears the schema's own name is opened, and only if nothing is lost by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ragqa.validation.shape import Shape

ARGUMENT_KEYS: Final = (
    "arguments",
    "parameters",
    "args",
    "input",
    "tool_input",
    "params",
    "kwargs",
    "parsed_arguments",
)
NAME_KEYS: Final = ("name", "tool", "tool_name", "function", "function_name", "recipient_name")
ENVELOPES: Final = ("function", "function_call", "functionCall", "tool_call", "tool_calls")
_TRIMMINGS: Final = frozenset({"id", "type", "call_id", "tool_call_id", "index", "status"})
"""Keys of a call that say nothing about its arguments."""


def unwrapped(value: Any, shape: Shape) -> tuple[Any, str]:
    """Take one wrapper off.

    Args:
        value: What was read from a text.
        shape: What is wanted.

    Returns:
        What was inside (a str holds JSON text), and the repair's name; the value itself and ``""``
        where there is no wrapper, or one that bears another name.
    """
    if isinstance(value, list):
        return (value[0], "one_element_list") if len(value) == 1 else (value, "")
    if not isinstance(value, dict) or (shape.required and shape.complete(value)):
        return value, ""
    if len(value) == 1:
        ((key, inner),) = value.items()
        if shape.bears(key) and isinstance(inner, dict | str):
            return inner, "schema_name_wrapper"
    inner = _from_call(value, shape)
    return (value, "") if inner is None else (inner, "tool_call_wrapper")


def _from_call(value: Mapping[str, Any], shape: Shape) -> Any:
    """Return a call's arguments, or the call inside an envelope; None if there is none."""
    telling = {key: item for key, item in value.items() if key not in _TRIMMINGS}
    if len(telling) == 1:
        ((key, inner),) = telling.items()
        if key in ENVELOPES and _has_call(inner, shape):
            return inner
    names = [key for key in NAME_KEYS if isinstance(telling.get(key), str)]
    arguments = [key for key in ARGUMENT_KEYS if key in telling]
    if len(telling) != 2 or len(names) != 1 or len(arguments) != 1:
        return None
    inner = telling[arguments[0]]
    is_ours = shape.bears(telling[names[0]]) and isinstance(inner, dict | str)
    return inner if is_ours else None


def _has_call(inner: Any, shape: Shape) -> bool:
    """Tell whether an envelope holds one call of ours, so that nothing else is opened."""
    if isinstance(inner, list):
        return len(inner) == 1 and _has_call(inner[0], shape)
    if not isinstance(inner, dict):
        return False
    return _from_call(inner, shape) is not None


def called_name(value: Any) -> str:
    """Return the name of the tool that a value calls, or ``""`` if it is no call."""
    if not isinstance(value, dict) or not any(key in value for key in ARGUMENT_KEYS):
        return ""
    return next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), "")
