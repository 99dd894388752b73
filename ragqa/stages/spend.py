"""Keep an ask within its budgets: what calls may take is reserved before, corrected after."""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import prompts
from ragqa.contract import Turn, Usage
from ragqa.errors import BudgetError, StorageError
from ragqa.flow import Ask, Call, Effect, Effects, Pipeline, Show, surrounded
from ragqa.flow.stepping import Stepping
from ragqa.language import estimate_tokens, language_of
from ragqa.ports import ModelReply, Parts
from ragqa.ports.limits import Purse
from ragqa.stages.seal import preset

_log = logging.getLogger(__name__)


def within_budgets(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return a pipeline that refuses calls for which a budget holds too little.

    A refused call fails inside the pipeline like one that the service refused, so that the stages
    do what they always do without a model. Usage that shows only at the end (an agent's own calls)
    is added then.
    """
    bounds = (parts.spending, parts.policy.run_budget_tokens, parts.policy.run_budget_cost)
    if bounds == (None, None, None):
        return pipeline

    def step(turn: Turn) -> Effects:
        return (yield from _Spent(parts, turn).watching(pipeline.effects(turn)))

    return surrounded(pipeline, step)


@dataclass(slots=True)
class _Spent:
    parts: Parts
    turn: Turn
    usage: Usage = field(default_factory=Usage)
    refusal: BudgetError | None = None

    def watching(self, effects: Effects) -> Effects:
        """Pass effects on, and refuse those that the budgets do not hold."""
        held: list[Show] = []
        with closing(Stepping(effects)) as running:
            for effect in running:
                try:
                    if isinstance(effect, Show) and self.refusal is not None:
                        held.append(effect)  # perhaps the refusal's own words are shown instead
                    elif isinstance(effect, Ask):
                        running.result = yield from self._asked(effect)
                    else:
                        running.result = yield effect
                except Exception as exc:
                    running.error = exc
            turn = running.returned
            yield from self._finish(turn.usage)
            return (yield from self._sealed(turn, held))

    def _asked(self, effect: Ask) -> Generator[Effect, Any, ModelReply]:
        request = effect.request
        prompt = "\n".join(message.content for message in request.messages)
        most = Usage(
            prompt_tokens=estimate_tokens(prompt), completion_tokens=request.max_tokens or 0
        )
        cost = self._cost(effect, most)
        purses = yield from self._reserved(_tokens(most), cost)
        try:
            reply: ModelReply = yield effect
        except Exception:
            yield from self._correct(purses, -_tokens(most), -cost)
            raise
        self.usage += reply.usage
        more = _tokens(reply.usage) - _tokens(most)
        yield from self._correct(purses, more, (reply.usage.cost or 0.0) - cost)
        return reply

    def _correct(
        self, purses: Sequence[Purse], tokens: int, cost: float
    ) -> Generator[Effect, Any, None]:
        spending = self.parts.spending
        if spending is None or not purses:
            return
        try:
            yield Call(lambda config: spending.correct(purses, tokens, cost))
        except StorageError as exc:
            # The call is made and paid for; too much stays counted, not too little.
            _log.warning("What a call took could not be noted: %s", exc)

    def _cost(self, effect: Ask, most: Usage) -> float:
        if self.parts.spending is None:
            return 0.0
        named = effect.model.name
        return self.parts.spending.cost_of(named, most.prompt_tokens, most.completion_tokens)

    def _reserved(self, tokens: int, cost: float) -> Generator[Effect, Any, tuple[Purse, ...]]:
        try:
            self._check_run(tokens, cost)
            spending = self.parts.spending
            if spending is None:
                return ()
            purses = tuple(spending.purses(self.turn.caller.principal, self.turn.session_id))
            if purses:
                yield Call(lambda config: spending.reserve(purses, tokens, cost))
            return purses
        except BudgetError as exc:
            self.refusal = exc
            raise

    def _check_run(self, tokens: int, cost: float) -> None:
        """Refuse what would go beyond the budget of this run; its first call always goes."""
        policy, spent = self.parts.policy, self.usage
        if not spent.calls:
            return
        over = policy.run_budget_tokens is not None and (
            _tokens(spent) + tokens > policy.run_budget_tokens
        )
        dear = policy.run_budget_cost is not None and (
            (spent.cost or 0.0) + cost > policy.run_budget_cost
        )
        if over or dear:
            raise BudgetError(
                f"The budget of this answer is used up: {_tokens(spent):,} tokens spent.",
                scope="run",
                hint="RAGQA_RUN_BUDGET_TOKENS and RAGQA_RUN_BUDGET_COST bound it.",
            )

    def _finish(self, usage: Usage) -> Generator[Effect, Any, None]:
        """Add what calls took that did not pass here."""
        tokens = _tokens(usage) - _tokens(self.usage)
        cost = (usage.cost or 0.0) - (self.usage.cost or 0.0)
        if self.parts.spending is not None and (tokens > 0 or cost > 0):
            purses = self.parts.spending.purses(self.turn.caller.principal, self.turn.session_id)
            yield from self._correct(purses, max(0, tokens), max(0.0, cost))

    def _sealed(self, turn: Turn, held: list[Show]) -> Effects:
        """Let a refused answer say when the budget starts anew."""
        answer = turn.answer
        if self.refusal is None or answer is None or answer.reason != "budget":
            yield from held
            return turn
        if answer.status == "degraded":
            response = preset(turn, self.parts.policy, "budget", confidence=0.0)
            text = _words(self.refusal, turn)[: self.parts.policy.schema.max_answer_chars]
            response = response.model_copy(update={"answer": text})
            held = [Show(text)]
            turn = replace(turn, answer=answer.model_copy(update={"response": response}))
        yield from held
        return turn


def _tokens(usage: Usage) -> int:
    return usage.prompt_tokens + usage.completion_tokens


def _words(refusal: BudgetError, turn: Turn) -> str:
    fields = prompts.load("fields", language_of(turn.question.text))
    if refusal.scope == "session":
        return fields.part("budget_session")
    if refusal.resets_s is None:
        return fields.part("budget")
    at = datetime.fromtimestamp(refusal.resets_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return fields.part("budget_day") % at
