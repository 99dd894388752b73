"""A question, who asks it, and how documents are looked up for it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Any, Self

EVERYONE = "*"
"""The reserved group of documents that everybody may see."""

MAX_QUESTION_CHARS = 4000


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: decides what may be retrieved, cited, reused and done.

    Attributes:
        principal: A stable name of the person or program.
        groups: The groups it belongs to; ``*`` is implied.
        token: The user's own token, where a service trims by it. Never logged.
    """

    principal: str = "local"
    groups: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)

    def may_see(self, groups: tuple[str, ...]) -> bool:
        """Tell whether a document of these groups is visible to this caller."""
        return EVERYONE in groups or any(group in groups for group in self.groups)


@dataclass(frozen=True, slots=True)
class Question:
    """A question that has been tidied: no control or invisible marks, no blank edges.

    Use :meth:`of` to make one from what a user typed.
    """

    text: str

    @classmethod
    def of(cls, raw: str) -> Self:
        """Tidy what a user typed.

        Raises:
            ValueError: If nothing is left of it, or it is longer than 4,000 characters.
        """
        text = " ".join(_visible(raw).split())
        if not text:
            raise ValueError("The question is empty.")
        if len(text) > MAX_QUESTION_CHARS:
            raise ValueError(
                f"The question has {len(text)} characters; at most {MAX_QUESTION_CHARS} fit."
            )
        return cls(text)


_JOINERS = "\u200c\u200d"  # carry meaning in Persian, Hindi and emoji; the other Cf marks do not


def _visible(raw: str) -> str:
    """Drop control, format and surrogate characters; keep line breaks and joiners."""
    if raw.isprintable():  # as nearly all questions are: it holds none of them
        return raw
    return "".join(
        char
        for char in raw
        if char in _JOINERS
        or char.isspace()
        or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )


@dataclass(frozen=True, slots=True)
class Strategy:
    """How documents are looked up for a question: which, how many, in which way."""

    filter: dict[str, Any] = field(default_factory=dict)
    k: int | None = None
    search_type: str | None = None
    boost: dict[str, float] = field(default_factory=dict)
