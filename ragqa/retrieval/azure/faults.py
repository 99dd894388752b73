"""Turn every error of the Azure SDKs into one of ragqa's; the only place that does."""

from __future__ import annotations

import math
import re
from typing import Any

from ragqa.errors import AuthError, ConfigError, RagqaError, RetrievalError
from ragqa.masking import mask
from ragqa.waiting import retry_after_s

_LONGEST_MESSAGE = 300
_OTHER_TYPE = ("incompatible types", "No function signature")  # the second of search.in
_NOT_SELECTED = re.compile(r"Could not find a property named '([^']+)'.*\$select", re.DOTALL)

# The SDK's async transport takes these of aiohttp for errors of sending.
_BROKEN_OFF = ("ServerDisconnectedError", "ClientOSError", "ClientConnectionResetError")

RETRYABLE = frozenset({408, 429, 500, 502, 503, 504})
"""Source: https://learn.microsoft.com/rest/api/searchservice/http-status-codes"""


def status_of(exc: BaseException) -> int | None:
    """Return the HTTP status of an SDK error, if it is one that a response brought."""
    status = getattr(exc, "status_code", None)
    return status if isinstance(status, int) else None


def headers_of(exc: BaseException) -> Any:
    """Return the headers of the response that an SDK error came with."""
    return getattr(getattr(exc, "response", None), "headers", None) or {}


def missing_field(exc: BaseException) -> str | None:
    """Return the field that a search asked for and the index lacks, if that is the error."""
    found = _NOT_SELECTED.search(_message(exc)) if status_of(exc) == 400 else None
    return found[1] if found else None


def is_of_other_type(exc: BaseException) -> bool:
    """Tell whether a filter compares a field with a value, or a list, of another type."""
    return status_of(exc) == 400 and any(said in _message(exc) for said in _OTHER_TYPE)


def names_collection(exc: BaseException) -> bool | None:
    """Tell whether that error comes of a field of several values; None where it does not tell."""
    said = _message(exc)
    if "Collection(" in said:
        return True
    return None if _OTHER_TYPE[1] in said else False


def is_broken_off(exc: BaseException) -> bool:
    """Tell whether a connection broke that had been made: who was never reached is not there."""
    if isinstance(exc, RagqaError) or status_of(exc) is not None:
        return False
    from azure.core import exceptions as core

    inner = type(getattr(exc, "inner_exception", None)).__name__
    return isinstance(exc, core.ServiceResponseError) or inner in _BROKEN_OFF


def translate(exc: Exception, *, index: str, host: str) -> RagqaError:
    """Return the error to raise for one of the SDK's.

    Args:
        exc: What the SDK raised.
        index: The index's name.
        host: The service's host.
    """
    if isinstance(exc, RagqaError):
        return exc
    from azure.core import exceptions as core

    if isinstance(exc, core.HttpResponseError) and status_of(exc) is not None:
        if isinstance(exc, core.DecodeError):
            return no_service(host)
        return _of_status(exc, index=index, host=host)
    return _unanswered(exc, host)


def _unanswered(exc: Exception, host: str) -> RagqaError:
    from azure.core import exceptions as core

    late = core.ServiceResponseTimeoutError | core.ServiceRequestTimeoutError | TimeoutError
    if isinstance(exc, core.ClientAuthenticationError):
        return AuthError(
            f"No token could be had for {host}.",
            hint="Sign in (az login), use a managed identity, or set AZURE_SEARCH_API_KEY.",
        )
    if isinstance(exc, core.DecodeError | ValueError | LookupError | AttributeError | TypeError):
        # The SDK trips over replies of another form in all these ways.
        return no_service(host)
    if isinstance(exc, late) or "timed out" in str(exc).lower():
        return _given_up(f"{host} took too long.", "Try again, or raise RAGQA_TIMEOUT_S.")
    if isinstance(exc, core.AzureError | OSError):
        return _given_up(
            f"{host} cannot be reached.", "Check AZURE_SEARCH_ENDPOINT and the network."
        )
    return _given_up(
        f"Azure AI Search could not be used ({type(exc).__name__}).", "RAGQA_DEBUG=1 shows where."
    )


