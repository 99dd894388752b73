"""The tools of a chain: ragqa's own and the caller's, by the names that the model uses.

A caller hands over LangChain tools, functions decorated with ``@tool``, plain functions with type
hints and a docstring, or the tools of an MCP server (langchain-mcp-adapters).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragqa.agent.bounded_call import kept
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools.definitions import ToolDefinition, checked_definitions, definition_of
from ragqa.errors import ConfigError, UnknownNameError

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

Tools = Iterable[Any]
Policies = Mapping[str, ToolPolicy]


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The caller's tools, checked once when the chain is made.

    Attributes:
        tools: By the name by which the model calls them.
        definitions: What the model is told of them.
        policies: What is known of them beside.
    """

    tools: Mapping[str, BaseTool] = field(default_factory=dict)
    definitions: Mapping[str, ToolDefinition] = field(default_factory=dict)
    policies: Policies = field(default_factory=dict)

    @property
    def has_effects(self) -> bool:
        """Tell whether any tool may change something."""
        return any(
            name not in self.policies or not self.policies[name].read_only for name in self.tools
        )


def toolbox(tools: Tools = (), policies: Policies | None = None) -> Toolbox:
    """Return the caller's tools, once nothing is wrong with their definitions.

    Args:
        tools: LangChain tools or functions.
        policies: What is known of them, by the tool's name.

    Raises:
        ConfigError: If a definition is wrong, a name taken or a policy one of no tool.
    """
    _check_kinds(tools, policies)
    made = [_langchain_tool(tool) for tool in tools]
    defined = [definition_of(tool) for tool in made]
    checked_definitions(defined)
    names = {definition.foreign_name or definition.name: definition.name for definition in defined}
    for name in policies or {}:
        if name not in names and name not in names.values():
            raise UnknownNameError("tool", name, list(names))
    return Toolbox(
        {definition.name: tool for tool, definition in zip(made, defined, strict=True)},
        {definition.name: definition for definition in defined},
        {names.get(name, name): policy for name, policy in (policies or {}).items()},
    )


def _check_kinds(tools: Any, policies: Any) -> None:
    """Raise a ConfigError where no list of tools and no mapping to policies was given."""
    if callable(tools) or hasattr(tools, "invoke") or not isinstance(tools, Iterable):
        raise ConfigError(
            f"tools is a {type(tools).__name__}, no list of tools.",
            hint="Pass a list, of one tool too: tools=[create_ticket].",
        )
    of_a_kind = isinstance(policies, Mapping | None)
    if not of_a_kind or any(not isinstance(each, ToolPolicy) for each in (policies or {}).values()):
        raise ConfigError(
            "policies is no mapping from names of tools to policies.",
            hint='For instance policies={"create_ticket": ToolPolicy(approval=True)}.',
        )


def _langchain_tool(tool: Any) -> BaseTool:
    from langchain_core.tools import BaseTool, StructuredTool

    if isinstance(tool, BaseTool):
        coroutine = getattr(tool, "coroutine", None)
        return tool if coroutine is None else tool.model_copy(update={"coroutine": kept(coroutine)})
    if not callable(tool) or isinstance(tool, type):
        raise ConfigError(
            f"A tool is a {type(tool).__name__}.",
            hint="Pass LangChain tools, or functions with type hints and a docstring.",
        )
    given = {"coroutine": kept(tool)} if inspect.iscoroutinefunction(tool) else {"func": tool}
    try:
        made: BaseTool = StructuredTool.from_function(**given, parse_docstring=False)
    except (ValueError, TypeError, AttributeError, NameError) as exc:
        name = getattr(tool, "__name__", str(tool))
        raise ConfigError(
            f"The function {name} cannot be a tool: {str(exc).rstrip('.')}.",
            hint="Give it a docstring that says when to use it, and a type for every parameter.",
        ) from exc
    return made


def wire_definition(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's definition as services take it."""
    parameters = dict(schema) if schema.get("type") == "object" else {"type": "object", **schema}
    parameters.setdefault("properties", {})
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }
