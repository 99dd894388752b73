"""What comes of reading an object, and the work that reading may cause."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Budget:
    """The work that one reply may cause, so that the time stays in proportion to its length.

    Attributes:
        tokens: Members, elements and attempts that may still be read.
        chars: Characters that may still be gone over.
    """

    tokens: int = 8_000
    chars: int = 0

    @classmethod
    def of(cls, text: str) -> Budget:
        """Return the budget of a text; every character may be gone over several times."""
        return cls(chars=8 * len(text) + 10_000)

    @property
    def is_spent(self) -> bool:
        """Tell whether nothing is left."""
        return self.tokens <= 0 or self.chars <= 0


@dataclass(frozen=True, slots=True)
class Found:
    """A complete object or list.

    Attributes:
        value: The dict or list.
        start, end: Where it stands in the text.
        repairs: What reading it took.
        duplicates: Keys that stand more than once in one object.
        flaw: Why no program can use it, although its extent is clear.
    """

    value: Any
    start: int
    end: int
    repairs: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    flaw: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """An object or list that cannot be read.

    Attributes:
        kind: ``unclosed``, ``string``, ``structure``, ``depth`` or ``budget``.
        start: Where it begins.
        at: Where reading stopped.
        reason: What is wrong there.
        keys: The keys of the objects that were open then.
        depth: How many objects and lists were open.
    """

    kind: str
    start: int
    at: int
    reason: str
    keys: tuple[str, ...] = ()
    depth: int = 0


class StopError(Exception):
    """Stop reading; never leaves the reader, which returns it as Broken."""

    def __init__(self, kind: str, at: int, reason: str) -> None:
        super().__init__(reason)
        self.kind, self.at, self.reason = kind, at, reason
