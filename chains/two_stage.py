"""Decide whether the documents are needed, gather and condense the evidence, then answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragqa.flow import Pipeline
from ragqa.ports import Parts
from ragqa.stages.begin import begin
from ragqa.stages.decide import decide
from ragqa.stages.gather import gather
from ragqa.stages.whole import whole
from ragqa.stages.write import write

if TYPE_CHECKING:
    from ragqa.flow.runnable import ChainRunnable


def pipeline(parts: Parts) -> Pipeline:
    """Return the chain's stages."""
    return decide(parts) | gather(parts) | write(parts)


def build(parts: Parts) -> ChainRunnable:
    """Return the chain as a LangChain Runnable: takes a question, gives an Answer."""
    from ragqa.flow.runnable import ChainRunnable

    return ChainRunnable("two_stage", whole(pipeline(parts), parts), begin(parts, "two_stage"))
