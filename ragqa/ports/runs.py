"""What is recorded of every ask."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ragqa.contract import Usage

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


ENDED: frozenset[RunState] = frozenset(
    ("completed", "failed", "cancelled", "expired", "incomplete")
)
"""The states in which a run stays."""

KeptText = Literal["full", "masked", "none"]


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
        usage: What the calls of models took so far.
        record: Everything else, as JSON takes it: answer, calls with their replies, passages,
            versions, timings; and, under their keys, what ``RunStore.note`` was given.
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
    usage: Usage = Usage()
    record: Mapping[str, Any] = field(default_factory=dict)


class RunStore(Protocol):
    """Keeps runs. Every method may raise StorageError."""

    @property
    def keeps(self) -> KeptText:
        """Say what is kept of texts: all, masked, or none (then nothing can be resumed)."""

    def begin(self, run: Run) -> Run | None:
        """Keep a run that begins, or goes on after an approval; return what was kept of it.

        As long as this process lives, the run is taken for alive.
        """

    def save(self, run: Run) -> None:
        """Replace what is kept of a run; a run that was cancelled or expired meanwhile stays so."""

    def move(
        self,
        run_id: str,
        expected: Collection[RunState],
        state: RunState,
        last_error: Mapping[str, str] | None = None,
    ) -> bool:
        """Move a run from one of the expected states, and tell whether it was in one of them.

        Of several processes that try at once, one is told True.
        """

    def note(self, run_id: str, values: Mapping[str, Any]) -> None:
        """Keep more under keys of ``Run.record``, as JSON takes it; ``save`` leaves it alone."""

    def get(self, run_id: str) -> Run | None:
        """Return a run; None where none bears that id. One whose process died is incomplete."""

    def since(self, since_s: float, until_s: float | None = None) -> Iterator[Run]:
        """Yield the runs that began in a period, oldest first."""

    def forget(self, run_ids: Collection[str]) -> int:
        """Delete runs and return how many there were."""
