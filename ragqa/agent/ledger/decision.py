"""Whether a person may still decide on a call that waits."""

from __future__ import annotations

from ragqa.agent.ledger.record import Approval, ToolRecord
from ragqa.errors import ConfigError


def is_too_late(record: ToolRecord, now_s: float) -> bool:
    """Tell whether nobody has decided on a call, and its time is over."""
    approval = record.approval
    return approval is not None and approval.decision is None and now_s >= approval.expires_s


def undecided(record: ToolRecord, now_s: float) -> Approval:
    """Return the approval of a record on which a person may still decide."""
    approval = record.approval
    if record.state != "waiting_for_approval" or approval is None:
        raise ConfigError(f"The call of {record.name} does not wait for an approval.")
    if approval.decision is not None:
        raise ConfigError(f"The call of {record.name} has been {approval.decision} before.")
    if is_too_late(record, now_s):
        raise ConfigError(
            f"The time to approve the call of {record.name} is over.",
            hint="Ask again to start a new run.",
        )
    return approval
