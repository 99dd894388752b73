"""What the service refuses becomes an error that says what to do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ragqa.errors import AuthError, ConfigError, RagqaError, RetrievalError
from ragqa.retrieval.azure.faults import translate


def refused(status: int, said: str, headers: dict[str, str] | None = None) -> RagqaError:
    core = pytest.importorskip("azure.core.exceptions")
    exc: Any = core.HttpResponseError(said)
    exc.status_code = status
    exc.response = SimpleNamespace(headers=headers or {})
    return translate(exc, index="kb", host="s.example")


@pytest.mark.parametrize(
    ("status", "said", "kind", "word"),
    [
        (400, "Storage quota has been exceeded for this service.", RetrievalError, "larger tier"),
        (400, "Duplicate field name in the index definition.", ConfigError, "_TITLE"),
        (400, "Semantic search is not enabled for this service.", ConfigError, "SEMANTIC_CONFIG"),
        (403, "Forbidden", AuthError, "firewall"),
        (503, "Busy.", RetrievalError, "Try again later"),
    ],
)
def test_refusals(status: int, said: str, kind: type[RagqaError], word: str) -> None:
    error = refused(status, said)
    assert type(error) is kind
    assert word in error.hint


def test_how_long_a_busy_service_wants_to_be_left_alone() -> None:
    assert "in 600 seconds" in refused(429, "Busy.", {"retry-after": "599.2"}).hint
