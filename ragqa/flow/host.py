"""The event loop that asynchronous calls need."""

from __future__ import annotations

from ragqa.errors import ConfigError


def require_asyncio() -> None:
    """See that an event loop of asyncio runs; uvloop's is one.

    Raises:
        ConfigError: If none does: the caller is a task of Trio, say.
    """
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError as exc:
        raise ConfigError(
            "Asynchronous calls need an event loop of asyncio, and none runs here.",
            hint="Under Trio, run the blocking call in a thread:"
            " await trio.to_thread.run_sync(chain.invoke, question).",
        ) from exc