def _of_status(exc: Any, *, index: str, host: str) -> RagqaError:
    status, said = status_of(exc), _said(exc)
    if status in (401, 403):
        return AuthError(
            f"{host} refuses the key or the identity (HTTP {status}).",
            hint="Check AZURE_SEARCH_API_KEY; without a key, the identity needs the role "
            "'Search Index Data Reader' (for indexing 'Search Index Data Contributor')."
            + (" Or its firewall does not let this machine in." if status == 403 else ""),
        )
    if status == 404:
        return _not_found(said, index=index, host=host)
    if status == 400:
        return _bad_request(said, index=index)
    if status in RETRYABLE:
        return _given_up(f"{host} is busy or out of order (HTTP {status}).", _when(exc))
    if status is not None and (300 <= status < 400 or status in (405, 501)):
        return _wrong_endpoint(f"{host} does not answer as a search service (HTTP {status}).")
    return _given_up(f"{host} answered {status or 'with an error'}: {said}", "")


def _when(exc: Any) -> str:
    wait = retry_after_s(headers_of(exc))
    return f"It asks to try again in {math.ceil(wait):,} seconds." if wait else "Try again later."


def _not_found(said: str, *, index: str, host: str) -> RagqaError:
    if "index" in said.lower():
        return RetrievalError(
            f"{host} has no index {index!r}.",
            hint="Check AZURE_SEARCH_INDEX, or make it: ragqa index PATH --to azure",
        )
    return _wrong_endpoint(f"{host} knows no such address (HTTP 404).")


def no_service(host: str) -> ConfigError:
    """Return the error of a reply that no search service gives."""
    return _wrong_endpoint(f"What answers at {host} is no search service.")


def _wrong_endpoint(message: str) -> ConfigError:
    return ConfigError(message, hint="Check AZURE_SEARCH_ENDPOINT.")


_COMPLAINTS: tuple[tuple[str, str, str], ...] = (
    (
        r"semantic",
        "The index {index!r} cannot be searched with that semantic configuration: {said}",
        "Check AZURE_SEARCH_SEMANTIC_CONFIG, or use RAGQA_SEARCH_TYPE=hybrid.",
    ),
    (
        r"dimension|vector (?:field|length|size)|vectorQueries|vector query",
        "The vectors do not fit the index {index!r}: {said}",
        "Use the embedding model that the index was made with "
        "(AZURE_OPENAI_EMBEDDING_DEPLOYMENT, AZURE_SEARCH_FIELD_VECTOR), or index anew.",
    ),
    (
        r"name: (?:\$select|\$orderby|searchFields)",
        "The index {index!r} lacks a field: {said}",
        "Check AZURE_SEARCH_FIELD_ID, _TITLE, _CONTENT, _PATH, _PAGE; ragqa doctor compares them.",
    ),
    (
        r"\$filter|invalid expression|filter",
        "The filter does not fit the index {index!r}: {said}",
        "Check AZURE_SEARCH_FILTER, RAGQA_FILTER, AZURE_SEARCH_FIELD_GROUPS and the categories' "
        "strategies: a field must exist and be filterable.",
    ),
    (
        r"\$select|could not find a property|field",
        "The fields of the index {index!r} are not those of the settings: {said}",
        "Check AZURE_SEARCH_FIELD_ID, _TITLE, _CONTENT, _PATH, _PAGE; ragqa doctor compares them.",
    ),
)


def _bad_request(said: str, *, index: str) -> RagqaError:
    if "quota" in said.lower():
        return _given_up(
            f"The search service is full: {said}", "Make room there, or take a larger tier."
        )
    for pattern, message, hint in _COMPLAINTS:
        if re.search(pattern, said, re.IGNORECASE):
            return ConfigError(message.format(index=index, said=said), hint=hint)
    return ConfigError(f"Azure AI Search does not take the request: {said}")


def _given_up(message: str, hint: str) -> RetrievalError:
    return RetrievalError(message, hint=hint)


def _said(exc: Any) -> str:
    """Return what the service said, on one line, masked and bounded."""
    return mask(" ".join(_message(exc).split()))[:_LONGEST_MESSAGE]


def _message(exc: Any) -> str:
    error = getattr(exc, "error", None)
    return str(getattr(error, "message", None) or getattr(exc, "message", "") or exc)
