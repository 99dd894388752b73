"""What is configured and does no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ragqa.contract import QAResponse, Strategy


@dataclass(frozen=True, slots=True)
class Category:
    """A kind of question, and how to recognise it without a model.

    Attributes:
        name: As it stands in QAResponse.category.
        description: One line for the model's prompt.
        keywords: Words that speak for it, any language.
        examples: Questions of that kind.
        strategy: How documents are looked up for it.
    """

    name: str
    description: str = ""
    keywords: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    strategy: Strategy = Strategy()


@dataclass(frozen=True, slots=True)
class Policy:
    """What is configured and does no I/O.

    Attributes:
        schema: The response class, with its categories and lengths.
        categories: How each category is recognised.
        top_k: Passages per question.
        max_context_chars: Budget of all passages in the prompt.
        max_prompt_tokens: Budget of the whole prompt.
        max_answer_tokens: Budget of one answer; ``None`` derives it from the schema.
        temperature: Of answer-writing calls.
        timeout_s: Of a whole ask.
        run_budget_tokens: What all calls of one ask may take; ``None`` for no budget.
        run_budget_cost: The same in money, by the price table.
        max_model_calls: Replies of the model in one run of the agent.
        max_tool_calls: Tool calls in one run of the agent.
        force_search: Whether the agent's first step has to search the documents.
        handling: Overrides of the table from code to handling.
        price_unit: The one unit that entity prices are in.
        strict_confidence: Whether confidence without evidence is rejected rather than lowered.
        fallback: What answers when no model can: the preset text or quoted sentences.
        raise_degraded: Whether an ask without a valid reply raises OutputError.
        session_turns: Turns of a conversation that the model sees whole.
        session_tokens: Budget of earlier turns and their summary in the prompt.
        session_wait_s: How long to wait for a conversation that is busy.
    """

    schema: type[QAResponse] = QAResponse
    categories: tuple[Category, ...] = ()
    top_k: int = 5
    max_context_chars: int = 1200
    max_prompt_tokens: int = 4000
    max_answer_tokens: int | None = None
    temperature: float | None = 0.2
    timeout_s: float = 60.0
    run_budget_tokens: int | None = None
    run_budget_cost: float | None = None
    max_model_calls: int = 8
    max_tool_calls: int = 16
    force_search: bool = False
    handling: Mapping[str, str] = field(default_factory=dict)
    price_unit: str = ""
    strict_confidence: bool = True
    fallback: Literal["preset", "extractive"] = "preset"
    raise_degraded: bool = False
    session_turns: int = 4
    session_tokens: int = 800
    session_wait_s: float = 30.0
