"""What the executor knows of the run whose tool calls it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragqa.contract import Caller

State = Mapping[str, Any] | Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContext:
    """What the executor knows of a run.

    Attributes:
        run_id: Its id.
        caller: For whom it runs.
        session_id: Its conversation, if any.
        question: What the user asked: a text of the user's own is no attack.
        state: What the session holds, for tools that require something of it; a function is
            asked at every call.
        language: Of messages to the model: ``en`` or ``zh``.
        remaining_s: Tells how much time the run has left.
        can_wait: Whether the run may wait for a person; where no text is kept, it cannot.
    """

    run_id: str
    caller: Caller = Caller()
    session_id: str | None = None
    question: str = ""
    state: State | None = None
    language: str = "en"
    remaining_s: Callable[[], float] | None = None
    can_wait: bool = True

    def held(self) -> Mapping[str, Any]:
        """Return what the session holds now."""
        state = self.state() if callable(self.state) else self.state
        return state or {}

    def is_over(self) -> bool:
        """Tell whether no time is left."""
        return self.remaining_s is not None and self.remaining_s() <= 0
