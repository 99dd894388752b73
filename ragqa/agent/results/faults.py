"""What a tool's result says beside its text: that the call failed, or a service's id."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from ragqa.agent.results.text import block_text, unwrapped

_FAILURE_KEYS: Final = frozenset(
    {
        *("error", "errors", "code", "message", "detail", "details", "status", "status_code"),
        *("statuscode", "type", "title", "instance", "request_id", "requestid", "trace_id"),
        *("iserror", "is_error", "ok", "success"),
    }
)
"""Keys of an object that holds nothing but an error, as services send it (RFC 9457, for one)."""

_ID_KEYS: Final = ("request_id", "requestId", "x-request-id", "operation_id", "job_id", "jobId")


def says_error(result: Any) -> bool:
    """Tell whether a result itself says that the call failed: MCP's isError, an error message."""
    try:
        return _says_error(result)
    except Exception:
        return False


def request_id_in(result: Any) -> str | None:
    """Return the service's id of the request or the job, where a result holds one."""
    try:
        found = _object_in(unwrapped(result))
    except Exception:  # a foreign object's own methods may do anything
        return None
    for name in _ID_KEYS:
        value = found.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value):
            return str(value)[:200]
    return None


def _says_error(result: Any) -> bool:
    if isinstance(result, BaseException) or _is_marked(result):
        return True
    if hasattr(result, "goto") and isinstance(getattr(result, "update", None), Mapping):
        return any(_says_error(message) for message in result.update.get("messages") or ())
    found = _object_in(unwrapped(result))
    if found.get("isError") is True or found.get("is_error") is True:
        return True
    return found.get("success") is False or found.get("ok") is False or _holds_only_an_error(found)


def _is_marked(result: Any) -> bool:
    """Tell whether a message or an MCP result is marked as an error."""
    return getattr(result, "isError", False) is True or getattr(result, "status", "") == "error"


def _holds_only_an_error(found: Mapping[str, Any]) -> bool:
    said = {str(key).lower() for key, value in found.items() if value not in (None, "", [], {})}
    return bool(said & {"error", "errors"}) and said <= _FAILURE_KEYS


def _object_in(value: Any) -> Mapping[str, Any]:
    """Return the JSON object that a value is or holds as text; empty where there is none."""
    if isinstance(value, list) and len(value) == 1:
        value = block_text(value[0]) or value
    if isinstance(value, str) and value.lstrip().startswith("{") and len(value) < 100_000:
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, Mapping) else {}
