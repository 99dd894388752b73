"""Every stage of every chain runs through here.

A stage is a function, or a generator of effects, from Turn to Turn; stages compose with ``|`` to
a Pipeline, and the drivers run a pipeline as invoke, ainvoke, stream and astream.
``ragqa.flow.runnable`` gives a pipeline the face of a LangChain Runnable; it alone imports
LangChain.
"""

from ragqa.flow.drive import Event, ainvoke, answer_of, astream, invoke, stream
from ragqa.flow.effects import Ask, Call, Effect, Effects, Show, TextReveal, Withdrawn, quick
from ragqa.flow.pipeline import Pipeline, Stage, observed, surrounded

__all__ = [
    "Ask",
    "Call",
    "Effect",
    "Effects",
    "Event",
    "Pipeline",
    "Show",
    "Stage",
    "TextReveal",
    "Withdrawn",
    "ainvoke",
    "answer_of",
    "astream",
    "invoke",
    "observed",
    "quick",
    "stream",
    "surrounded",
]
