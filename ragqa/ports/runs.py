"""What is recorded of every ask."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

RunState = Literal[
    "queued",
    "in_progress",
    "requires_action",
    "completed",
    "failed",
    "cancelled",
    "expired",
    "incomplete",
]


@dataclass(frozen=True, slots=True)
class Run:
    """One ask from its start to its end.

    Attributes:
        id: The run's id.
        state: Where it stands.
        chain: The chain that answers.
        principal: Who asked.
        groups: The groups of the caller when it asked.
        session_id: The conversation, if any.
        question: What was asked, masked as configured; empty where no text is kept.
        started_s: Seconds since the epoch.
        ended_s: The same; None while it is under way.
        last_error: Code and message of what ended it, where something did.
        record: Everything else, as JSON takes it: answer, attempts, passages, replies, timings.
    """

    id: str
    state: RunState
    chain: str = ""
    principal: str = "local"
    groups: tuple[str, ...] = ()
    session_id: str | None = None
    question: str = ""
    started_s: float = 0.0
    ended_s: float | None = None
    last_error: Mapping[str, str] | None = None
    record: Mapping[str, Any] = field(default_factory=dict)


class RunStore(Protocol):
    """Keeps runs."""

    def begin(self, run: Run) -> None:
        """Keep a run that begins, or goes on after an approval."""

    def save(self, run: Run) -> None:
        """Replace what is kept of a run."""

    def get(self, run_id: str) -> Run | None:
        """Return a run; None where none bears that id."""

    def since(self, since_s: float, until_s: float | None = None) -> Iterator[Run]:
        """Yield the runs that began in a period, oldest first."""
