"""A chain's stages with what surrounds every ask, as far as the parts bring it."""

from __future__ import annotations

from ragqa.flow import Pipeline
from ragqa.ports import Parts


def whole(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return the pipeline of an ask, from its question to its record.

    From the outside in: the spans, the record of the run, the budgets, the conversation, the reuse
    of an answer, the chain. What the parts do not bring is not imported: a quick ask starts sooner.
    """
    if parts.answers is not None:
        from ragqa.stages.reuse import reused

        pipeline = reused(pipeline, parts)
    if parts.sessions is not None:
        from ragqa.stages.conversation.around import conversed

        pipeline = conversed(pipeline, parts)
    policy = parts.policy
    if parts.spending or policy.run_budget_tokens or policy.run_budget_cost:
        from ragqa.stages.spend import within_budgets

        pipeline = within_budgets(pipeline, parts)
    if parts.runs is not None:
        from ragqa.stages.record import recorded

        pipeline = recorded(pipeline, parts)
    if parts.tracer is not None:
        from ragqa.stages.tracing import traced

        pipeline = traced(pipeline, parts)
    return pipeline
