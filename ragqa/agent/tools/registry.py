"""The tools of a run with their policies, schemas and gates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragqa.agent.policy import UNDECLARED, ToolPolicy
from ragqa.agent.tools.call import Tool
from ragqa.agent.tools.gates import ModelSchema, schema_for_model, tool_gates
from ragqa.errors import ConfigError, UnknownNameError


class Registry:
    """Tools by the names by which a model calls them.

    Args:
        tools: The tools; a mapping gives the names.
        policies: What is known of them, by name. A tool without one counts as an effect, needs no
            approval and is not retried.

    Raises:
        ConfigError: If a policy does not fit its tool, or is one of no tool.
    """

    def __init__(
        self,
        tools: Iterable[Tool] | Mapping[str, Tool],
        policies: Mapping[str, ToolPolicy] | None = None,
    ) -> None:
        if isinstance(tools, Mapping):
            self.tools = dict(tools)
        else:
            self.tools = {tool.name: tool for tool in tools}
        self._policies = dict(policies or {})
        self._check_policies()
        self.gates = {name: tool_gates(tool, self.policy(name)) for name, tool in self.items()}

    def items(self) -> Iterable[tuple[str, Tool]]:
        """Return names and tools."""
        return self.tools.items()

    def policy(self, name: str) -> ToolPolicy:
        """Return a tool's policy."""
        return self._policies.get(name, UNDECLARED)

    def schema_for_model(self, name: str) -> ModelSchema:
        """Return what a model is told of a tool's arguments."""
        return schema_for_model(self.tools[name], self.policy(name))

    def parameters(self, name: str) -> set[str]:
        """Return the names of the arguments that a model may send."""
        schema = self.schema_for_model(name)
        if isinstance(schema, type):
            return set(schema.model_fields)
        return set((schema or {}).get("properties") or {})

    def _check_policies(self) -> None:
        for name, policy in self._policies.items():
            if name not in self.tools:
                raise UnknownNameError("tool", name, list(self.tools))
            if not isinstance(policy, ToolPolicy):
                raise ConfigError(
                    f"The policy of {name} is a {type(policy).__name__}, not a ToolPolicy."
                )
            self._check_names(name, policy)
            fallback = policy.fallback
            if fallback is None:
                continue
            if fallback not in self.tools:
                raise UnknownNameError("tool", fallback, list(self.tools))
            if fallback == name or not self.policy(fallback).read_only:
                raise ConfigError(
                    f"The fallback of {name} is {fallback}, which is not a read-only tool.",
                    hint="Declare it with ToolPolicy(read_only=True), or name another one.",
                )

    def _check_names(self, name: str, policy: ToolPolicy) -> None:
        """Refuse a key or a comparison of arguments that the tool has not.

        Without them, all calls would be one operation, or none would be compared.
        """
        named = [*policy.compared, *(policy.key if isinstance(policy.key, tuple) else ())]
        known = self.parameters(name)
        unknown = [each for each in named if each not in known]
        if unknown and known:
            raise ConfigError(
                f"The policy of {name} names arguments that it has not: {', '.join(unknown)}.",
                hint=f"Its arguments are: {', '.join(sorted(known))}.",
            )
