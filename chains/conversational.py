"""Put any chain into a conversation: recall what was said, answer, remember it.

    chain = chains.conversational.build(parts, chain="stuff")
    chain.invoke({"question": "How much is the kettle?", "session": "s1"})
    chain.invoke({"question": "And how long is its warranty?", "session": "s1"})

Every chain answers within a conversation where a question names a session and the parts keep
sessions; this one chooses the chain by what there is, and says so where sessions are missing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragqa.contract import Turn
from ragqa.errors import ConfigError
from ragqa.flow import Pipeline, Stage
from ragqa.ports import Parts
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole

if TYPE_CHECKING:
    from ragqa.flow.runnable import ChainRunnable

NAME = "conversational"


def pipeline(parts: Parts, chain: str | None = None, **options: Any) -> Pipeline:
    """Return the stages of the chain that answers.

    Args:
        parts: What it works with.
        chain: The chain's name; ``stuff`` with a model, else ``extractive``, if not given.
        options: What that chain takes.

    Raises:
        ConfigError: If there is no such chain, or it has no stages to be put into a conversation.
    """
    import chains

    name = chain or _default(parts)
    module = chains.load(name)
    if name == NAME or not hasattr(module, "pipeline"):
        raise ConfigError(
            f"The chain {name!r} cannot be put into a conversation.",
            hint="Name one that has pipeline(parts): stuff, two_stage, extractive, …",
        )
    inner: Pipeline = module.pipeline(parts, **options)
    return _named(name, parts) | inner


def build(parts: Parts, chain: str | None = None, **options: Any) -> ChainRunnable:
    """Return the chain as a LangChain Runnable: takes a question and a session, gives an Answer."""
    name = chain or _default(parts)
    if name == "extractive":
        parts = replace(parts, model=None)  # neither does it ask one to rewrite questions
        from ragqa.flow.untraced import UntracedRunnable as Runnable
    else:
        from ragqa.flow.runnable import ChainRunnable as Runnable  # type: ignore[assignment]
    return Runnable(NAME, whole(pipeline(parts, name, **options), parts), begin(parts, name))


def _default(parts: Parts) -> str:
    return "extractive" if parts.model is None else "stuff"


def _named(name: str, parts: Parts) -> Stage:
    """Return the stage that says which chain answers."""

    def step(turn: Turn) -> Turn:
        if turn.session_id is not None and parts.sessions is None:
            raise ConfigError(
                "A session is named, but no conversations are kept.",
                hint="Give the parts a session store: Parts(sessions=…).",
            )
        return replace(turn, chain=name)

    return Stage(NAME, step)
