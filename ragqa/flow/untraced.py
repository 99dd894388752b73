"""A chain that LangSmith's environment variables do not touch: it must open no socket."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, closing
from typing import Any

from langchain_core.runnables import RunnableConfig
from langsmith import tracing_context

from ragqa.flow.runnable import ChainRunnable


class UntracedRunnable(ChainRunnable):
    """Run like any chain, but add no tracer of the environment's.

    Callbacks that are passed in are called as ever, those of an outer, traced chain too. The
    switch is set around each step of a stream, so that it does not leak to whoever reads it.
    """

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Answer one question."""
        with tracing_context(enabled=False):
            return super().invoke(input, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Answer one question without blocking the event loop."""
        with tracing_context(enabled=False):
            return await super().ainvoke(input, config, **kwargs)

    def stream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        """Yield the text as it is written, withdrawals, and last the Answer."""
        end = object()
        with closing(super().stream(input, config, **kwargs)) as events:  # type: ignore[type-var]
            while True:
                with tracing_context(enabled=False):
                    event = next(events, end)
                if event is end:
                    return
                yield event

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        """Yield the same as :meth:`stream` without blocking the event loop."""
        end = object()
        async with aclosing(super().astream(input, config, **kwargs)) as events:
            while True:
                with tracing_context(enabled=False):
                    event = await anext(events, end)
                if event is end:
                    return
                yield event
