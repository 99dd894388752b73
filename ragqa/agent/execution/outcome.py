"""What one try of a tool came to: done, failed, or nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ragqa.agent.policy import ToolPolicy
from ragqa.agent.results.faults import request_id_in, says_error
from ragqa.agent.results.text import error_text, text_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one try of a tool came to.

    Attributes:
        kind: ``succeeded``; ``failed``, which is certain; or ``uncertain``: it may have happened.
        text: The result as text, or what went wrong.
        result: What the tool returned; None after an exception.
        request_id: The service's id of the request, where it told one.
        may_pass: Whether the same call may succeed a moment later.
    """

    kind: Literal["succeeded", "failed", "uncertain"]
    text: str
    result: Any = None
    request_id: str | None = None
    may_pass: bool = False


def outcome_of_result(result: Any, policy: ToolPolicy) -> Outcome:
    """Judge what a tool returned."""
    text = text_of(result, policy.max_result_chars)
    request_id = _own_id(result, policy) or request_id_in(result)
    failed = says_error(result)
    return Outcome("failed" if failed else "succeeded", text, result, request_id, may_pass=failed)


def _own_id(result: Any, policy: ToolPolicy) -> str | None:
    if policy.request_id is None:
        return None
    try:
        found = policy.request_id(getattr(result, "artifact", None) or _content(result))
    except Exception:  # a function of the caller's: an id is no reason to lose a result
        return None
    return None if found is None else str(found)


def _content(result: Any) -> Any:
    return result.content if hasattr(result, "content") else result


def outcome_of_error(exc: BaseException, policy: ToolPolicy) -> Outcome:
    """Judge what a tool raised.

    What a service refused did not happen; what broke off may have. Where a verifier can tell,
    only a plain refusal is taken for one.
    """
    kind: Literal["failed", "uncertain"] = "uncertain"
    refused = _refused(exc)
    certain = refused or (policy.verifier is None and (_never_sent(exc) or not _broke_off(exc)))
    if policy.read_only or certain:
        kind = "failed"
    return Outcome(
        kind, error_text(exc), request_id=_request_id(exc), may_pass=_may_pass(exc, refused)
    )


def pauses(exc: BaseException) -> bool:
    """Tell whether a tool does not fail but waits for a person: LangGraph's interrupt."""
    return "GraphBubbleUp" in _names(exc)


_REFUSALS = {"ToolException", "ValidationError", "PermissionError", "McpError"}
_NEVER_SENT = {
    "ConnectError",
    "ConnectTimeout",
    "PoolTimeout",
    "ConnectionRefusedError",
    "gaierror",
}
_BROKE_OFF = {
    "TimeoutError",
    "Timeout",
    "TimeoutException",
    "ConnectionError",
    "TransportError",
    "ProtocolError",
    "RemoteDisconnected",
    "IncompleteRead",
    "IncompleteReadError",
    "APIConnectionError",
    "ClientConnectionError",
    "ServerDisconnectedError",
    "ServiceResponseError",
    "CancelledError",
}
_UNSURE_STATUS = {408, 409, 423, 425}  # the service may have begun, or has done it before


def _names(exc: BaseException) -> set[str]:
    """Return the names of an exception's classes: no library has to be imported for it."""
    return {parent.__name__ for parent in type(exc).__mro__}


def _status(exc: BaseException) -> int | None:
    response = getattr(exc, "response", None)
    for held in (response, exc):
        for name in ("status_code", "status", "code"):
            value = getattr(held, name, None)
            if isinstance(value, int) and 100 <= value < 600:
                return value
    return None


def _refused(exc: BaseException) -> bool:
    status = _status(exc)
    if status is not None:
        return 400 <= status < 500 and status not in _UNSURE_STATUS
    return bool(_names(exc) & _REFUSALS)


def _never_sent(exc: BaseException) -> bool:
    reason = getattr(exc, "reason", None)  # urllib wraps it
    return bool(_names(exc) & _NEVER_SENT) or (
        isinstance(reason, BaseException) and bool(_names(reason) & _NEVER_SENT)
    )


def _broke_off(exc: BaseException) -> bool:
    status = _status(exc)
    if status is not None:
        return status >= 500 or status in _UNSURE_STATUS
    return bool(_names(exc) & (_BROKE_OFF | {"URLError"}))


def _may_pass(exc: BaseException, refused: bool) -> bool:
    status = _status(exc)
    if status is not None:
        return status >= 500 or status in {408, 409, 423, 425, 429}
    return not refused and isinstance(exc, Exception)


def _request_id(exc: BaseException) -> str | None:
    found = getattr(exc, "request_id", None)
    if found is None:
        headers = getattr(getattr(exc, "response", None), "headers", None)
        if headers is not None and hasattr(headers, "get"):
            found = headers.get("x-request-id")
    return str(found)[:200] if isinstance(found, str | int) else None
