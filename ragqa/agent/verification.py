"""What a verifier is asked, what it says, and how a thing found is compared with what was asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Finding = Literal["found", "not_found", "mismatch", "pending", "failed", "error"]


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on which a verifier looks up what became of it.

    Attributes:
        tool: The tool's name.
        key: The operation's key, as it was given to the tool.
        arguments: What the tool was called with, the key not among them.
        result: What the tool returned, as text; empty where nothing came back.
        request_id: The service's id of the request or of the job, where it told one.
        attempt: How often the tool was called for it.
    """

    tool: str
    key: str | None
    arguments: Mapping[str, Any]
    result: str = ""
    request_id: str | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Verification:
    """What a look-up found.

    Attributes:
        finding: ``found``, ``not_found``, ``mismatch`` (done, but not what was asked),
            ``pending`` (accepted, not finished), ``failed`` (the service says that it failed)
            or ``error`` (the look-up itself did not work).
        detail: One line for people and the model.
        differing: Where it differs: the field, what was asked, what was found.
        request_id: The service's id of the thing found.
    """

    finding: Finding
    detail: str = ""
    differing: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    request_id: str | None = None

    def shown(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        shown: dict[str, Any] = {"finding": self.finding}
        if self.detail:
            shown["detail"] = self.detail
        if self.differing:
            shown["differing"] = {
                name: {"asked": asked, "found": found}
                for name, (asked, found) in self.differing.items()
            }
        return shown


Said = Verification | Mapping[str, Any] | bool | None
Verifier = Callable[[Operation], Said | Awaitable[Said]]
"""Looks an operation up: the thing found as a mapping, None or False where there is none, True, or
a Verification. It must change nothing."""


def judged(said: Any, operation: Operation, compares: Mapping[str, str]) -> Verification:
    """Turn what a verifier returned into a Verification.

    Args:
        said: What it returned.
        operation: What was asked.
        compares: For each argument, the field of the thing found that has to equal it.
    """
    if isinstance(said, Verification):
        return said
    if said is None or said is False:
        return Verification("not_found")
    if said is True:
        return Verification("found")
    if not isinstance(said, Mapping):
        return Verification("error", f"the verifier returned {type(said).__name__}")
    differing = {
        argument: (operation.arguments[argument], _held(said, name))
        for argument, name in compares.items()
        if argument in operation.arguments
        and not _same(operation.arguments[argument], _held(said, name))
    }
    if differing:
        names = ", ".join(sorted(differing))
        return Verification("mismatch", f"differs in {names}", differing)
    found_id = said.get("id")
    return Verification("found", request_id=None if found_id is None else str(found_id))


def _held(found: Mapping[str, Any], name: str) -> Any:
    """Return a field of the thing found; dots go into nested mappings."""
    held: Any = found
    for part in name.split("."):
        held = held.get(part) if isinstance(held, Mapping) else None
    return held


def _same(asked: Any, found: Any) -> bool:
    """Compare as services store: blanks at the edges and 5 for 5.0 are no difference."""
    if isinstance(asked, str) and isinstance(found, str):
        return asked.strip() == found.strip()
    if isinstance(asked, bool) or isinstance(found, bool):
        return asked is found
    return bool(asked == found)
