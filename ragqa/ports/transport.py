"""Who wants to know what happened on the way to a service while one ask runs."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Listener = Callable[[str], None]

listener: ContextVar[Listener | None] = ContextVar("ragqa_transport_listener", default=None)
"""Set by whoever records an ask; carried along into threads and tasks that it starts."""


def happened(event: str) -> None:
    """Tell the listener, if there is one, of a try that failed.

    Args:
        event: ``429``, another HTTP status, ``timeout`` or ``connection``.
    """
    told = listener.get()
    if told is not None:
        told(event)
