"""Named stages over one Turn, composed with ``|``."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from ragqa.contract import Turn
from ragqa.flow.effects import Effect, Effects
from ragqa.flow.stepping import Stepping
from ragqa.ports import Clock

Step = Callable[[Turn], Turn | Effects]
"""The work of a stage: a plain function, or a generator of effects, from Turn to Turn."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A named step of a pipeline."""

    name: str
    step: Step

    def __or__(self, other: Stage | Pipeline) -> Pipeline:
        """Put ``other`` behind this stage."""
        return Pipeline((self,)) | other

    def effects(self, turn: Turn) -> Effects:
        """Run the step as a generator of effects, whichever kind it is."""
        outcome = self.step(turn)
        return outcome if isinstance(outcome, Turn) else (yield from outcome)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Stages in the order in which they run.

    Attributes:
        stages: The named steps.
        clock: Tells the time for ``Turn.timings_ms``.
    """

    stages: tuple[Stage, ...]
    clock: Clock = time.monotonic

    def __or__(self, other: Stage | Pipeline) -> Pipeline:
        """Put ``other`` behind the stages of this pipeline."""
        behind = other.stages if isinstance(other, Pipeline) else (other,)
        return replace(self, stages=self.stages + behind)

    def effects(self, turn: Turn) -> Effects:
        """Run all stages as one generator of effects; time spent goes to ``timings_ms``."""
        for stage in self.stages:
            started_s = self.clock()
            turn = yield from stage.effects(turn)
            spent_ms = round((self.clock() - started_s) * 1000, 3)
            spent_ms += turn.timings_ms.get(stage.name, 0.0)
            turn = replace(turn, timings_ms={**turn.timings_ms, stage.name: spent_ms})
        return _with_timings(turn)


def _with_timings(turn: Turn) -> Turn:
    if turn.answer is None:
        return turn
    timings_ms = {**turn.timings_ms, "total": round(sum(turn.timings_ms.values()), 3)}
    return replace(turn, answer=turn.answer.model_copy(update={"timings_ms": timings_ms}))


@dataclass(frozen=True, slots=True)
class _Surrounded(Pipeline):
    run: Step = lambda turn: turn

    def __or__(self, other: Stage | Pipeline) -> Pipeline:
        return Pipeline((Stage("surrounded", self.run),), self.clock) | other

    def effects(self, turn: Turn) -> Effects:
        return Stage("surrounded", self.run).effects(turn)


def surrounded(pipeline: Pipeline, run: Step) -> Pipeline:
    """Return a pipeline that runs ``run``, which runs the pipeline's effects where it wants to.

    It has the stages of the pipeline, and adds no timing of its own: they would count twice.
    """
    return _Surrounded(pipeline.stages, pipeline.clock, run)


Note = Callable[[Any, BaseException | None], object]
"""Told the result of an effect, or its error."""


def observed(effects: Effects, watch: Callable[[Effect], Note]) -> Effects:
    """Pass effects and their results on unchanged, while somebody watches.

    Args:
        effects: A running stage or pipeline.
        watch: Told each effect before it is carried out; what it returns is told the outcome.
    """
    with closing(Stepping(effects)) as running:
        for effect in running:
            note = watch(effect)
            try:
                running.result = yield effect
            except Exception as exc:
                running.error = exc
            note(running.result, running.error)
        return running.returned
