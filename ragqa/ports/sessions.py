"""What conversations are kept in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One turn of a conversation as a compact record.

    Attributes:
        run_id: The run that answered it; a turn is kept once per run.
        question: What the user asked.
        resolved: The question made self-contained.
        answer: The answer, shortened.
        category: The answer's category.
        confidence: The answer's confidence.
        source_groups: The groups of every document that the answer cites: a caller who may not
            see one of them does not see the turn.
        at_s: When it ended, in seconds since the epoch.
    """

    run_id: str
    question: str
    resolved: str
    answer: str
    category: str
    confidence: float
    source_groups: tuple[tuple[str, ...], ...] = ()
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class History:
    """What a session remembers, oldest first.

    Attributes:
        turns: The last turns, whole records.
        summary: Older turns, folded into a text.
        summary_groups: As ``PastTurn.source_groups``, of the turns in the summary.
        state: What tools and chains keep for later turns (a pending order, for instance).
    """

    turns: tuple[PastTurn, ...] = ()
    summary: str = ""
    summary_groups: tuple[tuple[str, ...], ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)


class SessionStore(Protocol):
    """Keeps conversations; each belongs to the principal who began it."""

    def recall(self, session_id: str, principal: str) -> History:
        """Return what is remembered; an empty History of a session that is new or expired.

        Raises:
            PermissionDenied: If the session belongs to somebody else.
            SessionError: If it cannot be read.
        """

    def remember(self, session_id: str, principal: str, turn: PastTurn) -> None:
        """Append a turn; the same run twice is one turn."""

    def fold(
        self, session_id: str, principal: str, folded: Sequence[str], history: History
    ) -> None:
        """Replace the turns of these runs by the summary of ``history``."""

    def hold(
        self, session_id: str, principal: str, run_id: str, wait_s: float
    ) -> AbstractContextManager[None]:
        """Hold the session for one run, waiting for the run that holds it; survives its crash.

        Raises:
            SessionError: If it is still busy after ``wait_s``.
        """

    def forget(self, session_id: str, principal: str) -> bool:
        """Delete a session and tell whether there was one."""

    def export(self, session_id: str, principal: str) -> Mapping[str, Any]:
        """Return all that is kept of a session, as JSON takes it."""
