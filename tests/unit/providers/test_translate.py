"""Every foreign error has a place in ragqa's tree."""

from __future__ import annotations

import inspect
import json
import socket
import ssl
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import httpcore2
import httpx
import httpx2
import openai
import pydantic
import pytest
from langchain_core import exceptions as core
from langchain_openai.chat_models import base as langchain_openai
from openai import _exceptions

from ragqa.contract import QAResponse
from ragqa.errors import (
    AuthError,
    ConfigError,
    ContentFilterError,
    ContextOverflowError,
    ProviderError,
    RagqaError,
    RateLimitError,
    RefusalError,
    TransportError,
)
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.translate import cause_of, makers, translate

KEY = "sk-proj-0123456789"
AT = Endpoint("http://127.0.0.1:1/v1", "m", KEY)
REQUEST = httpx2.Request("POST", "http://127.0.0.1:1/v1/chat/completions")
STATUS = {
    400: ProviderError,
    401: AuthError,
    403: AuthError,
    404: TransportError,
    409: TransportError,
    422: ProviderError,
    429: RateLimitError,
    500: TransportError,
}


def _exceptions_of(*modules: ModuleType) -> Iterator[type[Exception]]:
    for module in modules:
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if issubclass(kind, Exception) and kind.__module__.startswith(
                ("openai", "langchain", "httpx", "httpcore")
            ):
                yield kind


def _made(kind: type[Exception]) -> Exception:
    """Make an exception of any kind; constructors differ too much to call them all."""
    exc = kind.__new__(kind, "x")
    exc.args = ("x",)
    if issubclass(kind, openai.APIError):
        status = getattr(kind, "status_code", 500)
        response = httpx2.Response(status if isinstance(status, int) else 500, request=REQUEST)
        vars(exc).update(
            status_code=response.status_code, response=response, body=None, code=None, message="x"
        )
    return exc


FOREIGN = sorted(
    set(_exceptions_of(openai, _exceptions, langchain_openai, core, httpx, httpx2, httpcore2)),
    key=lambda kind: (kind.__module__, kind.__name__),
)


def test_a_new_kind_of_the_sdk_is_noticed() -> None:
    by_name = tuple(kind for kind, _ in makers() if kind is not openai.OpenAIError)
    public = (kind for kind in _exceptions_of(openai, _exceptions) if kind.__name__[0] != "_")
    assert {kind for kind in public if not issubclass(kind, by_name)} == {openai.OpenAIError}
    assert len(FOREIGN) > 60


@pytest.mark.parametrize("kind", FOREIGN, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_no_foreign_error_is_unmapped(kind: type[Exception]) -> None:
    error = translate(_made(kind), AT)
    assert isinstance(error, ProviderError)
    assert KEY not in str(error)


@pytest.mark.parametrize(
    "kind", [kind for kind in FOREIGN if issubclass(kind, openai.APIStatusError)]
)
def test_statuses(kind: type[Exception]) -> None:
    exc = _made(kind)
    status = exc.status_code if isinstance(exc, openai.APIStatusError) else 0
    assert isinstance(translate(exc, AT), STATUS[status])


def _of(body: Any, status: int = 400) -> RagqaError:
    response = httpx2.Response(status, request=REQUEST)
    error = translate(openai.APIStatusError("x", response=response, body=body), AT)
    assert isinstance(error, RagqaError)
    return error


@pytest.mark.parametrize(
    ("exc", "expected"),
    [
        (core.ContextOverflowError("x"), ContextOverflowError),
        (core.ModelAuthenticationError("x"), AuthError),
        (core.ModelNotFoundError("x"), AuthError),
        (core.ModelRateLimitError("x"), RateLimitError),
        (core.ModelConnectionError("x"), TransportError),
        (core.ModelRefusalError("x"), RefusalError),
        (TimeoutError(), TransportError),
        (socket.gaierror(), TransportError),
        (ConnectionResetError(), TransportError),
        (BrokenPipeError(), TransportError),
        (ssl.SSLError(), TransportError),
        (json.JSONDecodeError("x", "", 0), TransportError),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), TransportError),
        (KeyError("choices"), TransportError),
        (IndexError(), TransportError),
        (TypeError(), TransportError),
        (RecursionError(), TransportError),
        (httpx2.ReadTimeout("x"), TransportError),
        (httpx.ConnectError("x"), TransportError),
    ],
)
def test_kinds(exc: Exception, expected: type[RagqaError]) -> None:
    error = translate(exc, AT)
    assert isinstance(error, expected)


def test_a_malformed_reply_is_found_by_pydantic() -> None:
    with pytest.raises(pydantic.ValidationError) as raised:
        QAResponse.model_validate({})
    assert isinstance(translate(raised.value, AT), TransportError)


@pytest.mark.parametrize(
    "exc", [ConfigError("x"), AuthError("x"), RuntimeError("x"), ZeroDivisionError(), MemoryError()]
)
def test_what_is_not_foreign_passes(exc: Exception) -> None:
    assert translate(exc, AT) is exc


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("context_length_exceeded", ContextOverflowError),
        ("content_filter", ContentFilterError),
        ("content_policy_violation", ContentFilterError),
        ("rate_limit_exceeded", RateLimitError),
    ],
)
def test_codes_count_before_the_status(code: str, kind: type[RagqaError]) -> None:
    assert isinstance(_of({"code": code, "message": ""}), kind)
    assert isinstance(_of({"code": code, "message": ""}, 500), kind)


def test_a_filtered_prompt_of_azure() -> None:
    inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}}
    assert isinstance(_of({"message": "", "innererror": inner}), ContentFilterError)


def test_the_wait_is_kept() -> None:
    response = httpx2.Response(429, request=REQUEST, headers={"Retry-After": "7"})
    error = translate(openai.RateLimitError("x", response=response, body=None), AT)
    assert isinstance(error, RateLimitError)
    assert error.retry_after_s == 7


def test_a_cause_that_repeats_secrets_is_not_kept() -> None:
    error = TransportError("x")
    harmless = ValueError("harmless")
    assert cause_of(harmless, error, AT) is harmless
    assert cause_of(ValueError(f"Bearer {KEY}"), error, AT) is None
    prompt = "The secret recipe of the house is nutmeg."
    assert cause_of(ValueError(f"input: {prompt}"), error, AT, prompt) is None
    assert cause_of(error, error, AT) is None
