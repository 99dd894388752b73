"""What accepted answers are kept in for reuse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class KeptQuestion:
    """A question whose answer is kept.

    Attributes:
        text: The question, as it was normalised.
        vector: Its embedding, of length 1.
        key: Where the answer is kept.
    """

    text: str
    vector: Sequence[float]
    key: str


class AnswerStore(Protocol):
    """Keeps accepted answers under a key that holds all that they depend on."""

    def get(self, key: str) -> str | None:
        """Return the answer's JSON; None where there is none, or it has expired."""

    def put(self, key: str, answer_json: str, lifetime_s: float) -> None:
        """Keep an answer for a time."""

    def note(self, scope: str, question: KeptQuestion, lifetime_s: float) -> None:
        """Keep a question, so that it is found by its vector among those of its scope."""

    def noted(self, scope: str) -> Sequence[KeptQuestion]:
        """Return the questions of a scope that have not expired, newest first."""


@dataclass(frozen=True, slots=True)
class NearQuestions:
    """How questions are found that ask nearly the same.

    Attributes:
        embed: Returns a text's vector.
        aembed: Does the same without blocking the event loop.
        similarity: The cosine from which two questions count as one.
    """

    embed: Callable[[str], Sequence[float]]
    aembed: Callable[[str], Awaitable[Sequence[float]]]
    similarity: float = 0.95


@dataclass(frozen=True, slots=True)
class Reuse:
    """How answers are reused.

    Attributes:
        store: Where they are kept.
        scope: What they depend on beyond what the parts tell: how documents are searched.
        lifetime_s: How long an answer is reused.
        min_confidence: Answers of less confidence are not kept.
        near: How nearly equal questions are found; None where only equal ones count.
        version_tells: Whether the retriever's version changes with its documents. Where it does
            not, an answer depends on what a search finds at the time.
        is_quick: Whether the store answers well within a millisecond, as a local file does.
    """

    store: AnswerStore
    scope: str = ""
    lifetime_s: float = 86_400.0
    min_confidence: float = 0.7
    near: NearQuestions | None = None
    version_tells: bool = True
    is_quick: bool = False
