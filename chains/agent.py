"""Let a model search, compute and act with tools; its answer rests on what the tools returned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ragqa.flow import Pipeline
from ragqa.ports import Parts
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole
from ragqa.stages.write import write

if TYPE_CHECKING:
    from ragqa.agent.policy import ToolPolicy
    from ragqa.flow.runnable import ChainRunnable


def pipeline(
    parts: Parts,
    tools: Iterable[Any] = (),
    policies: Mapping[str, ToolPolicy] | None = None,
) -> Pipeline:
    """Return the chain's stages.

    Args:
        parts: What the chain works with.
        tools: The caller's own: LangChain tools, functions, tools of MCP servers.
        policies: What is known of them, by name; one without a policy counts as an effect, needs
            no approval and is not retried.

    Raises:
        ConfigError: If there is no model, or a tool's definition is wrong.
    """
    from ragqa.agent.act import act
    from ragqa.agent.run.loop import Agent
    from ragqa.agent.tools.toolbox import toolbox

    return act(parts, Agent(parts, toolbox(tools, policies))) | write(parts)


def build(
    parts: Parts,
    tools: Iterable[Any] = (),
    policies: Mapping[str, ToolPolicy] | None = None,
) -> ChainRunnable:
    """Return the chain as a LangChain Runnable: takes a question, gives an Answer.

    See :func:`pipeline` for the arguments.
    """
    from ragqa.flow.runnable import ChainRunnable

    stages = whole(pipeline(parts, tools, policies), parts)
    return ChainRunnable("agent", stages, begin(parts, "agent"))
