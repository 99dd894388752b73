"""The record of one tool call: what was asked, what ran, and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ragqa.agent.ledger.states import ENDED, ToolState
from ragqa.masking import mask


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a record from a state to the next.

    Attributes:
        state: What it became.
        at_s: Seconds since the epoch.
        attempt: The try that was under way.
        reason: Why, where that is not plain.
    """

    state: ToolState
    at_s: float
    attempt: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person is asked before a call runs, and what that person said.

    Attributes:
        asked_s: When it was asked, in seconds since the epoch.
        expires_s: Until when the answer counts.
        decision: ``approved`` or ``refused``; None as long as nobody has decided.
        by: Who decided.
        decided_s: When.
        reason: What that person gave as the reason.
    """

    asked_s: float
    expires_s: float
    decision: str | None = None
    by: str = ""
    decided_s: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCall:
    """What is known of a call when it is asked for; the fields are those of ToolRecord."""

    run_id: str
    call_id: str
    name: str
    digest: str
    sent: str = ""
    principal: str = "local"
    session_id: str | None = None
    effect: str = ""
    claims: tuple[str, ...] = ()
    read_only: bool = False
    completes: str = "succeeded"
    asynchronous: bool = False
    fallback_for: str | None = None
    by_provider: bool = False


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """One call of a tool. Its repr and :meth:`shown` hold no unmasked argument.

    Attributes:
        id: The record's own id; call ids of models may repeat.
        run_id: The run in which it was asked.
        call_id: The model's id of the call.
        name: The tool's name.
        state: Where it stands.
        principal: For whom it ran.
        session_id: The conversation, if any.
        effect: What the tool does; empty for tools that only read.
        claims: Words of an answer that only this record makes true.
        read_only: Whether the tool changes nothing.
        completes: The state that counts as done.
        asynchronous: Whether the service only accepted a job.
        attempt: How often it ran.
        key: The operation's key.
        sent: The arguments as the model sent them, as text.
        arguments: The arguments as run; None before they passed the gates.
        result: What the tool returned, as the model saw it.
        error: What went wrong.
        request_id: The service's id of the request, the job or the thing made.
        verification: What the last look-up found.
        approval: What a person was asked, if one was.
        same_as: The record of the same operation that answers for this one.
        fallback_for: The record of the call in whose place this one ran.
        by_provider: Whether the model's provider ran it on its side.
        owner: The process that runs it now.
        moves: All its moves, oldest first.
    """

    id: str
    run_id: str
    call_id: str
    name: str
    state: ToolState
    principal: str = "local"
    session_id: str | None = None
    effect: str = ""
    claims: tuple[str, ...] = ()
    read_only: bool = False
    completes: str = "succeeded"
    asynchronous: bool = False
    attempt: int = 0
    key: str | None = field(default=None, repr=False)
    sent: str = field(default="", repr=False)
    arguments: Mapping[str, Any] | None = field(default=None, repr=False)
    result: str = field(default="", repr=False)
    error: str = field(default="", repr=False)
    request_id: str | None = None
    verification: Mapping[str, Any] | None = field(default=None, repr=False)
    approval: Approval | None = None
    same_as: str | None = None
    fallback_for: str | None = None
    by_provider: bool = False
    owner: str | None = None
    moves: tuple[Move, ...] = ()

    @property
    def is_done(self) -> bool:
        """Tell whether what was asked is done, as the tool's policy defines it."""
        return self.state == "verified" or (
            self.state == "succeeded" and self.completes == "succeeded"
        )

    @property
    def has_ended(self) -> bool:
        """Tell whether the executor has nothing more to do on it."""
        return self.state in ENDED

    @property
    def holds_key(self) -> bool:
        """Tell whether its operation took place, or may have: it must not run once more."""
        if self.state == "failed":
            return (self.verification or {}).get("finding") == "mismatch"
        return self.state in {"running", "unknown", "succeeded", "verified"}

    @property
    def was_declined(self) -> bool:
        """Tell whether a person refused it, or nobody decided in time."""
        if self.state != "failed" or self.approval is None:
            return False
        return self.approval.decision != "approved"

    def answered_by(self, other: ToolRecord) -> ToolRecord:
        """Return this call with what is known of the same operation's record."""
        return replace(
            self,
            state=other.state,
            same_as=other.id,
            completes=other.completes,
            arguments=other.arguments,
            approval=other.approval,
            attempt=other.attempt,
            request_id=other.request_id,
            error=other.error,
            verification=other.verification,
            result=other.result if other.principal == self.principal else "",
        )

    def moved_s(self, state: ToolState) -> float | None:
        """Return when it last became that, in seconds since the epoch."""
        return next((move.at_s for move in reversed(self.moves) if move.state == state), None)

    def shown(self) -> dict[str, Any]:
        """Return what may be shown to anybody who may see the answer: values are masked."""
        shown: dict[str, Any] = {
            "name": self.name,
            "call_id": self.call_id,
            "state": self.state,
            "done": self.is_done,
            "effect": self.effect,
            "claims": list(self.claims),
            "read_only": self.read_only,
            "attempt": self.attempt,
            "arguments": masked(self.arguments) if self.arguments is not None else None,
            "sent": mask(self.sent),
            "operation_key": mask(self.key) if self.key else None,
            "request_id": self.request_id,
            "error": mask(self.error) or None,
            "verification": masked(self.verification),
            "times": {move.state: round(move.at_s, 3) for move in self.moves},
        }
        if self.approval is not None:
            shown["approval"] = self._approval_shown(self.approval)
        for name in ("same_as", "fallback_for"):
            if getattr(self, name) is not None:
                shown[name] = getattr(self, name)
        return shown | {"id": self.id} | ({"by_provider": True} if self.by_provider else {})

    def _approval_shown(self, approval: Approval) -> dict[str, Any]:
        return {
            "decision": approval.decision,
            "by": approval.by or None,
            "asked_s": round(approval.asked_s, 3),
            "expires_s": round(approval.expires_s, 3),
            "reason": mask(approval.reason) or None,
        }

    def for_approver(self) -> dict[str, Any]:
        """Return what the person sees who decides: the real arguments."""
        return {
            "id": self.id,
            "name": self.name,
            "call_id": self.call_id,
            "effect": self.effect,
            "arguments": dict(self.arguments or {}),
            "expires_s": self.approval.expires_s if self.approval else None,
        }


def masked(value: Any) -> Any:
    """Return a JSON value in which secrets and personal data are masked."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {mask(str(name)): _member(str(name), member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [masked(member) for member in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        hidden = mask(str(value))
        return value if hidden == str(value) else hidden
    return value


def _member(name: str, value: Any) -> Any:
    """Mask a member whose name says that it is a secret, whatever it holds."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        line = f"{name}: {value!r}" if isinstance(value, str) else f"{name}: {value}"
        hidden = mask(line)
        if hidden != line and hidden.startswith(f"{name}: ["):
            return hidden.partition(": ")[2]
    return masked(value)
