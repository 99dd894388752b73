"""State and permissions that have to be there before anything is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ragqa.contract import EVERYONE
from ragqa.validation.fields import refused
from ragqa.validation.gate import CheckContext, Outcome, Passed


@dataclass(frozen=True, slots=True)
class RequiredState:
    """Refuse where the session's or the run's state lacks something: no order, no confirmation.

    Attributes:
        key: What has to be in the state, and not be empty; dots go into nested mappings.
        test: What has to be true of it, given the value under check and what the state holds.
        message: Tells the reader what is missing.
        name: Names the check in configuration.
    """

    key: str
    test: Callable[[Any, Any], bool] | None = None
    message: str = ""
    name: str = "state"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on if the state is there."""
        held = _held(context.state, self.key)
        if _is_there(held) and (self.test is None or self.test(value, held)):
            return Passed(value)
        what = "is missing" if not _is_there(held) else "does not fit"
        reason = self.message or f"the state {self.key!r} {what}"
        return refused("context.state", reason, f"{reason}. This cannot be done now.", value=value)


def _held(state: Any, key: str) -> Any:
    for name in key.split("."):
        getter = getattr(state, "get", None)
        state = getter(name) if callable(getter) else None
    return state


def _is_there(held: Any) -> bool:
    """Tell whether something is held: 0 and False are values, an empty list is nothing."""
    return held is not None and (not hasattr(held, "__len__") or len(held) > 0)


@dataclass(frozen=True, slots=True, init=False)
class RequiredGroup:
    """Refuse callers who belong to none of the groups.

    Attributes:
        groups: Any one of them is enough; ``*`` is everybody.
        name: Names the check in configuration.
    """

    groups: tuple[str, ...]
    name: str

    def __init__(self, *groups: str, name: str = "permission") -> None:
        object.__setattr__(self, "groups", groups)
        object.__setattr__(self, "name", name)

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on if the caller may do this."""
        if EVERYONE in self.groups or not set(self.groups).isdisjoint(context.caller.groups):
            return Passed(value)
        reason = f"the caller is in none of the groups {', '.join(self.groups)}"
        feedback = "The user may not do this. Say so; do not try it in another way."
        return refused("context.permission", reason, feedback, value=value)


@dataclass(frozen=True, slots=True)
class Permitted:
    """Refuse what a predicate does not permit, for instance another person's order.

    Attributes:
        predicate: Gets the value and the context.
        message: Tells the reader what is not permitted.
        name: Names the check in configuration.
    """

    predicate: Callable[[Any, CheckContext], bool]
    message: str = "the caller may not do this"
    name: str = "permission"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on if the predicate permits it."""
        if self.predicate(value, context):
            return Passed(value)
        feedback = "The user may not do this. Say so; do not try it in another way."
        return refused("context.permission", self.message, feedback, value=value)
