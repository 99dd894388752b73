"""What conversations are kept in."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class UsedSource:
    """A document that an earlier answer was written from, and who could see it then."""

    id: str
    groups: tuple[str, ...] = ("*",)


@dataclass(frozen=True, slots=True)
class PastTurn:
    """One turn of a conversation as a compact record.

    Attributes:
        run_id: The run that answered it; a turn is kept once per run.
        question: What the user asked, as typed.
        resolved: The question made self-contained.
        answer: The answer, shortened; empty where none was given.
        category: The answer's category.
        confidence: The answer's confidence.
        status: The answer's status.
        sources: Every document that the answer was written from: a caller who may not see one of
            them does not see the turn.
        index_version: The state of the index at that time.
        at_s: When it ended, in seconds since the epoch.
    """

    run_id: str
    question: str
    resolved: str = ""
    answer: str = ""
    category: str = ""
    confidence: float = 0.0
    status: str = ""
    sources: tuple[UsedSource, ...] = ()
    index_version: str = ""
    at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Summary:
    """Older turns, folded into a text.

    Attributes:
        text: What a model made of them.
        run_ids: The turns that it covers; it may be shown to who may see them all.
    """

    text: str
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class History:
    """What a session remembers.

    Attributes:
        turns: The turns that are kept, oldest first.
        summary: A summary of the oldest of them, where one was made.
        state: What tools and chains keep for later turns (a pending order, for instance).
    """

    turns: tuple[PastTurn, ...] = ()
    summary: Summary | None = None
    state: Mapping[str, Any] = field(default_factory=dict)


class SessionStore(Protocol):
    """Keeps conversations; each belongs to the principal who began it.

    Every method raises PermissionDenied where the session belongs to somebody else, and
    SessionError where the store cannot be read or written.
    """

    def recall(self, session_id: str, principal: str) -> History:
        """Return what is remembered; an empty History of a session that is new or expired."""

    def remember(self, session_id: str, principal: str, turn: PastTurn) -> None:
        """Append a turn, or replace what was kept of the same run.

        A run during which the session was forgotten leaves nothing.
        """

    def summarise(self, session_id: str, principal: str, summary: Summary) -> None:
        """Keep a summary in place of the one before."""

    def keep_state(self, session_id: str, principal: str, state: Mapping[str, Any]) -> None:
        """Keep what later turns need; replaces what was kept before."""

    def try_hold(
        self, session_id: str, principal: str, run_id: str
    ) -> AbstractContextManager[None] | None:
        """Hold the session for one run; None where another run holds it.

        It is held from the call on, until the context is left. A holder that crashes loses it.
        """

    def hold(
        self, session_id: str, principal: str, run_id: str, wait_s: float
    ) -> AbstractContextManager[None]:
        """Do the same, waiting for the run that holds it.

        Raises:
            SessionBusyError: If it is still busy after ``wait_s``.
        """

    def forget(self, session_id: str, principal: str) -> bool:
        """Delete a session and tell whether there was one."""

    def export(self, session_id: str, principal: str) -> Mapping[str, Any]:
        """Return all that is kept of a session, as JSON takes it."""
