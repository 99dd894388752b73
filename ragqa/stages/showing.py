"""What whoever watches the stream has been shown of a reply under way."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from ragqa.contract import QAResponse
from ragqa.errors import RagqaError
from ragqa.flow import Effect, Show, Withdrawn
from ragqa.ports import ModelReply
from ragqa.validation.stream import PartialAnswer


@dataclass(slots=True)
class Shown:
    """What whoever watches the stream has been shown of the reply under way."""

    schema: type[QAResponse]
    text: str = ""
    _reveal: PartialAnswer = field(init=False)

    def fresh(self) -> Shown:
        """Start over with a new reply."""
        self._reveal = PartialAnswer(schema=self.schema)
        return self

    def feed(self, piece: str) -> str:
        """Return what became readable, and remember it."""
        readable = self._reveal.feed(piece)
        self.text += readable
        return readable

    def withdraw(self) -> bool:
        """Start over; tell whether there is anything to take back."""
        had_text = bool(self.text)
        self.text = ""
        self.fresh()
        return had_text

    def withdrawn(self, reason: str) -> Generator[Effect, Any, None]:
        """Take back what was shown, if anything was."""
        if self.text:
            self.text = ""
            yield Withdrawn(reason)

    def completed(self, answer: str) -> Generator[Effect, Any, None]:
        """Show what is missing of the accepted answer; replace what differs from it."""
        if not answer.startswith(self.text):
            yield from self.withdrawn("mended")
        if rest := answer[len(self.text) :]:
            self.text = answer
            yield Show(rest)


@dataclass(frozen=True, slots=True)
class ModelDraft:
    """What a stage that has asked a model leaves in ``turn.notes["model_draft"]``.

    Attributes:
        shown: What was shown of it.
        reply: The model's last reply; None where none came.
        error: Why none came.
    """

    shown: Shown
    reply: ModelReply | None = None
    error: RagqaError | None = None
