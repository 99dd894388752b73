"""A reply that is still streaming in, read from left to right.

Every method that may need more text than there is yet is a generator: it yields to wait for the
next piece. Nothing that has been read is kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Final, TypeVar

from ragqa.language.late import late
from ragqa.validation.syntax import strings
from ragqa.validation.syntax.lexis import (
    CLOSERS,
    COLONS,
    COMMAS,
    CURLED,
    IDENTIFIER,
    KEY_AND_COLON,
    ODD_BLANKS,
    PLAIN,
    QUOTES,
)

T = TypeVar("T")
Steps = Generator[None, None, T]
Sink = Callable[[str], object]

MAX_TAG_CHARS = 300
_MAX_KEY_CHARS = 100
_BLANKS: Final = late(rf"[ \t\r\n{ODD_BLANKS}]*+")
_BARE: Final = late(r"[^,，}\]｝］\s]++")
_NESTED: Final = late(r"[^\"'“‘{}\[\]｛｝［］]++")
_SAID: Final = {quote: late(rf"[^\\{CURLED.get(quote, quote)}]++") for quote in QUOTES}


class LostError(Exception):
    """The reply cannot be followed any further; the gates will say what is wrong with it."""


class Tape:
    """The text that has come in and not been read yet.

    Attributes:
        text: That text, and some of what was read last.
        pos: Where reading goes on.
    """

    def __init__(self) -> None:
        self.text = ""
        self.pos = 0

    def append(self, piece: str) -> None:
        """Take the next piece in; what has been read is forgotten."""
        self.text = self.text[self.pos :] + piece
        self.pos = 0

    def need(self, chars: int) -> Steps[None]:
        """Wait until so many characters can be read."""
        while len(self.text) - self.pos < chars:
            yield

    def go_past(self, pattern: str) -> Steps[None]:
        """Go past everything up to and with a pattern."""
        ending = re.compile(pattern, re.IGNORECASE)
        while (match := ending.search(self.text, self.pos)) is None:
            self.pos = max(self.pos, len(self.text) - MAX_TAG_CHARS)
            yield
        self.pos = match.end()

    def next_char(self) -> Steps[str]:
        """Go past blanks and comments to the next character."""
        while True:
            self.skip_blanks()
            rest = self.text[self.pos : self.pos + 2]
            if rest[:1] == "#" or rest == "//":
                yield from self.go_past(r"[\r\n\u2028\u2029]")
            elif rest == "/*":
                yield from self.go_past(r"\*/")
            elif rest and rest != "/":
                return rest[0]
            else:
                yield

    def skip_blanks(self) -> None:
        """Go past the blanks that have come in."""
        self.pos = self._after_blanks(self.pos)

    def _after_blanks(self, at: int) -> int:
        blanks = _BLANKS.match(self.text, at)
        assert blanks is not None, "the pattern matches the empty string"
        return blanks.end()

    def key(self) -> Steps[str | None]:
        """Read a key; None if none stands here."""
        if self.text[self.pos] in QUOTES:
            return (yield from self.collected())
        while (match := IDENTIFIER.match(self.text, self.pos)) is not None:
            if match.end() < len(self.text) or len(match[0]) > _MAX_KEY_CHARS:
                self.pos = match.end()
                return match[0]
            yield
        return None

    def collected(self) -> Steps[str]:
        """Read a string."""
        said: list[str] = []
        yield from self.string(said.append)
        return "".join(said)

    def skip_value(self) -> Steps[None]:
        """Go past a value."""
        char = self.text[self.pos]
        if char in QUOTES:
            yield from self.string(lambda _: None)
        elif PLAIN.get(char, char) in "{[(":
            yield from self._skip_nested()
        elif char in CLOSERS:
            raise LostError
        else:
            yield from self._skip_bare()

    def _skip_bare(self) -> Steps[None]:
        while match := _BARE.match(self.text, self.pos):
            self.pos = match.end()
            if self.pos < len(self.text):
                return
            yield

    def _skip_nested(self) -> Steps[None]:
        depth = 0
        while True:
            if match := _NESTED.match(self.text, self.pos):
                self.pos = match.end()
            if self.pos == len(self.text):
                yield
                continue
            char = PLAIN.get(self.text[self.pos], self.text[self.pos])
            if char in QUOTES:
                yield from self.string(lambda _: None)
                continue
            self.pos += 1
            depth += 1 if char in "{[" else -1
            if depth == 0:
                return

    def string(self, sink: Sink) -> Steps[None]:
        """Follow a string from its opening quote to behind its closing one.

        Args:
            sink: Gets what the string says, as soon as it is certain.
        """
        yield from self.need(3)
        quote = self.text[self.pos]
        if self.text.startswith(quote * 3, self.pos):
            raise LostError
        self.pos += 1
        yield from self.body(quote, sink)

    def body(self, quote: str, sink: Sink, *, is_bare: bool = False) -> Steps[None]:
        """Follow what a string says, up to and with its closing quote.

        Args:
            quote: The quote that opened it.
            sink: Gets what the string says.
            is_bare: Whether the first quote that is not escaped ends it, whatever follows.
        """
        is_careful = quote != '"'
        while True:
            if match := _SAID[quote].match(self.text, self.pos):
                sink(match[0])
                self.pos = match.end()
            if self.pos == len(self.text):
                yield
            elif self.text[self.pos] == "\\":
                sink((yield from self._escape()))
            elif is_bare or (yield from self._is_end(is_careful=is_careful)):
                self.pos += 1
                return
            else:
                is_careful = True
                sink(self.text[self.pos])
                self.pos += 1

    def _is_end(self, *, is_careful: bool) -> Steps[bool]:
        """Tell whether the quote here ends its string, as soon as what follows tells."""
        known_chars = 1
        while True:
            at = self._after_blanks(self.pos + known_chars)
            known_chars = at - self.pos  # blanks without end are gone over once
            follower = self.text[at : at + 1]
            if follower:
                known = self._ends_before(follower, at, is_careful=is_careful)
                if known is not None:
                    return known
            yield

    def _ends_before(self, follower: str, at: int, *, is_careful: bool) -> bool | None:
        """Tell the same from the character that follows; None while it cannot be told."""
        if follower in f"{CLOSERS}{COLONS}/#":
            return True
        if follower in COMMAS:
            return self._is_key(at + 1) if is_careful else True
        may_lack_comma = follower == '"' and "\n" in self.text[self.pos : at]
        return self._is_key(at) if may_lack_comma else False

    def _is_key(self, at: int) -> bool | None:
        """Tell whether a key with its colon stands there, or a closing brace."""
        at = self._after_blanks(at)
        if at < len(self.text) and self.text[at] in CLOSERS:
            return True
        if KEY_AND_COLON.match(self.text, at):
            return True
        return False if len(self.text) - at > _MAX_KEY_CHARS else None

    def _escape(self) -> Steps[str]:
        yield from self.need(2)
        length = {"u": 6, "x": 4}.get(self.text[self.pos + 1], 2)
        yield from self.need(length)
        if self.text[self.pos : self.pos + 3].lower() == "\\ud":
            length = 12 if self.text[self.pos + 3] in "89abAB" else 6
            yield from self.need(length)
        raw = self.text[self.pos : self.pos + length]
        try:
            text = strings.decoded(raw, lambda _: None)
        except strings.EscapeError:
            raise LostError from None
        self.pos += length
        return text
