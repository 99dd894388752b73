"""Drive a pipeline: blocking, async, streamed or not. One place, so stages need no twins.

Each driver sends the result of an effect into the pipeline, and throws its error into it, so that
a stage may handle a failed call like any other exception.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, closing
from typing import Any

from ragqa.contract import Answer, Turn
from ragqa.flow.effects import Ask, Call, Effect, Show, Withdrawn
from ragqa.flow.pipeline import Pipeline
from ragqa.flow.stepping import Stepping
from ragqa.ports import ModelReply, TraceConfig

Event = str | Withdrawn | Answer
"""What a stream yields: pieces of text, withdrawals, and last the Answer."""


def invoke(pipeline: Pipeline, turn: Turn, config: TraceConfig = None) -> Turn:
    """Run a pipeline to its end and return the last Turn."""
    with closing(_Running(pipeline.effects(turn))) as running:
        for effect in running:
            try:
                running.result = _perform(effect, config)
            except Exception as exc:
                running.error = exc
        return running.returned


async def ainvoke(pipeline: Pipeline, turn: Turn, config: TraceConfig = None) -> Turn:
    """Run a pipeline to its end without blocking the event loop."""
    with closing(_Running(pipeline.effects(turn))) as running:
        for effect in running:
            try:
                running.result = await _aperform(effect, config)
            except Exception as exc:
                running.error = exc
        return running.returned


def answer_of(turn: Turn) -> Answer:
    """Return the answer that the last stage of a chain, or sealing, has set."""
    assert turn.answer is not None, "the last stage of a chain sets the answer"
    return turn.answer


def stream(
    pipeline: Pipeline,
    turn: Turn,
    config: TraceConfig = None,
    finish: Callable[[Turn], Any] = answer_of,
) -> Iterator[Any]:
    """Yield text as it is written, withdrawals, and last the Answer, or what ``finish`` makes."""
    with closing(_Running(pipeline.effects(turn))) as running:
        for effect in running:
            try:
                if isinstance(effect, Ask):
                    with closing(effect.model.stream(effect.request, config)) as pieces:
                        for piece in pieces:
                            yield from running.shown(effect, piece)
                elif isinstance(effect, Call):
                    running.result = effect.run(config)
                else:
                    yield _event(effect)
            except Exception as exc:
                running.error = exc
        yield finish(running.returned)


async def astream(
    pipeline: Pipeline,
    turn: Turn,
    config: TraceConfig = None,
    finish: Callable[[Turn], Any] = answer_of,
) -> AsyncGenerator[Any, None]:
    """Yield the same as :func:`stream` without blocking the event loop."""
    with closing(_Running(pipeline.effects(turn))) as running:
        for effect in running:
            try:
                if isinstance(effect, Ask):
                    async with aclosing(effect.model.astream(effect.request, config)) as pieces:
                        async for piece in pieces:
                            for event in running.shown(effect, piece):
                                yield event
                elif isinstance(effect, Call):
                    running.result = await _aperform(effect, config)
                else:
                    yield _event(effect)
            except Exception as exc:
                running.error = exc
        yield finish(running.returned)


class _Running(Stepping[Effect, Turn]):
    """A pipeline under way."""

    def shown(self, effect: Ask, piece: str | ModelReply | None) -> Iterator[str | Withdrawn]:
        """Keep a whole reply as the result; turn a piece into what may be read of it.

        A model that calls tools yields None where the reply so far turned out to be no answer.
        """
        if isinstance(piece, ModelReply):
            self.result = piece
        elif piece is None:
            if effect.reveal is not None and effect.reveal.withdraw():
                yield Withdrawn("tools")
        elif effect.reveal is not None and (text := effect.reveal.feed(piece)):
            yield text


def _event(effect: Show | Withdrawn) -> str | Withdrawn:
    return effect.text if isinstance(effect, Show) else effect


def _perform(effect: Effect, config: TraceConfig) -> Any:
    match effect:
        case Call():
            return effect.run(config)
        case Ask():
            return effect.model.complete(effect.request, config)
    return None  # nobody watches: nothing to show or withdraw


async def _aperform(effect: Effect, config: TraceConfig) -> Any:
    match effect:
        case Call(run=run, arun=None):
            import asyncio  # 40 ms that no blocking caller needs

            return await asyncio.to_thread(run, config)
        case Call(arun=arun) if arun is not None:
            return await arun(config)
        case Ask():
            return await effect.model.acomplete(effect.request, config)
    return None
