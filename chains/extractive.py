"""Answer with sentences quoted from the documents: no model, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragqa.flow import Pipeline
from ragqa.ports import Parts
from ragqa.stages.begin import begin
from ragqa.stages.judge import judge
from ragqa.stages.quote import quote
from ragqa.stages.retrieve import retrieve
from ragqa.stages.whole import whole

if TYPE_CHECKING:
    from ragqa.flow.runnable import ChainRunnable


def pipeline(parts: Parts) -> Pipeline:
    """Return the chain's stages."""
    return retrieve(parts) | quote(parts) | judge(parts)


def build(parts: Parts) -> ChainRunnable:
    """Return the chain as a LangChain Runnable: takes a question, gives an Answer."""
    from ragqa.flow.untraced import UntracedRunnable

    return UntracedRunnable("extractive", whole(pipeline(parts), parts), begin(parts, "extractive"))
