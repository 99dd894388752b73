"""Record every ask: one row, also where it fails or is cancelled.

The recording watches the effects of the chain and their results pass. It never breaks an answer:
what cannot be written is logged, and the ask goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ragqa.contract import Turn
from ragqa.errors import StorageBusyError
from ragqa.flow import Call, Effects, Pipeline, observed, quick, surrounded
from ragqa.ports import Parts, RunStore
from ragqa.ports.transport import listener
from ragqa.stages.recording import Recording

_PAUSE_S = 30.0
"""How long a store that others keep busy is left alone."""


def recorded(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return a pipeline that leaves a record of every ask; the same one where none are kept."""
    runs = parts.runs
    if runs is None:
        return pipeline
    writer = _Writer()
    return surrounded(pipeline, lambda turn: _recorded(turn, pipeline, parts, runs, writer))


def _recorded(
    turn: Turn, pipeline: Pipeline, parts: Parts, runs: RunStore, writer: _Writer
) -> Effects:
    """Run the pipeline, and keep its beginning and its end."""
    recording = Recording(turn, parts, runs.keeps)
    token = listener.set(recording.happened)
    try:
        yield writer.effect(lambda: recording.began(runs.begin(recording.run())))
        turn = yield from observed(pipeline.effects(turn), recording.asked)
        yield writer.effect(lambda: runs.save(recording.answered(turn)))
        return turn
    except Exception as exc:
        failed = exc
        yield writer.effect(lambda: runs.save(recording.failed(failed)))
        raise
    except BaseException:  # closed, cancelled or interrupted: nothing can be asked for any more
        writer.written(lambda: runs.save(recording.cancelled()))
        raise
    finally:
        with suppress(ValueError):  # a stream may end in another context than it began in
            listener.reset(token)


class _Writer:
    """Writes to the store, and lets the ask go on whatever happens.

    Where it has waited in vain for others, it does not try for a while: one ask waits, not all.
    """

    def __init__(self) -> None:
        self._again_s = 0.0

    def effect(self, write: Callable[[], Any]) -> Call:
        """Return the effect that writes; it is quicker than a thread would be."""
        return quick(lambda config: self.written(write))

    def written(self, write: Callable[[], Any]) -> None:
        """Write, or log why not."""
        if time.monotonic() < self._again_s:
            return
        try:
            write()
        except Exception as exc:
            if isinstance(exc, StorageBusyError):
                self._again_s = time.monotonic() + _PAUSE_S
            import logging  # 2 ms that asks without a fault do not need

            logging.getLogger(__name__).warning("This ask is not recorded: %s", exc)
