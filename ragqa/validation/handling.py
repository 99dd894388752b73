"""What follows a fault: a table from its code to a handling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast, get_args

from ragqa.errors import ConfigError
from ragqa.validation.broken import is_broken
from ragqa.validation.verdict import Handling

DEFAULT_HANDLING: Mapping[str, Handling] = {
    # The model declined; asking the same again only costs money.
    "text.refusal": "fallback",
    "text.content_filter": "fallback",
    "text": "retry",
    "syntax": "retry",
    "schema": "retry",
    "rules": "retry",
    # No words of the model can give a permission or a state that is not there.
    "context.permission": "raise",
    "context.state": "raise",
    "context": "retry",
}
"""Handling by code; a family's name (before the dot) covers all its codes."""


_WITH_VALUE = ("rules", "context")  # only behind the schema gate is there a valid value


def handling_of(code: str, overrides: Mapping[str, str] | None = None) -> Handling:
    """Return what follows a fault; the exact code counts before its family.

    Args:
        code: A fault's code, for instance ``schema.range``.
        overrides: A caller's own table, looked at first.
    """
    family = code.partition(".")[0]
    # A rule that fails itself is no fault of the model: only its own code changes its handling.
    keys = (code,) if is_broken(code) else (code, family)
    for table in (overrides or {}, DEFAULT_HANDLING):
        for key in keys:
            if key in table:
                return cast(Handling, table[key])
    return "raise" if is_broken(code) else "retry"


def checked_overrides(table: Mapping[str, str]) -> Mapping[str, Handling]:
    """Return a caller's table if every handling in it exists.

    Raises:
        ConfigError: If one does not.
    """
    known = tuple(name for name in get_args(Handling) if name != "accept")
    for code, handling in table.items():
        if handling not in known:
            raise ConfigError(
                f"The handling of {code} is {handling!r}.", hint=f"Use one of {', '.join(known)}."
            )
        if handling == "log" and code.partition(".")[0] not in _WITH_VALUE:
            raise ConfigError(
                f"The handling of {code} is 'log', but there is no valid value to go on with.",
                hint="Log and go on is for faults of rules and context.",
            )
    return cast(Mapping[str, Handling], table)
