"""What every port may be handed along: the time, and the config of a LangChain run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Clock = Callable[[], float]
"""Seconds that only grow, as ``time.monotonic``."""

TraceConfig = Mapping[str, Any] | None
"""A LangChain RunnableConfig, passed on untouched so that callbacks and tags reach the parts."""
