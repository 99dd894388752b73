"""A chain's stages with what surrounds every ask, as far as the parts bring it."""

from __future__ import annotations

from ragqa.flow import Pipeline
from ragqa.ports import Parts
from ragqa.stages.record import recorded


def whole(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return the pipeline of an ask, from its question to its record.

    From the outside in: the record of the run, the conversation, the reuse of an answer, the chain.
    """
    return recorded(pipeline, parts)
