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
from ragqa.agent.policy import UNDECLARED, ToolPolicy
from ragqa.agent.tools.definitions import registered_name_of
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
        policies: What is known of them beside.
    """

    tools: Mapping[str, BaseTool] = field(default_factory=dict)
    policies: Policies = field(default_factory=dict)


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
    names = {tool.name: registered_name_of(tool) for tool in made}
    for name in policies or {}:
        if name not in names and name not in names.values():
            raise UnknownNameError("tool", name, list(names))
    by_name = _by_name(made, names)
    declared = {names.get(name, name): policy for name, policy in (policies or {}).items()}
    for name, tool in by_name.items():
        _check_hidden(name, tool, declared.get(name, UNDECLARED))
    return Toolbox(by_name, declared)


def _by_name(tools: Iterable[BaseTool], names: Mapping[str, str]) -> dict[str, BaseTool]:
    """Return tools by the names under which they are called; two cannot bear one."""
    by_name: dict[str, BaseTool] = {}
    for tool in tools:
        name = names[tool.name]
        if (other := by_name.get(name)) is not None:
            raise ConfigError(
                f"Two tools are called {name!r} ({other.name!r} and {tool.name!r}).",
                hint="Give each tool a name of its own.",
            )
        by_name[name] = tool
    return by_name


def _check_hidden(name: str, tool: BaseTool, policy: ToolPolicy) -> None:
    """Raise a ConfigError where a parameter is kept from the model, and nobody gives it.

    So it is with what LangGraph's own tool node injects: its state, its store, its runtime.
    """
    offered = getattr(tool.tool_call_schema, "model_fields", None)
    if offered is None:  # a JSON schema, which hides nothing
        return
    taken: Mapping[str, Any] = getattr(tool.get_input_schema(), "model_fields", {})
    for parameter, field_ in taken.items():
        marks = {getattr(mark, "__name__", type(mark).__name__) for mark in field_.metadata}
        is_given = parameter == policy.key_parameter or "InjectedToolCallId" in marks
        if field_.is_required() and parameter not in offered and not is_given:
            raise ConfigError(
                f"The parameter {parameter!r} of the tool {name!r} is hidden from the model, and "
                "nothing gives it a value.",
                hint="Give it a default, let the function know the value by itself, or name it as "
                "key_parameter in the tool's ToolPolicy.",
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
