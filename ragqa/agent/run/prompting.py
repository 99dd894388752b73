"""What the model is sent at each step of a run: instructions, history, results, format rules.

The format stands in the last message, behind the results of the tools, so that a long run does not
bury it; it is in no earlier message, so it is sent once a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import (
    AnyMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

import prompts
from ragqa.agent.run.messages import repaired
from ragqa.contract import QAResponse, Turn
from ragqa.instructions import format_rules, worked_example
from ragqa.language import estimate_tokens, language_of

_SHORT_RESULT_CHARS = 240
"""What is left of an older result where the prompt is too long."""


def prompt_for(
    turn: Turn,
    definitions: Sequence[Mapping[str, Any]],
    messages: Sequence[AnyMessage],
    *,
    schema: type[QAResponse],
    is_last_step: bool,
    max_tokens: int,
) -> list[AnyMessage]:
    """Return the messages of one step.

    Args:
        turn: The question and the conversation before it.
        definitions: The tools that are offered.
        messages: The run's own messages: the question, replies, results.
        schema: What the answer must look like.
        is_last_step: Whether no more tools can be called.
        max_tokens: Budget of the whole prompt; older results are shortened to keep it.
    """
    language = language_of(turn.question.text)
    parts = dict(
        prompts.load("agent", language).render(
            tools="\n".join(_line(definition) for definition in definitions),
            history="".join(f"{line}\n\n" for line in turn.history),
            question=turn.question.text,
            format=format_rules(schema, language),
            example=worked_example(schema, language),
        )
    )
    steps: list[AnyMessage] = [
        message for message in repaired(messages) if not isinstance(message, HumanMessage)
    ]
    system = SystemMessage(parts["system"])
    if not steps:
        return [system, HumanMessage(f"{parts['user']}\n\n{parts['format']}")]
    reminder = parts["last" if is_last_step else "reminder"]
    last = HumanMessage(f"{reminder}\n\n{parts['format']}")
    first = HumanMessage(parts["user"])
    around = estimate_tokens("\n".join(str(part.content) for part in (system, first, last)))
    return [system, first, *_within(steps, max_tokens - around), last]


def _line(definition: Mapping[str, Any]) -> str:
    """Return one line of the list of tools: the name and the first sentence on it."""
    function = definition["function"]
    text = " ".join(str(function.get("description", "")).split())
    ends = [at for mark in (". ", "。") if (at := text.find(mark)) >= 0]
    return f"- {function['name']}: {text[: min(ends) + 1] if ends else text}"


def _within(steps: list[AnyMessage], max_tokens: int) -> list[AnyMessage]:
    """Shorten the results of tools, the oldest first, until the steps fit their budget."""
    sizes = [estimate_tokens(str(step.content)) for step in steps]
    over = sum(sizes) - max_tokens
    fitting = list(steps)
    last = max((at for at, step in enumerate(steps) if isinstance(step, ToolMessage)), default=0)
    for at, step in enumerate(steps[:last]):
        if over <= 0:
            break
        if isinstance(step, ToolMessage) and len(str(step.content)) > _SHORT_RESULT_CHARS:
            text = f"{str(step.content)[:_SHORT_RESULT_CHARS]} …"
            fitting[at] = step.model_copy(update={"content": text})
            over -= sizes[at] - estimate_tokens(text)
    return fitting
