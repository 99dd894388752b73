"""A conversation around a chain: recall what was said, answer, remember it.

>>> from ragqa.flow import Pipeline
>>> conversed(Pipeline(()), parts)                              # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import Any

from ragqa.contract import Turn
from ragqa.errors import SessionError
from ragqa.flow import Call, Effect, Effects, Pipeline
from ragqa.ports import Parts, SessionStore


def conversed(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return a pipeline that answers within a conversation, where a question belongs to one.

    One run at a time answers in a session; another one waits.
    """
    if parts.sessions is None or isinstance(pipeline, _Conversed):
        return pipeline
    return _Conversed(
        pipeline.stages, pipeline.clock, inner=pipeline, parts=parts, sessions=parts.sessions
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conversed(Pipeline):
    """A pipeline whose questions may belong to a conversation."""

    inner: Pipeline
    parts: Parts
    sessions: SessionStore

    def effects(self, turn: Turn) -> Effects:
        """Run the pipeline between recalling and remembering."""
        if turn.session_id is None:
            return (yield from self.inner.effects(turn))
        hold = yield from _held(turn, self.parts, self.sessions)
        try:
            turn = yield from self._within(turn)
        except Exception:
            with suppress(SessionError):  # the first error counts; the lease ends by itself
                yield Call(lambda config: hold.__exit__(None, None, None))
            raise
        except BaseException:  # closed, cancelled or interrupted: nothing can be asked for any more
            with suppress(SessionError):
                hold.__exit__(None, None, None)
            raise
        with suppress(SessionError):
            yield Call(lambda config: hold.__exit__(None, None, None))
        return turn

    def _within(self, turn: Turn) -> Effects:
        from ragqa.stages.conversation.recall import recall  # most questions need neither
        from ragqa.stages.conversation.remember import remember

        before = Pipeline((recall(self.parts, self.sessions),), self.clock)
        after = Pipeline((remember(self.parts, self.sessions),), self.clock)
        turn = yield from before.effects(turn)
        turn = yield from self.inner.effects(turn)
        return (yield from after.effects(turn))


def _held(
    turn: Turn, parts: Parts, sessions: SessionStore
) -> Generator[Effect, Any, AbstractContextManager[None]]:
    from ragqa.stages.retrieve import remaining_s

    assert turn.session_id is not None, "asked for before"
    names = turn.session_id, turn.caller.principal, turn.run_id
    wait_s = max(0.0, min(parts.policy.session_wait_s, remaining_s(turn, parts)))
    hold: AbstractContextManager[None] = yield Call(
        lambda config: sessions.hold(*names, wait_s),
        lambda config: _ahold(sessions, names, wait_s),
    )
    return hold


async def _ahold(
    sessions: SessionStore, names: tuple[str, str, str], wait_s: float
) -> AbstractContextManager[None]:
    """Hold a session without keeping a thread while waiting.

    Threads that wait would take those away which the holder needs to go on.
    """
    import asyncio
    import time

    from ragqa.sessions.holding import busy, pauses

    give_up_s = time.monotonic() + wait_s
    for pause_s in pauses():
        trying = asyncio.ensure_future(asyncio.to_thread(sessions.try_hold, *names))
        try:
            hold = await asyncio.shield(trying)
        except asyncio.CancelledError:
            trying.add_done_callback(_let_go)  # the thread may yet get it
            raise
        if hold is not None:
            return hold
        left_s = give_up_s - time.monotonic()
        if left_s <= 0:
            break
        await asyncio.sleep(min(pause_s, left_s))
    raise busy(names[0], wait_s)


def _let_go(trying: Any) -> None:
    if trying.cancelled() or trying.exception() is not None:
        return
    hold = trying.result()
    if hold is not None:
        with suppress(SessionError):
            hold.__exit__(None, None, None)
