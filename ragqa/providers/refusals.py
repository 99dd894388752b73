"""The error for each thing that a service may answer instead of a reply.

No message holds a key or a piece of the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ragqa.errors import (
    AuthError,
    ContentFilterError,
    ContextOverflowError,
    ProviderError,
    QuotaError,
    RagqaError,
    RateLimitError,
    ToolsRefusedError,
    TransportError,
    WrongEndpointError,
)
from ragqa.language.late import late
from ragqa.masking import HIDDEN, mask
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.fault import Fault
from ragqa.waiting import retry_after_s

_MODEL = late(
    r"model_not_found|DeploymentNotFound|ModelNotFound|unknown_model|model_not_supported"
    r"|(?:model|deployment)\b.{0,120}(?:does not exist|not exist|not found|not available|unknown)"
    r"|(?:no such|unknown|invalid|unable to find|not a valid) (?:model|deployment)"
    r"|OperationNotSupported|does not work with the specified model",
    re.IGNORECASE | re.DOTALL,
)
_VERSION = late(
    r"(?:unsupported|invalid|unknown)[ _-]?api[ _-]?version"
    r"|api[ _-]?version\b.{0,80}(?:not (?:supported|valid|found)|unsupported|invalid|retired)"
    r"|enabled only for api[ _-]?version",
    re.IGNORECASE | re.DOTALL,
)
"""Services of Azure say it with several statuses: 400 and 404."""

_RUN_CHARS = 16
"""So many characters of a prompt in a message are no chance."""


def refusal(fault: Fault, at: Endpoint, headers: Any, prompt: str = "") -> RagqaError:
    """Return the error for an answer with an error status.

    Args:
        fault: What the service said.
        at: The service.
        headers: Of the response; they may say when to come back.
        prompt: The text that was sent; a message that repeats some of it is not shown.
    """
    words = f"{fault.code} {fault.message}"
    if at.api_version and _VERSION.search(words):
        return _wrong_version(at)
    for pattern, error in _BY_WORDS:
        if pattern.search(words):
            return error(fault, at, headers)
    for statuses, error in _BY_STATUS:
        if fault.status in statuses:
            return error(fault, at, headers)
    if fault.status == 400 and _MODEL.search(words):
        return no_such_model(at)
    if fault.status == 0 or fault.status >= 500:
        status = f" with status {fault.status}" if fault.status else ""
        return TransportError(f"{at.host} failed{status}.", hint=_said(fault, at, prompt))
    return ProviderError(
        f"{at.host} refused the request with status {fault.status}.",
        hint=_said(fault, at, prompt),
    )


def repeats(text: str, prompt: str) -> bool:
    """Tell whether a run of characters of the text stands in the prompt, too."""
    last = max(1, len(text) - _RUN_CHARS + 1)
    return bool(prompt) and any(text[i : i + _RUN_CHARS] in prompt for i in range(last))


def malformed(at: Endpoint) -> TransportError:
    """Return the error of a reply that is not what the protocol says."""
    return TransportError(
        f"The reply of {at.host} is not what the OpenAI protocol says.",
        hint=f"Check {at.url_setting}. {at.url_hint}",
    )


def no_service(at: Endpoint) -> WrongEndpointError:
    """Return the error of something that answers with a page or other text."""
    return WrongEndpointError(
        f"{at.url_setting} leads to {at.host}, where no model service answers.",
        hint=at.url_hint,
    )


def interrupted(at: Endpoint) -> TransportError:
    """Return the error of a connection that broke off before any text."""
    return TransportError(f"The connection to {at.host} broke off.")


def unreachable(at: Endpoint) -> TransportError:
    """Return the error of a service that no connection could be made to, or kept with."""
    return TransportError(
        f"{at.host} could not be reached, or broke off.",
        hint=f"Check {at.url_setting} and the network.",
    )


def took_too_long(at: Endpoint) -> TransportError:
    """Return the error of a time-out."""
    return TransportError(
        f"{at.host} took too long to answer.", hint="RAGQA_TIMEOUT_S sets how long to wait."
    )


def too_long(at: Endpoint) -> ContextOverflowError:
    """Return the error of a prompt that does not fit."""
    return ContextOverflowError(
        f"The prompt is longer than {at.model!r} can read.",
        hint="Lower RAGQA_MAX_PROMPT_TOKENS or RAGQA_MAX_CONTEXT_CHARS.",
    )


def no_tools(at: Endpoint) -> ToolsRefusedError:
    """Return the error of a model or a server that takes no tools."""
    return ToolsRefusedError(
        f"{at.host} takes no tools for {at.model!r}.",
        hint=f"Name a model that calls tools in {at.model_setting}, or use the chain 'stuff'.",
    )


def refused_key(at: Endpoint) -> AuthError:
    """Return the error of a key or a token that is wrong or missing."""
    if at.entra:
        return AuthError(f"{at.host} refuses the identity's token.", hint=_rights(at))
    if not at.key:
        return AuthError(f"{at.host} asks for a key.", hint=f"Set {at.key_setting}.")
    return AuthError(f"{at.host} refuses the key.", hint=f"Check {at.key_setting}.")


def no_such_model(at: Endpoint) -> AuthError:
    """Return the error of a model that is not there, or not for this key."""
    return AuthError(
        f"{at.host} has no {_model_word(at)} {at.model!r}, or the key may not use it.",
        hint=f"Check {at.model_setting}.",
    )


def slow_down(at: Endpoint, headers: Any) -> RateLimitError:
    """Return the error of too many requests."""
    return RateLimitError(f"{at.host} asks to slow down.", retry_after_s=retry_after_s(headers))


def _no_quota(at: Endpoint) -> QuotaError:
    return QuotaError(
        f"The account at {at.host} has no quota left.",
        hint=f"Check its billing, or set another {at.key_setting}.",
    )


def _filtered(at: Endpoint) -> ContentFilterError:
    return ContentFilterError(
        f"The content filter of {at.host} stopped the prompt.", hint="Ask in other words."
    )


def _forbidden(at: Endpoint) -> AuthError:
    if at.entra:
        return AuthError(f"{at.host} does not let the identity use {at.model!r}.", hint=_rights(at))
    if not at.key:
        return refused_key(at)
    return AuthError(
        f"{at.host} does not let this key use {at.model!r}.",
        hint=f"Check the rights of {at.key_setting}, and {at.model_setting}.",
    )


def _not_there(fault: Fault, at: Endpoint) -> RagqaError:
    if not fault.is_html and _MODEL.search(f"{fault.code} {fault.message}"):
        return no_such_model(at)
    does = "redirects elsewhere" if fault.status < 400 else f"answers {fault.status}"
    return WrongEndpointError(
        f"{at.url_setting} leads to {at.host}, which {does}: no model service is there.",
        hint=at.url_hint,
    )


def no_token(at: Endpoint) -> AuthError:
    """Return the error of an identity that is not there, or gets no token."""
    return AuthError(
        f"No token could be had for {at.host}.",
        hint=f"Set {at.key_setting}, sign in with az login, or give this machine an identity."
        if at.entra
        else f"Check {at.key_setting}.",
    )


def _rights(at: Endpoint) -> str:
    # learn.microsoft.com/azure/ai-foundry/openai/how-to/role-based-access-control
    return f"Give it the role Cognitive Services OpenAI User, or set {at.key_setting}."


def _model_word(at: Endpoint) -> str:
    return "deployment" if at.service == "azure" else "model"


def _wrong_version(at: Endpoint) -> WrongEndpointError:
    return WrongEndpointError(
        f"{at.host} does not take the API version {at.api_version!r} for {at.model!r}.",
        hint="Check AZURE_OPENAI_API_VERSION.",
    )


def _busy(fault: Fault, at: Endpoint) -> TransportError:
    return TransportError(f"{at.host} failed with status {fault.status}.")


_Maker = Callable[[Fault, Endpoint, Any], RagqaError]

# What the body says counts before the status: services differ in that.
_BY_WORDS: tuple[tuple[re.Pattern[str], _Maker], ...] = tuple(
    (late(pattern, re.IGNORECASE), error)
    for pattern, error in (
        (
            r"insufficient_quota|exceeded your current quota|billing_"
            r"|insufficient[_ ](?:balance|credit)|out of call volume quota",
            lambda fault, at, headers: _no_quota(at),
        ),
        (r"rate_limit", lambda fault, at, headers: slow_down(at, headers)),
        (
            r"content_filter|content_policy|ResponsibleAIPolicyViolation"
            r"|content management policy|content_blocked|DataInspectionFailed",
            lambda fault, at, headers: _filtered(at),
        ),
        (
            r"context_length_exceeded|exceed_context_size|context (?:length|window|size)"
            r"|maximum context|too many (?:input )?tokens|prompt is too long"
            r"|reduce the length|input is too long",
            lambda fault, at, headers: too_long(at),
        ),
    )
)
_BY_STATUS: tuple[tuple[frozenset[int] | range, _Maker], ...] = (
    (frozenset({401}), lambda fault, at, headers: refused_key(at)),
    (frozenset({403}), lambda fault, at, headers: _forbidden(at)),
    (frozenset({404, 405}), lambda fault, at, headers: _not_there(fault, at)),
    (range(300, 400), lambda fault, at, headers: _not_there(fault, at)),
    (frozenset({408, 409, 425}), lambda fault, at, headers: _busy(fault, at)),
    (frozenset({413}), lambda fault, at, headers: too_long(at)),
    (frozenset({429}), lambda fault, at, headers: slow_down(at, headers)),
)


def _said(fault: Fault, at: Endpoint, prompt: str) -> str:
    """Return what the service said, if that repeats neither the key nor the prompt."""
    text = fault.message.replace(at.key, HIDDEN) if at.key else fault.message
    return f"It said: {mask(text)}" if text and not repeats(text, prompt) else ""
