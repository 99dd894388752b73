"""A chain's stages with what surrounds every ask, as far as the parts bring it."""

from __future__ import annotations

from ragqa.flow import Pipeline
from ragqa.ports import Parts
from ragqa.stages.conversation import conversed
from ragqa.stages.record import recorded
from ragqa.stages.reuse import reused
from ragqa.stages.spend import within_budgets
from ragqa.stages.tracing import traced


def whole(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return the pipeline of an ask, from its question to its record.

    From the outside in: the spans, the record of the run, the budgets, the conversation, the reuse
    of an answer, the chain.
    """
    pipeline = reused(pipeline, parts)
    pipeline = conversed(pipeline, parts)
    pipeline = within_budgets(pipeline, parts)
    return traced(recorded(pipeline, parts), parts)
