"""The LangChain face of a pipeline: a Runnable with callbacks, tags, batch and ``|``."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import ensure_config

from ragqa.contract import Turn
from ragqa.flow import drive
from ragqa.flow.hearing import Unheard, is_heard
from ragqa.flow.host import require_asyncio
from ragqa.flow.lockstep import in_lockstep
from ragqa.flow.pipeline import Pipeline


class ChainRunnable(Runnable[Any, Any]):
    """Run a pipeline as a LangChain Runnable: takes a question, gives an Answer.

    ``stream`` and ``astream`` yield pieces of text (``str``), ``Withdrawn``, and last the Answer.

    Args:
        name: The chain's name, as traces show it.
        pipeline: What runs.
        begin: Makes the first Turn of what the user passes in: a string, a dict or a Turn.
        finish: Makes the result of the Answer; by default the Answer itself.
    """

    def __init__(
        self,
        name: str,
        pipeline: Pipeline,
        begin: Callable[[Any], Turn],
        finish: Callable[[Turn], Any] | None = None,
    ) -> None:
        self.name = name
        self.pipeline = pipeline
        self._begin = begin
        self._finish = finish or drive.answer_of
        self._run_once = _Signed(self._run)
        self._arun_once = _Signed(self._arun)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Answer one question."""
        if not is_heard(config):
            return self._run(input, None, _unheard(config))
        return self._call_with_config(self._run_once, input, config, run_type="chain")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Answer one question without blocking the event loop."""
        require_asyncio()
        if not is_heard(config):
            return await self._arun(input, None, _unheard(config))
        return await self._acall_with_config(self._arun_once, input, config, run_type="chain")

    def stream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        """Yield the text as it is written, withdrawals, and last the Answer."""
        yield from self._transform_stream_with_config(
            iter([input]), self._stream, config, run_type="chain"
        )

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncGenerator[Any, None]:
        """Yield the same as :meth:`stream` without blocking the event loop."""
        require_asyncio()
        events: Any = self._atransform_stream_with_config(
            _aiter(input), self._astream, config, run_type="chain"
        )
        async with aclosing(in_lockstep(events)) as steps:
            async for event in steps:
                yield event

    def _run(self, input: Any, run_manager: Any, config: RunnableConfig) -> Any:
        return self._finish(drive.invoke(self.pipeline, self._begin(input), config))

    async def _arun(self, input: Any, run_manager: Any, config: RunnableConfig) -> Any:
        return self._finish(await drive.ainvoke(self.pipeline, self._begin(input), config))

    def _stream(
        self, inputs: Iterator[Any], run_manager: Any, config: RunnableConfig
    ) -> Iterator[Any]:
        yield from drive.stream(self.pipeline, self._begin(_last(inputs)), config, self._finish)

    async def _astream(
        self, inputs: AsyncIterator[Any], run_manager: Any, config: RunnableConfig
    ) -> AsyncGenerator[Any, None]:
        received = [item async for item in inputs]
        turn = self._begin(_last(received))
        async with aclosing(drive.astream(self.pipeline, turn, config, self._finish)) as events:
            async for event in events:
                yield event


class _Signed:
    """A method with its signature at hand: LangChain looks that up twice in every call.

    ``inspect.signature`` builds one anew each time unless there is one in ``__signature__``.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method
        self.__signature__ = inspect.signature(method)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(*args, **kwargs)


def _unheard(config: RunnableConfig | None) -> Any:
    """Return the configuration for the calls of a run; they need not ask again who hears them."""
    return Unheard(ensure_config(config))


def _last(inputs: Any) -> Any:
    """Join the pieces that a step before this chain streamed into one input."""
    whole: Any = None
    for piece in inputs:
        whole = piece if whole is None else whole + piece
    return whole


async def _aiter(item: Any) -> AsyncIterator[Any]:
    yield item
