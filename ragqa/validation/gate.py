"""What a gate is: it takes a value and the context, and passes it on or says what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from ragqa.contract import Caller, Citation, Passage, QAResponse
from ragqa.ports import Category

INTERRUPTED = "interrupted"
"""Finish reason of a stream that broke off."""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What the gates may know of the request. One object travels through all of them.

    Attributes:
        schema: The class that the value must fit: a response's or a tool's arguments'.
        question: What the user asked.
        titles: Titles that may be cited; ``None`` where they are unknown, empty where nothing
            was retrieved.
        passages: The passages that the caller may see, where their texts are known.
        numbered: The titles as the prompt numbered them: ``[1]`` is the first.
        evidence: Results of tools, which may support figures as passages do.
        records: The records of this run's tool calls, as the Answer shows them.
        caller: Who asks.
        state: What the session or the run holds, for gates that require it.
        finish_reason: Why the reply ended, as the service says; ``None`` if it is not known.
        refusal: The model's own words, where the service marks that it declined.
        attempt: 1 for the first reply, 2 for the mended one.
        categories: The categories with their descriptions and examples.
        strict_confidence: Whether confidence without evidence is rejected rather than lowered.
        price_unit: The one unit that entity prices are in.
    """

    schema: type[BaseModel] = QAResponse
    question: str = ""
    titles: tuple[str, ...] | None = None
    passages: tuple[Passage, ...] | None = None
    numbered: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    records: tuple[Mapping[str, Any], ...] = ()
    caller: Caller = Caller()
    state: Mapping[str, Any] = field(default_factory=dict)
    finish_reason: str | None = None
    refusal: str | None = None
    attempt: int = 1
    categories: tuple[Category, ...] = ()
    strict_confidence: bool = True
    price_unit: str = ""


@dataclass(frozen=True, slots=True)
class Passed:
    """A gate's value for the next gate.

    Attributes:
        value: The value, mended where that invents nothing.
        repairs: Names of what was mended, in order.
        citations: Quotes that a gate located.
        detail: One line for the log.
    """

    value: Any
    repairs: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a value.

    Attributes:
        code: Stable name, for instance ``schema.range``.
        reason: What is wrong, for people and logs.
        feedback: What the model is told, so that it can mend it.
        field: The field concerned, as a dotted path.
    """

    code: str
    reason: str
    feedback: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A gate's refusal: all that it found wrong, the worst first.

    ``value`` is what the gate was given, mended as far as it got, for handlings that go on.
    """

    faults: tuple[Fault, ...]
    value: Any = None
    repairs: tuple[str, ...] = ()


Outcome = Passed | Rejected


class Gate(Protocol):
    """One check of a value. Add, remove and reorder gates by name."""

    @property
    def name(self) -> str:
        """Name the gate in logs and configuration."""

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on, mended or not, or refuse it. Never raises for any input."""


class Rule(Protocol):
    """One rule of the rules gate, for a schema or a tool."""

    @property
    def name(self) -> str:
        """Name the rule in logs, codes (``rules.<name>``) and configuration."""

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on, normalised or not, or refuse it."""
