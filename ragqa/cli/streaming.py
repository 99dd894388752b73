"""Show an answer while it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragqa.cli import terminal
from ragqa.cli.answer_text import answer_text
from ragqa.cli.phrases import language_for, phrase
from ragqa.contract import Answer
from ragqa.flow import Event, Withdrawn

if TYPE_CHECKING:
    from ragqa.app import Asker
    from ragqa.contract import Turn


class JsonStream:
    """Print every event as a JSON object on a line of its own."""

    def __init__(self) -> None:
        self._shown = False

    def take(self, event: Event) -> None:
        """Print one event."""
        if isinstance(event, Answer):
            terminal.write_json({"event": "answer", **event.model_dump(mode="json")})
        elif isinstance(event, Withdrawn):
            self.withdraw(event.reason)
        else:
            self._shown = True
            terminal.write_json({"event": "text", "text": event})

    def withdraw(self, reason: str) -> None:
        """Take back the text shown so far, if there is any."""
        if self._shown:
            terminal.write_json({"event": "withdrawn", "reason": reason})
        self._shown = False


class TextStream:
    """Write the text as it comes; what is withdrawn is replaced where everybody sees it."""

    def __init__(self, asker: Asker, turn: Turn) -> None:
        self._language = language_for(turn.question.text)
        self._no_model = asker.parts.model is None
        self._text = ""

    def take(self, event: Event) -> None:
        """Show one event."""
        if isinstance(event, Withdrawn):
            self.withdraw(event.reason)
        elif isinstance(event, Answer):
            self._finish(event)
        else:
            self._text += event
            terminal.write(terminal.plain(event))

    def withdraw(self, reason: str) -> None:
        """Say that the text above does not count, if there is any."""
        if self._text:
            note = phrase("withdrawn", self._language, reason=reason)
            terminal.write(f"\n{terminal.styled(note, 'warn')}\n\n")
        self._text = ""

    def _finish(self, answer: Answer) -> None:
        seen = self._text == answer.response.answer
        if self._text:
            terminal.write("\n\n")
        text = answer_text(answer, self._language, with_answer=not seen, no_model=self._no_model)
        terminal.write(text)
