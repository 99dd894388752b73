"""A claim: a clause in which the assistant says that something was done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Claim:
    """A clause in which the assistant says that something was done.

    Attributes:
        text: The sentence or the part of it that says so.
        verb: The word for what was done.
        effects: What kinds of effects that word speaks of.
        by_assistant: Whether it names the assistant as who did it; else a document or a look-up
            may say the same.
    """

    text: str
    verb: str
    effects: frozenset[str]
    by_assistant: bool = False
