"""Fix and retry, without any I/O: fed a reply, it says what to do next.

One object holds the state of one answer. Blocking, async and streaming callers drive it alike:

    writing = FixAndRetry(gates, context, first=request, repair=make_repair)
    step = writing.start()
    while isinstance(step, AskModel):
        step = writing.feed(call_the_model(step.request))
    # now step is Accept or Degrade

At most two replies are judged. A repair call carries the reason; a reply that broke off is asked
for again as it was, since there is nothing in it that a reason could mend.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ragqa.contract import Attempt, Usage
from ragqa.errors import (
    AuthError,
    BudgetError,
    ConfigError,
    ContextOverflowError,
    OutputError,
    PaceError,
    PermissionDenied,
    RagqaError,
    RefusalError,
    WrongEndpointError,
)
from ragqa.ports import ModelReply, ModelRequest
from ragqa.validation.gate import INTERRUPTED, CheckContext
from ragqa.validation.gates import Gates
from ragqa.validation.verdict import Verdict

MAX_REPLIES = 2

_REASONS = {"text.refusal": "refusal", "text.content_filter": "content_filter"}


@dataclass(frozen=True, slots=True)
class Accept:
    """The reply passed all gates."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class AskModel:
    """Ask the model; ``fallback`` says to ask the second configured model."""

    request: ModelRequest
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Degrade:
    """No valid reply will come; ``reason`` is the code that the Answer shows."""

    reason: str


Step = Accept | AskModel | Degrade


class FixAndRetry:
    """The state of one answer that a model writes.

    Args:
        gates: Judge every reply.
        context: What the gates may know.
        first: The answer-writing call.
        repair: Makes the repair call from the verdict and the rejected text.
        has_fallback: Whether a second model may be asked where the first declines or is away.
        budget_tokens: What is left for the answer; failed attempts count too.
    """

    def __init__(
        self,
        gates: Gates,
        context: CheckContext,
        *,
        first: ModelRequest,
        repair: Callable[[Verdict, str], ModelRequest],
        has_fallback: bool = False,
        budget_tokens: int | None = None,
    ) -> None:
        self._gates = gates
        self._context = context
        self._first = first
        self._repair = repair
        self._fallback_left = has_fallback
        self._budget_tokens = budget_tokens
        self.attempts: tuple[Attempt, ...] = ()
        self.usage = Usage()

    def start(self) -> Step:
        """Return the first call."""
        return AskModel(self._first)

    def feed(self, reply: ModelReply) -> Step:
        """Judge a reply.

        Raises:
            PermissionDenied: If the handling of a permission fault is ``raise``.
            OutputError: If the handling of another fault is ``raise``.
        """
        self.usage += reply.usage
        context = replace(
            self._context,
            finish_reason=INTERRUPTED if reply.finish_reason is None else reply.finish_reason,
            refusal=reply.refusal,
            attempt=len(self.attempts) + 1,
        )
        verdict = self._gates.judge(reply.text, context)
        self.attempts += (verdict.attempt,)
        if verdict.accepted:
            return Accept(verdict)
        return self._after(verdict, reply.text)

    def fail(self, error: RagqaError) -> Step:
        """Take in that a call brought no reply. Transport faults are no feedback for a model.

        Raises:
            RagqaError: The error itself where settings are wrong: degrading would hide that.
        """
        if isinstance(error, AuthError | ConfigError | WrongEndpointError):
            raise error
        if self._fallback_left:
            return self._ask_fallback()
        return Degrade(_reason_of(error))

    def out_of_time(self) -> Step:
        """Take in that the deadline of the whole ask has passed."""
        return Degrade("limit")

    def _after(self, verdict: Verdict, rejected: str) -> Step:
        if verdict.handling == "raise":
            kind = PermissionDenied if verdict.code == "context.permission" else OutputError
            reason = verdict.faults[0].reason
            raise kind(f"The reply was not accepted ({verdict.code}): {reason}")
        if len(self.attempts) >= MAX_REPLIES:
            return Degrade(_REASONS.get(verdict.code, "invalid_output"))
        if verdict.handling == "fallback":
            degrade = Degrade(_REASONS.get(verdict.code, "invalid_output"))
            return self._ask_fallback() if self._fallback_left else degrade
        if verdict.code == "text.interrupted":
            return self._within_budget(self._first)
        return self._within_budget(self._repair(verdict, rejected))

    def _ask_fallback(self) -> Step:
        self._fallback_left = False
        step = self._within_budget(self._first)
        return replace(step, fallback=True) if isinstance(step, AskModel) else step

    def _within_budget(self, request: ModelRequest) -> Step:
        if self._budget_tokens is not None:
            spent = self.usage.prompt_tokens + self.usage.completion_tokens
            if spent + (request.max_tokens or 0) > self._budget_tokens:
                return Degrade("budget")
        return AskModel(request)


def _reason_of(error: RagqaError) -> str:
    if isinstance(error, RefusalError):
        return "content_filter" if "content_filter" in error.code else "refusal"
    if isinstance(error, PaceError | BudgetError):
        return error.code
    return "limit" if isinstance(error, ContextOverflowError) else "model_unavailable"
