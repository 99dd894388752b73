"""Write the answer with a model: one call, at most one repair, every reply through the gates."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from ragqa import context
from ragqa.contract import ContextBlock, QAResponse, Turn
from ragqa.errors import ConfigError, RagqaError
from ragqa.flow import Ask, Effect, Effects, Stage, answer_of
from ragqa.instructions import answer_messages, longest_object_tokens, repair_messages
from ragqa.language import estimate_tokens, language_of
from ragqa.ports import ChatModel, Message, ModelReply, ModelRequest, Parts
from ragqa.stages.judge import sealed_draft
from ragqa.stages.judge import shown as shown_whole
from ragqa.stages.judging import check_context, gates_of
from ragqa.stages.quote import quote
from ragqa.stages.retrieve import remaining_s
from ragqa.stages.seal import abstained, answered, degraded
from ragqa.stages.showing import ModelDraft, Shown
from ragqa.validation.fix_retry import Accept, AskModel, FixAndRetry, Step
from ragqa.validation.verdict import Verdict

REPAIR_SHARE = 3
"""The answer's token limit is at least this many times the longest valid object; the repair gets
one share of it, so a valid object always fits."""


def write(parts: Parts) -> Stage:
    """Return the stage that writes the answer from ``context`` and seals the turn."""
    if parts.model is None:
        raise ConfigError(
            "This chain needs a chat model, and none is configured.",
            hint="Set OPENAI_BASE_URL and RAGQA_CHAT_MODEL, or use the chain 'extractive'.",
        )
    model = parts.model

    def step(turn: Turn) -> Effects:
        if turn.answer is not None:  # a stage before has sealed it
            return turn
        has_context = bool(turn.context)
        if not has_context and turn.notes.get("needs_documents", True):
            return (yield from _without_model(turn, parts, None))
        fitting, messages = _within_prompt_budget(turn, parts)
        if "model_draft" not in turn.notes:  # that one is written: nothing is left out of it
            turn = fitting
        if has_context and not turn.context:
            return (yield from _without_model(turn, parts, "limit"))
        return (yield from _written(turn, messages, parts, model))

    return Stage("write", step)


def _written(turn: Turn, messages: tuple[Message, ...], parts: Parts, model: ChatModel) -> Effects:
    writing = _writing(turn, messages, parts)
    draft: ModelDraft | None = turn.notes.get("model_draft")
    shown = draft.shown if draft else Shown(parts.policy.schema)
    outcome = (yield from _judged(draft, writing)) if draft else writing.start()
    while isinstance(outcome, AskModel):
        asked = parts.fallback_model if outcome.fallback and parts.fallback_model else model
        outcome = yield from _reply(asked, outcome.request, writing, shown, turn, parts)
        if isinstance(outcome, AskModel):
            yield from shown.withdrawn(_last_code(writing))
    turn = replace(
        turn, attempts=turn.attempts + writing.attempts, usage=turn.usage + writing.usage
    )
    if isinstance(outcome, Accept):
        return (yield from _accepted(turn, outcome.verdict, shown, parts))
    yield from shown.withdrawn(outcome.reason)
    return (yield from _without_model(turn, parts, outcome.reason))


def _judged(draft: ModelDraft, writing: FixAndRetry) -> Generator[Effect, Any, Step]:
    """Let the gates judge what a stage before had a model write."""
    if draft.reply is None:
        assert draft.error is not None, "a draft is a reply or says why there is none"
        outcome = writing.fail(draft.error)
    else:
        outcome = writing.feed(draft.reply)
    if isinstance(outcome, AskModel):
        yield from draft.shown.withdrawn(_last_code(writing))
    return outcome


def _reply(
    model: ChatModel,
    request: ModelRequest,
    writing: FixAndRetry,
    shown: Shown,
    turn: Turn,
    parts: Parts,
) -> Generator[Effect, Any, Step]:
    """Ask the model once and let the gates judge what comes."""
    timeout_s = remaining_s(turn, parts)
    if timeout_s <= 0:
        return writing.out_of_time()
    try:
        request = replace(request, timeout_s=timeout_s)
        reply: ModelReply = yield Ask(model, request, shown.fresh())
    except RagqaError as error:
        return writing.fail(error)
    return writing.feed(reply)


def _accepted(turn: Turn, verdict: Verdict, shown: Shown, parts: Parts) -> Effects:
    response = verdict.response
    assert isinstance(response, QAResponse), "the schema gate passes instances of the schema"
    yield from shown.completed(response.answer)
    if response.needs_human and not response.sources and not turn.notes.get("facts"):
        return answered(turn, response, status="abstained", reason="no_evidence")
    status = "answered" if len(turn.attempts) == 1 else "repaired"
    return answered(
        turn,
        response,
        status=status,  # type: ignore[arg-type]
        citations=verdict.citations,
    )


def _without_model(turn: Turn, parts: Parts, reason: str | None) -> Effects:
    """Answer without a model: abstain, quote where that is configured, or say the preset."""
    if reason is None:
        sealed = abstained(turn, parts.policy)
    elif parts.policy.fallback == "extractive":
        sealed = _quoted(turn, parts, reason)
    else:
        sealed = degraded(turn, parts.policy, reason)
    yield from shown_whole(sealed)
    return sealed


def _quoted(turn: Turn, parts: Parts, reason: str) -> Turn:
    """Answer with sentences quoted from the passages; the reason stays in the Answer."""
    drafted = quote(parts).step(replace(turn, chain="extractive"))
    assert isinstance(drafted, Turn), "quoting needs nothing from outside"
    sealed = sealed_draft(drafted, parts)
    answer = answer_of(sealed)
    if answer.status != "answered":
        return degraded(turn, parts.policy, reason)
    return replace(sealed, answer=answer.model_copy(update={"reason": reason}))


def _writing(turn: Turn, messages: tuple[Message, ...], parts: Parts) -> FixAndRetry:
    policy = parts.policy
    language = language_of(turn.question.text)
    titles = tuple(dict.fromkeys(block.passage.title for block in turn.context))
    max_tokens = max(
        policy.max_answer_tokens or 0,
        REPAIR_SHARE * longest_object_tokens(policy.schema, titles),
    )
    return FixAndRetry(
        gates_of(parts),
        check_context(turn, parts),
        first=ModelRequest(
            messages=messages,
            schema=policy.schema,
            max_tokens=max_tokens,
            temperature=policy.temperature,
        ),
        repair=_repair(turn, policy.schema, language, max_tokens // REPAIR_SHARE),
        has_fallback=parts.fallback_model is not None,
        budget_tokens=policy.run_budget_tokens,
    )


def _messages(turn: Turn, parts: Parts) -> tuple[Message, ...]:
    return answer_messages(
        question=turn.question.text,
        passages=_evidence(turn, turn.context),
        language=language_of(turn.question.text),
        schema=parts.policy.schema,
        history="".join(f"{line}\n\n" for line in turn.history),
    )


def _evidence(turn: Turn, blocks: tuple[ContextBlock, ...]) -> str:
    """Return what an answer may rest on: passages, and what tools have returned and done."""
    facts: str = turn.notes.get("facts", "")
    return "\n\n".join(text for text in (context.render(blocks), facts) if text)


def _within_prompt_budget(turn: Turn, parts: Parts) -> tuple[Turn, tuple[Message, ...]]:
    """Drop the last passages until the whole prompt fits its budget; return it, too."""
    most = parts.policy.max_prompt_tokens
    while True:
        messages = _messages(turn, parts)
        prompt = "".join(message.content for message in messages)
        # No text has more tokens than bytes, and most prompts are far below their budget.
        if not turn.context or len(prompt.encode()) <= most or estimate_tokens(prompt) <= most:
            return turn, messages
        turn = replace(turn, context=turn.context[:-1])


_CONTENT = ("text.", "rules.", "context.", "schema.echoed")


def _repair(
    turn: Turn, schema: type[QAResponse], language: str, max_tokens: int
) -> Callable[[Verdict, str], ModelRequest]:
    """Return what makes the repair call: it carries no more than the fault needs."""

    def request(verdict: Verdict, rejected: str) -> ModelRequest:
        of_content = verdict.code.startswith(_CONTENT) or any(
            fault.code == "schema.missing" and fault.field == "answer" for fault in verdict.faults
        )
        passages = _evidence(turn, _concerned(turn.context, rejected)) if of_content else ""
        return ModelRequest(
            messages=repair_messages(
                rejected=rejected,
                reason=verdict.feedback,
                language=language,
                schema=schema,
                passages=passages,
                question=turn.question.text if of_content else "",
            ),
            schema=schema,
            max_tokens=max_tokens,
            temperature=0.0,
        )

    return request


def _concerned(blocks: tuple[ContextBlock, ...], rejected: str) -> tuple[ContextBlock, ...]:
    """Return the passages that the rejected reply names; all where it names none."""
    named = tuple(block for block in blocks if block.passage.title in rejected)
    return named or blocks


def _last_code(writing: FixAndRetry) -> str:
    return writing.attempts[-1].code if writing.attempts else "model_unavailable"
