"""The key of a business operation: the same over all attempts, made from the real arguments."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ragqa.agent.policy import ToolPolicy
from ragqa.errors import ConfigError

_LETTERS = str.maketrans("0123456789abcdef", "ghijklmnopabcdef")
MAX_KEY_CHARS = 200


def operation_key(
    tool: str,
    policy: ToolPolicy,
    arguments: Mapping[str, Any],
    *,
    run_id: str,
    session_id: str | None = None,
    record_id: str = "",
) -> str:
    """Return the key of an operation.

    A function's key is used as it is, since a service may know it. All others are a digest that
    shows nothing of the arguments, in letters only, so that no masking takes a piece of it for a
    number.

    Args:
        tool: The tool's name.
        policy: Says what makes two calls the same operation, and where.
        arguments: The real arguments, normalised, with their defaults.
        run_id: The run that asks.
        session_id: Its conversation, if any.
        record_id: The record of the call, for operations that are new each time.

    Raises:
        ConfigError: If the policy's function fails or gives no key.
    """
    if policy.repeatable:
        return _digest(tool, "call", record_id)
    if policy.key is None:
        return _digest(tool, "run", run_id, arguments)
    scope = {"everywhere": "", "session": session_id or run_id, "run": run_id}[policy.key_scope]
    if not callable(policy.key):
        parts = {name: arguments.get(name) for name in policy.key}
        return _digest(tool, policy.key_scope, scope, parts)
    key = _made(tool, policy, arguments)
    return f"{key}-{_digest('', scope)[1:9]}" if scope else key


def _made(tool: str, policy: ToolPolicy, arguments: Mapping[str, Any]) -> str:
    assert callable(policy.key), "only functions make keys"
    try:
        key: Any = policy.key(dict(arguments))
    except Exception as exc:
        raise ConfigError(
            f"The function that makes the operation key of {tool} failed with {type(exc).__name__}."
        ) from exc
    usable = isinstance(key, str) and bool(key.strip()) and len(key) <= MAX_KEY_CHARS
    if not usable:
        raise ConfigError(
            f"The function that makes the operation key of {tool} gave no usable text.",
            hint=f"It has to return 1 to {MAX_KEY_CHARS} characters.",
        )
    return str(key)


def digest_of(arguments: Any) -> str:
    """Return a digest by which the same arguments are recognised, however they are ordered."""
    return hashlib.sha256(_canonical(arguments).encode("utf-8", "surrogatepass")).hexdigest()


def _digest(tool: str, *parts: Any) -> str:
    """Return 26 letters: 104 bits, enough for no two operations ever to meet."""
    return f"{tool}-{digest_of([tool, *parts])[:26].translate(_LETTERS)}"


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str)
