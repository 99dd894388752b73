"""Record every ask: one row, also where it fails or is cancelled.

The recording watches the effects of the chain and their results pass. It never breaks an answer:
what cannot be written is logged, and the ask goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

from ragqa.contract import Turn
from ragqa.flow import Call, Effects, Pipeline
from ragqa.ports import Parts, RunStore
from ragqa.ports.transport import listener
from ragqa.stages.recording import Recording


def recorded(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return a pipeline that leaves a record of every ask; the same one where none are kept."""
    if parts.runs is None:
        return pipeline
    return _Recorded(pipeline.stages, pipeline.clock, inner=pipeline, parts=parts, runs=parts.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded(Pipeline):
    """A pipeline whose asks are recorded."""

    inner: Pipeline
    parts: Parts
    runs: RunStore

    def effects(self, turn: Turn) -> Effects:
        """Run the pipeline, and keep its beginning and its end."""
        recording = Recording(turn, self.parts, self.runs.keeps)
        token = listener.set(recording.happened)
        try:
            yield _writing(lambda: recording.began(self.runs.begin(recording.run())))
            turn = yield from _watched(self.inner.effects(turn), recording)
            yield _writing(lambda: self.runs.save(recording.answered(turn)))
            return turn
        except Exception as exc:
            failed = exc
            yield _writing(lambda: self.runs.save(recording.failed(failed)))
            raise
        except BaseException:  # closed, cancelled or interrupted: nothing can be asked for any more
            _written(lambda: self.runs.save(recording.cancelled()))
            raise
        finally:
            with suppress(ValueError):  # a stream may end in another context than it began in
                listener.reset(token)


def _watched(effects: Effects, recording: Recording) -> Effects:
    """Pass on the effects of a chain and their results, noting both."""
    result: Any = None
    error: Exception | None = None
    with closing(effects):
        while True:
            try:
                effect = effects.throw(error) if error else effects.send(result)
            except StopIteration as stop:
                turn: Turn = stop.value
                return turn
            result = error = None
            note = recording.asked(effect)
            try:
                result = yield effect
            except Exception as exc:
                error = exc
            note(result, error)


def _writing(write: Callable[[], Any]) -> Call:
    """Return the effect that writes to the store; an event loop does it in a thread."""
    return Call(lambda config: _written(write))


def _written(write: Callable[[], Any]) -> None:
    try:
        write()
    except Exception as exc:
        import logging  # 2 ms that asks without a fault do not need

        logging.getLogger(__name__).warning("This ask is not recorded: %s", exc)
