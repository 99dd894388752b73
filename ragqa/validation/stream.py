"""Reveal the text of one field while the JSON around it is still streaming in.

The pieces joined are the field's text, whichever way the reply is split: what could still turn
out otherwise is held back. Reasoning, prose, fences and other fields show nothing. What is shown
is not validated yet; whoever shows it has to take it back if the reply is rejected, and to show
the rest where the reply is written in a way that only the whole of it can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pydantic import BaseModel

from ragqa.contract import QAResponse
from ragqa.language.late import late
from ragqa.validation.reasoning import CHANNEL_START, OPENED, called_function, closed_by
from ragqa.validation.shape import shape_of
from ragqa.validation.syntax.lexis import COLONS, COMMAS, QUOTES, STRING_BEFORE
from ragqa.validation.syntax.surroundings import WINDOW, is_announced_elsewhere
from ragqa.validation.syntax.wrappers import ARGUMENT_KEYS, ENVELOPES, NAME_KEYS
from ragqa.validation.tape import MAX_TAG_CHARS, LostError, Sink, Steps, Tape

_STOP: Final = late(rf"[{{｛]|{OPENED}|{CHANNEL_START}", re.IGNORECASE)
_ESCAPED_START: Final = late(r"(?:\s|\\++[nrt])*+(\\*+)([\"'])?")


class PartialAnswer:
    r"""Reveal the text of a field of a reply's object, piece by piece.

    >>> reveal = PartialAnswer()
    >>> [reveal.feed(piece) for piece in ('{"answer": "Tw', 'o\\n', 'years"', ', "con')]
    ['Tw', 'o\n', 'years', '']

    Args:
        field: The field whose text is shown.
        schema: What the reply should be; a tool call that bears its name is looked into.

    Attributes:
        is_complete: Whether the field's text has been shown to its end.
    """

    def __init__(self, field: str = "answer", schema: type[BaseModel] = QAResponse) -> None:
        self._field = field
        self._shape = shape_of(schema)
        self._tape = Tape()
        self._before = ""
        self._shown: list[str] = []
        self.is_complete = False
        self._steps: Steps[None] | None = self._reading()

    def feed(self, piece: str) -> str:
        """Return what became readable with this piece; often nothing."""
        if self._steps is None:
            return ""
        self._shown.clear()
        self._tape.append(piece)
        try:
            next(self._steps)
        except (StopIteration, LostError):
            self._steps = None
        return "".join(self._shown)

    def _reading(self) -> Steps[None]:
        yield from self._skip_bare_channels()
        if (yield from self._tape.next_char()) == '"':  # the whole reply may be a JSON string
            self._tape.pos += 1
            yield from self._encoded(lambda sink: self._tape.body('"', sink, is_bare=True))
        while not self.is_complete:
            yield from self._seek()
            yield from self._first_object()

    def _skip_bare_channels(self) -> Steps[None]:
        """Go past analysis in channels whose special tokens were dropped."""
        yield from self._tape.need(1)
        if self._tape.text[0] in "ac":
            yield from self._tape.need(len("commentary"))
            if self._tape.text.startswith(("analysis", "commentary")):
                yield from self._tape.go_past("assistantfinal")

    def _seek(self) -> Steps[None]:
        """Go to the next object outside of reasoning; stand behind its brace."""
        tape = self._tape
        while True:
            stop = _STOP.search(tape.text, tape.pos)
            if stop is None:
                self._remember(max(tape.pos, len(tape.text) - MAX_TAG_CHARS))
                yield
                continue
            self._remember(stop.end())
            if stop[0] in "{｛":
                return
            if not stop["channel"]:
                yield from tape.go_past(closed_by(stop["opened"]))
            elif stop["channel"] != "final" and not called_function(stop):
                yield from tape.go_past(r"<\|(?:end|return|call)\|>|(?=<\|(?:start|channel)\|>)")

    def _remember(self, end: int) -> None:
        """Go on to a position; keep what stands before an object that may announce it."""
        self._before = (self._before + self._tape.text[self._tape.pos : end])[-WINDOW - 1 :]
        self._tape.pos = end

    def _first_object(self) -> Steps[None]:
        if is_announced_elsewhere(self._before[:-1], self._shape):
            return
        if (yield from self._is_escaped()) or (yield from self._is_quoted()):
            yield from self._encoded(lambda sink: self._tape.body('"', sink, is_bare=True), "{")
        else:
            yield from self._object()

    def _is_quoted(self) -> Steps[bool]:
        """Tell whether the object seems to be a JSON string: a quote before it, none in it."""
        if not STRING_BEFORE.search(self._before[:-1]):
            return False
        return (yield from self._tape.next_char()) != '"'

    def _is_escaped(self) -> Steps[bool]:
        """Tell whether the quotes of the object are escaped: then it is a string's content."""
        tape = self._tape
        while True:
            tape.skip_blanks()  # a model that is caught in blanks would have all of them read anew
            match = _ESCAPED_START.match(tape.text, tape.pos)
            assert match is not None, "the pattern matches the empty string"
            if match.end() < len(tape.text) or match[2]:
                return bool(match[1] and match[2])
            yield

    def _encoded(self, read: Callable[[Sink], Steps[None]], start: str = "") -> Steps[None]:
        """Follow an object inside a string, which begins with ``start``."""
        inner = PartialAnswer(self._field)
        inner._shape = self._shape
        inner.feed(start)
        yield from read(lambda text: self._shown.append(inner.feed(text)))
        self.is_complete = inner.is_complete

    def _object(self, *, is_envelope: bool = False) -> Steps[None]:
        """Go through the members of an object; return early where it turns out to be none."""
        tape = self._tape
        called = ""
        while not self.is_complete:
            if (yield from tape.next_char()) in COMMAS:
                tape.pos += 1
                continue
            key = yield from tape.key()
            if key is None or (yield from tape.next_char()) not in COLONS:
                return
            tape.pos += 1
            char = yield from tape.next_char()
            if key in NAME_KEYS and char in QUOTES:
                called = yield from tape.collected()
            elif key == self._field and char in QUOTES and not is_envelope:
                yield from tape.string(self._shown.append)
                self.is_complete = True
            else:
                yield from self._other_value(key, char, called)

    def _other_value(self, key: str, char: str, called: str) -> Steps[None]:
        """Look into a wrapper that bears the schema's name; go past any other value."""
        bears_name = self._shape.bears(called) if key in ARGUMENT_KEYS else self._shape.bears(key)
        if bears_name and char in "{｛":
            self._tape.pos += 1
            yield from self._object()
        elif bears_name and char in QUOTES:
            yield from self._encoded(self._tape.string)
        elif key in ENVELOPES and char in "{｛[［":
            yield from self._envelope()
        else:
            yield from self._tape.skip_value()

    def _envelope(self) -> Steps[None]:
        """Look for a call of ours in an object, or in the first of a list."""
        if self._tape.text[self._tape.pos] in "[［":
            self._tape.pos += 1
        if (yield from self._tape.next_char()) in "{｛":
            self._tape.pos += 1
            yield from self._object(is_envelope=True)
