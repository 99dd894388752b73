"""The gates as they stand by default."""

from __future__ import annotations

from collections.abc import Mapping

from ragqa.validation.gates import Gates
from ragqa.validation.grounded import ContextGate
from ragqa.validation.handling import checked_overrides
from ragqa.validation.rules import RulesGate
from ragqa.validation.schema import SchemaGate
from ragqa.validation.syntax import SyntaxGate
from ragqa.validation.text import TextGate


def default_gates(*, handling: Mapping[str, str] | None = None) -> Gates:
    """Return clean-up and the four gates in their order.

    Args:
        handling: A caller's own table from code to handling.

    Raises:
        ConfigError: If the table names a handling that does not exist.
    """
    gates = (TextGate(), SyntaxGate(), SchemaGate(), RulesGate(), ContextGate())
    return Gates(gates, checked_overrides(handling or {}))
