"""The gates before a tool call: its schema, rules, state and permissions, and attacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from ragqa.agent.arguments.check import ArgumentsGate, plain
from ragqa.agent.policy import ToolPolicy
from ragqa.errors import ConfigError
from ragqa.validation.gates import Gates
from ragqa.validation.grounded import Permitted, RequiredGroup, RequiredState, SuspiciousArguments
from ragqa.validation.grounded.gate import ContextCheck, ContextGate
from ragqa.validation.rules.gate import RulesGate

ModelSchema = Mapping[str, Any] | type[BaseModel] | None


def tool_gates(tool: Any, policy: ToolPolicy) -> Gates:
    """Return the gates that every call of a tool passes before it runs.

    Raises:
        ConfigError: If the tool's schema is none, or lacks the parameter that gets the key.
    """
    schema = ArgumentsGate(schema_for_model(tool, policy))
    return Gates((schema, RulesGate(policy.rules), ContextGate(_checks(policy))))


def schema_for_model(tool: Any, policy: ToolPolicy) -> ModelSchema:
    """Return what a model is told of a tool's arguments: without those that it must not send.

    Raises:
        ConfigError: If the tool lacks the parameter that gets the operation key.
    """
    whole = getattr(tool, "args_schema", None)
    offered = getattr(tool, "tool_call_schema", whole)
    if _names(offered) == _names(whole):
        offered = whole  # its own class has validators that a copy of it has not
    hidden = policy.key_parameter
    if hidden is None:
        return offered
    if hidden not in _names(whole) and not _takes_any(whole):
        raise ConfigError(
            f"The tool {tool.name} has no parameter {hidden!r} to take the operation key.",
            hint=f"Its parameters are: {', '.join(sorted(_names(whole)))}.",
        )
    return _without(offered, hidden) if hidden in _names(offered) else offered


def full_arguments(value: BaseModel, schema: ModelSchema) -> dict[str, Any]:
    """Return arguments with the schema's defaults: all that the tool is to act on.

    A default that is made anew at every call, such as a time, is left to the tool: it would make
    every call another operation.
    """
    if isinstance(schema, type):
        made = {
            name
            for name, field in schema.model_fields.items()
            if field.default_factory is not None and name not in value.model_fields_set
        }
        return value.model_dump(mode="json", by_alias=True, exclude=made)
    defaults = {
        name: node["default"]
        for name, node in ((schema or {}).get("properties") or {}).items()
        if isinstance(node, Mapping) and node.get("default") is not None
    }
    return {**defaults, **plain(value)}


def _checks(policy: ToolPolicy) -> list[ContextCheck]:
    checks: list[ContextCheck] = []
    if policy.groups:
        checks.append(RequiredGroup(*policy.groups))
    if (permission := policy.permission) is not None:
        checks.append(
            Permitted(lambda value, context: permission(context.caller, plain(value)) is True)
        )
    checks += [RequiredState(need) if isinstance(need, str) else need for need in policy.state]
    if policy.fields is not None:
        checks.append(SuspiciousArguments(policy.fields))
    return checks


def _names(schema: ModelSchema) -> set[str]:
    if isinstance(schema, type):
        return set(schema.model_fields)
    return set((schema or {}).get("properties") or {})


def _takes_any(schema: ModelSchema) -> bool:
    return isinstance(schema, Mapping) and schema.get("additionalProperties") is True


def _without(schema: ModelSchema, name: str) -> dict[str, Any]:
    """Return a JSON schema without one parameter."""
    found = schema.model_json_schema() if isinstance(schema, type) else dict(schema or {})
    found["properties"] = {key: node for key, node in found["properties"].items() if key != name}
    found["required"] = [key for key in found.get("required", ()) if key != name]
    return found
