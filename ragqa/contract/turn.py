"""The Turn: all that is known of one ask, handed from stage to stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragqa.contract.answer import Answer, Attempt, Passage, Usage
from ragqa.contract.question import Caller, Question, Strategy


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """The sentences of one passage that the writer sees, under a number.

    ``spans`` are the kept slices of ``passage.text``; ``text`` joins them.
    """

    number: int
    passage: Passage
    spans: tuple[tuple[int, int], ...]
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """All that is known of one ask; every stage returns the next one.

    Attributes:
        question: What the user asked.
        run_id: Names this ask in records and logs.
        chain: Name of the chain that runs.
        caller: Who asks.
        search_text: What retrieval looks for; the question unless a session resolved it.
        session_id: The conversation, if any.
        deadline_s: Moment on the parts' clock after which nothing may start.
        category: What the intent step took the question for.
        strategy: How documents are looked up.
        passages: What was retrieved, best first.
        tools: The records of tool calls, as the Answer shows them.
        evidence: Results of tools, which may support an answer as passages do.
        context: What of it the writer sees.
        history: Earlier turns as the prompt shows them.
        answer: Set by the last stage.
        attempts, usage, timings_ms: What has been spent so far.
        notes: What stages tell later ones, by stage name.
    """

    question: Question
    run_id: str
    chain: str = ""
    caller: Caller = Caller()
    search_text: str = ""
    session_id: str | None = None
    deadline_s: float | None = None
    category: str | None = None
    strategy: Strategy = Strategy()
    passages: tuple[Passage, ...] = ()
    context: tuple[ContextBlock, ...] = ()
    tools: tuple[dict[str, Any], ...] = ()
    evidence: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    answer: Answer | None = None
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = Usage()
    timings_ms: dict[str, float] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
