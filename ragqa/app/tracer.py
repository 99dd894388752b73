"""The tracer that asks are traced with, where somebody wants them traced."""

from __future__ import annotations

import sys
from typing import Any

from ragqa.errors import MissingExtraError
from ragqa.settings import Settings


def tracer_for(settings: Settings) -> Any:
    """Return an OpenTelemetry tracer; None where nothing is traced.

    Asks are traced where the settings say so, and where the program has set up a provider.

    Raises:
        MissingExtraError: If the settings say so, and OpenTelemetry is not installed.
    """
    if not settings.otel and not _has_provider():
        return None
    try:
        from opentelemetry.trace import get_tracer
    except ModuleNotFoundError as exc:
        raise MissingExtraError("otel", "opentelemetry-api") from exc
    version = str(getattr(sys.modules.get("ragqa"), "__version__", ""))
    return get_tracer("ragqa", version)


def _has_provider() -> bool:
    """Tell whether the program has set one up; without an SDK loaded it cannot have."""
    if "opentelemetry.sdk.trace" not in sys.modules:
        return False
    from opentelemetry.trace import ProxyTracerProvider, get_tracer_provider

    return not isinstance(get_tracer_provider(), ProxyTracerProvider)
