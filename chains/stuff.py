"""Put the best sentences of the documents into one prompt and let a model write the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragqa.flow import Pipeline
from ragqa.ports import Parts
from ragqa.stages.begin import begin
from ragqa.stages.fit import fit
from ragqa.stages.retrieve import retrieve
from ragqa.stages.whole import whole
from ragqa.stages.write import write

if TYPE_CHECKING:
    from ragqa.flow.runnable import ChainRunnable


def pipeline(parts: Parts) -> Pipeline:
    """Return the chain's stages."""
    return retrieve(parts) | fit(parts) | write(parts)


def build(parts: Parts) -> ChainRunnable:
    """Return the chain as a LangChain Runnable: takes a question, gives an Answer."""
    from ragqa.flow.runnable import ChainRunnable

    return ChainRunnable("stuff", whole(pipeline(parts), parts), begin(parts, "stuff"))
