"""Read one object or list from a text, tolerantly and without recursion.

What is read is what stands there. Where the text leaves a choice, or ends too early, reading
stops and says where and why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from ragqa.validation.shape import MAX_DEPTH
from ragqa.validation.syntax import strings
from ragqa.validation.syntax.lexis import (
    CLOSER,
    CLOSERS,
    COMMAS,
    COMMENT,
    CURLED,
    IDENTIFIER,
    ODD_BLANK,
    PLAIN,
    QUOTES,
    STRAIGHT,
    after_blanks,
)
from ragqa.validation.syntax.outcome import Broken, Budget, Found, StopError
from ragqa.validation.syntax.scalars import BARE, NoValueError, bare_value


@dataclass(slots=True)
class _Open:
    """An object, list or tuple that is being read."""

    brace: str
    members: dict[str, Any] = field(default_factory=dict)
    elements: list[Any] = field(default_factory=list)
    key: str = ""
    has_comma: bool = False

    @property
    def is_object(self) -> bool:
        return self.brace == "{"


_OPENED: Final = object()


def read(text: str, start: int, budget: Budget) -> Found | Broken:
    """Read the object or list that begins at a position.

    Args:
        text: The whole text.
        start: Where the opening brace or bracket stands.
        budget: The work that is left; it is used up by reading.
    """
    reading = _Reading(text, start, budget)
    try:
        value = reading.tree()
    except StopError as stop:
        keys = tuple(key for frame in reading.stack for key in (*frame.members, frame.key) if key)
        budget.chars -= max(stop.at, reading.pos) - start
        return Broken(stop.kind, start, stop.at, stop.reason, keys, len(reading.stack))
    budget.chars -= reading.pos - start
    return Found(
        value,
        start,
        reading.pos,
        tuple(reading.repairs),
        tuple(dict.fromkeys(reading.duplicates)),
        reading.flaw,
    )


class _Reading:
    def __init__(self, text: str, start: int, budget: Budget) -> None:
        self.text, self.pos, self.budget = text, start, budget
        self.stack: list[_Open] = []
        self.repairs: dict[str, None] = {}
        self.duplicates: list[str] = []
        self.flaw = ""

    def tree(self) -> Any:
        self._open(self._next_char())
        while True:
            self._count()
            frame = self.stack[-1]
            if self._is_closing(frame):
                value = self._closed()
                if not self.stack:
                    return value
            elif (value := self._member(frame)) is _OPENED:
                continue
            self._put(value)
            self._separate(self.stack[-1])

    def _count(self) -> None:
        self.budget.tokens -= 1
        if self.budget.is_spent:
            raise StopError("budget", self.pos, "the reply is too long or too tangled to read")

    def _note(self, repair: str) -> None:
        self.repairs[repair] = None

    def _next_char(self) -> str:
        """Skip blanks and comments; return the next character in its plain form."""
        self.pos = after_blanks(self.text, self.pos)
        char = self.text[self.pos : self.pos + 1]
        if char in {"#", "/"} or ODD_BLANK.match(char):
            char = self._next_char_after_comment()
        return PLAIN.get(char, char)

    def _next_char_after_comment(self) -> str:
        end = strings.skip(self.text, self.pos)
        start, self.pos = self.pos, end
        skipped = self.text[start:end]
        if COMMENT.search(skipped):
            self._note("comments")
            if end == len(self.text):
                raise StopError("structure", start, "a comment swallows the rest")
        elif skipped:
            self._note("unusual_blanks")
        if self.text.startswith("/*", end):
            self.pos = len(self.text)  # a comment that is not closed takes all of the rest
            raise self._cut_off()
        return self.text[end : end + 1]

    def _take(self, char: str) -> None:
        """Go past a character of structure."""
        if self.text[self.pos] != char:
            self._note("full_width_punctuation")
        self.pos += 1

    def _open(self, brace: str) -> None:
        if len(self.stack) == MAX_DEPTH:
            raise StopError("depth", self.pos, f"objects are nested over {MAX_DEPTH} levels deep")
        self._take(brace)
        self.stack.append(_Open(brace))

    def _is_closing(self, frame: _Open) -> bool:
        char = self._next_char()
        if char == CLOSER[frame.brace]:
            self._take(char)
            return True
        if not char:
            raise self._cut_off()
        if char in CLOSERS:
            raise self._unexpected()
        return False

    def _closed(self) -> Any:
        frame = self.stack.pop()
        if frame.is_object:
            return frame.members
        if frame.brace == "(":
            if len(frame.elements) == 1 and not frame.has_comma:
                self._note("parentheses")
                return frame.elements[0]
            self._note("python_tuple")
        return frame.elements

    def _put(self, value: Any) -> None:
        frame = self.stack[-1]
        if not frame.is_object:
            frame.elements.append(value)
            return
        if frame.key in frame.members:
            self.duplicates.append(frame.key)
        frame.members[frame.key] = value
        frame.key = ""

    def _member(self, frame: _Open) -> Any:
        if frame.is_object:
            frame.key = self._key()
            self._go_past_colon()
        char = self._next_char()
        if char in CLOSER:
            self._open(char)
            return _OPENED
        if not char:
            raise self._cut_off()
        return self._string(frame) if char in QUOTES else self._bare()

    def _separate(self, frame: _Open) -> None:
        """Go past the comma after a value, if one is due."""
        end = self.pos
        char = self._next_char()
        if char == ",":
            frame.has_comma = True
            self._take(char)
            if self._next_char() == CLOSER[frame.brace]:
                self._note("trailing_comma")
        elif char and char not in CLOSERS:
            if not (frame.is_object and strings.is_missing_comma(self.text, end, self.pos)):
                raise self._unexpected("a comma or a closing brace is due")
            self._note("missing_comma")

    def _key(self) -> str:
        char = self.text[self.pos]
        if char in QUOTES:
            key = self._key_string(char)
        elif match := IDENTIFIER.match(self.text, self.pos):
            key = match[0]
            self.pos = match.end()
            self._note("unquoted_keys")
        else:
            raise self._unexpected("a key in double quotes is due")
        return key

    def _go_past_colon(self) -> None:
        colon = self._next_char()
        if not colon:
            raise self._cut_off()
        if colon != ":":
            raise self._unexpected("a colon is due")
        self._take(colon)

    def _key_string(self, quote: str) -> str:
        start = self.pos
        if quote in STRAIGHT:
            end = strings.simple_end(self.text, start)
        else:
            ends = [self.text.find(char, start + 1, start + 100) for char in CURLED[quote]]
            end = min((at for at in ends if at > 0), default=strings.UNCLEAR)
        return self._text_of(start, end)

    def _string(self, frame: _Open) -> str:
        text, start = self.text, self.pos
        quote = text[start]
        if quote in "\"'" and text.startswith(quote * 3, start):
            return self._triple_quoted(quote)
        if quote == '"':
            end = strings.simple_end(text, start)
            if end < 0 or self._is_followed(end + 1, frame):
                return self._text_of(start, end)
        end = strings.careful_end(text, start, in_object=frame.is_object)
        self.budget.chars -= (end if end >= 0 else len(text)) - start
        if end >= 0 and quote in STRAIGHT and end != strings.simple_end(text, start):
            self._note("unescaped_quotes")
        return self._text_of(start, end)

    def _triple_quoted(self, quote: str) -> str:
        start = self.pos
        end = self.text.find(quote * 3, start + 3)
        if end < 0:
            raise StopError("unclosed", start, "a string is not closed")
        self._note("triple_quotes")
        self.pos = end + 3
        return self._decoded(start + 3, end)

    def _is_followed(self, at: int, frame: _Open) -> bool:
        """Tell whether structure follows a string, or nothing at all."""
        next_at = strings.skip(self.text, at)
        follower = self.text[next_at : next_at + 1]
        if not follower or follower in COMMAS or follower in CLOSERS:
            return True
        if self.text.startswith("/*", next_at):
            return True  # a comment that is cut off
        return frame.is_object and strings.is_missing_comma(self.text, at, next_at)

    def _text_of(self, start: int, end: int) -> str:
        """Return the string between two quotes, and go past it."""
        if end == strings.UNCLOSED:
            raise StopError("unclosed", start, "a string is not closed")
        if end == strings.UNCLEAR:
            raise StopError("string", start, "quotes inside a string are not escaped")
        quote = self.text[start]
        if quote != '"':
            self._note("single_quotes" if quote == "'" else "typographic_quotes")
        self.pos = end + 1
        return self._decoded(start + 1, end)

    def _decoded(self, start: int, end: int) -> str:
        try:
            return strings.decoded(self.text[start:end], self._note)
        except strings.EscapeError as exc:
            self.flaw = self.flaw or str(exc)
            return ""

    def _bare(self) -> Any:
        match = BARE.match(self.text, self.pos)
        if match is None:
            raise self._unexpected("a value is due")
        try:
            value, repair = bare_value(match[0])
        except NoValueError:
            raise self._unexpected(f"{match[0][:40]} is no JSON value") from None
        if repair:
            self._note(repair)
        self.pos = match.end()
        return value

    def _cut_off(self) -> StopError:
        return StopError("unclosed", self.pos, "the reply ends before the object is closed")

    def _unexpected(self, reason: str = "") -> StopError:
        near = self.text[self.pos : self.pos + 20]
        detail = f"{reason}, near {near!r}" if reason else f"{near[:1]!r} does not fit here"
        return StopError("structure", self.pos, detail)
