"""Turn every foreign error of a model call into one of ragqa's; the only place that does.

    openai.APIStatusError       by status and body, see ragqa.providers.refusals
    openai.APIConnectionError   TransportError; a time-out too
    openai.APIError             an error event inside a stream, by its body
    langchain-core ModelError   by kind
    httpx, sockets, time-outs   TransportError
    azure-identity              AuthError: no token
    JSON, types, keys           TransportError: the reply was malformed

What is not foreign passes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from ragqa.errors import ContentFilterError, ProviderError, RagqaError, RefusalError
from ragqa.masking import mask
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.fault import Fault, read_fault
from ragqa.providers.normal import FaultInReplyError, NoServiceError
from ragqa.providers.refusals import (
    interrupted,
    malformed,
    no_service,
    no_such_model,
    no_token,
    refusal,
    refused_key,
    repeats,
    slow_down,
    too_long,
    took_too_long,
    unreachable,
)

Maker = Callable[[Any, Endpoint, str], RagqaError]
Makers = tuple[tuple[type[Exception], Maker], ...]

_HTTP_PACKAGES = frozenset({"httpx", "httpx2", "httpcore", "httpcore2", "h11", "anyio"})


def translate(exc: Exception, at: Endpoint, *, prompt: str = "") -> Exception:
    """Return the error to raise ``from`` a foreign one; errors that are not foreign as they are.

    Args:
        exc: What was raised.
        at: The service that was called.
        prompt: The text that was sent; a message that repeats some of it is not shown.
    """
    if isinstance(exc, RagqaError):
        return exc
    if _is_http_error(exc):
        return took_too_long(at) if "Timeout" in type(exc).__name__ else unreachable(at)
    if _package(exc) == "azure":  # azure-identity: nothing else of it is called here
        return no_token(at)
    for kind, make in makers():
        if isinstance(exc, kind):
            return make(exc, at, prompt)
    return exc


def cause_of(exc: Exception, error: Exception, at: Endpoint, prompt: str = "") -> Exception | None:
    """Return what to raise ``error`` from: a service may repeat the key or the prompt.

    Tracebacks print the cause, so one that holds either is left out. A token is not known here,
    but looks like one.
    """
    said = str(exc)
    if at.entra and mask(said) != said:
        return None
    if error is exc or (at.key and at.key in said) or repeats(said, prompt):
        return None
    return exc


def fault_of(exc: Exception) -> tuple[Fault | None, Any]:
    """Return what a refusal said and the headers it came with; None where nothing was said."""
    import openai

    if isinstance(exc, openai.APIStatusError):
        body = exc.body if exc.body is not None else exc.response.text
        return read_fault(exc.status_code, body), exc.response.headers
    if isinstance(exc, openai.APIError | FaultInReplyError) and exc.body is not None:
        return _fault_with_status(exc.body), {}  # inside a stream, or of a gateway
    return None, {}


def _fault_with_status(body: Any) -> Fault:
    """Read a fault that came without a status of its own; its code may be one."""
    fault = read_fault(0, body)
    status = next((code for code in fault.code.split() if re.fullmatch("[45][0-9]{2}", code)), "0")
    return replace(fault, status=int(status))


@cache
def makers() -> Makers:
    """Return what each kind of foreign error becomes; the first that fits counts."""
    return (*_of_sdk(), *_of_langchain(), *_of_python())


def _refused(exc: Any, at: Endpoint, prompt: str) -> RagqaError:
    fault, headers = fault_of(exc)
    return refusal(fault, at, headers, prompt) if fault else interrupted(at)


def _of_sdk() -> Makers:
    import openai
    from openai import _exceptions as more  # the one class that openai does not export

    return (
        (openai.APIResponseValidationError, lambda exc, at, prompt: malformed(at)),
        (openai.APITimeoutError, lambda exc, at, prompt: took_too_long(at)),
        (openai.APIConnectionError, lambda exc, at, prompt: unreachable(at)),
        (openai.APIError, _refused),
        (openai.ContentFilterFinishReasonError, lambda exc, at, prompt: _filtered_answer(at)),
        (openai.LengthFinishReasonError, lambda exc, at, prompt: _cut_off(at)),
        (openai.WebSocketConnectionClosedError, lambda exc, at, prompt: interrupted(at)),
        (openai.WebSocketQueueFullError, lambda exc, at, prompt: interrupted(at)),
        (more.SubjectTokenProviderError, lambda exc, at, prompt: no_token(at)),
        (openai.InvalidWebhookSignatureError, lambda exc, at, prompt: _unusable(at)),
        (openai.OpenAIError, lambda exc, at, prompt: _unusable(at)),
    )


def _of_langchain() -> Makers:
    from langchain_core import exceptions as core

    return (
        (core.ContextOverflowError, lambda exc, at, prompt: too_long(at)),
        (core.ModelAuthenticationError, lambda exc, at, prompt: refused_key(at)),
        (core.ModelPermissionDeniedError, lambda exc, at, prompt: refused_key(at)),
        (core.ModelNotFoundError, lambda exc, at, prompt: no_such_model(at)),
        (core.ModelRateLimitError, lambda exc, at, prompt: slow_down(at, {})),
        (core.ModelTimeoutError, lambda exc, at, prompt: took_too_long(at)),
        (core.ModelConnectionError, lambda exc, at, prompt: unreachable(at)),
        (core.ModelAPIError, lambda exc, at, prompt: unreachable(at)),
        (core.ModelRefusalError, lambda exc, at, prompt: RefusalError("The model declined.")),
        (core.LangChainException, lambda exc, at, prompt: _unusable(at)),
    )


def _of_python() -> Makers:
    return (
        (FaultInReplyError, _refused),
        (NoServiceError, lambda exc, at, prompt: no_service(at)),
        (TimeoutError, lambda exc, at, prompt: took_too_long(at)),
        (OSError, lambda exc, at, prompt: unreachable(at)),
        (ValueError, lambda exc, at, prompt: malformed(at)),
        (TypeError, lambda exc, at, prompt: malformed(at)),
        (LookupError, lambda exc, at, prompt: malformed(at)),
        (AttributeError, lambda exc, at, prompt: malformed(at)),
        (RecursionError, lambda exc, at, prompt: malformed(at)),  # brackets without end
    )


def _is_http_error(exc: Exception) -> bool:
    """Tell errors of httpx and its successor apart without importing either."""
    return _package(exc) in _HTTP_PACKAGES


def _package(exc: Exception) -> str:
    return type(exc).__module__.partition(".")[0]


def _filtered_answer(at: Endpoint) -> ContentFilterError:
    return ContentFilterError(f"The content filter of {at.host} stopped the answer.")


def _cut_off(at: Endpoint) -> ProviderError:
    return ProviderError(f"{at.host} cut the answer off at its token limit.")


def _unusable(at: Endpoint) -> ProviderError:
    return ProviderError(
        f"{at.host} could not be called.", hint=f"Check {at.url_setting} and {at.key_setting}."
    )
