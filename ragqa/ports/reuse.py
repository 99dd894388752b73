"""What accepted answers are kept in for reuse."""

from __future__ import annotations

from typing import Protocol


class AnswerStore(Protocol):
    """Keeps accepted answers under a key that holds all that they depend on."""

    def get(self, key: str) -> str | None:
        """Return the answer's JSON; None where there is none, or it has expired."""

    def put(self, key: str, answer_json: str, lifetime_s: float) -> None:
        """Keep an answer for a time."""
