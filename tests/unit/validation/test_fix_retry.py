"""Fix and retry, tested by feeding it replies: two judged at most, nothing asked in vain."""

from __future__ import annotations

import pytest

from ragqa.contract import QAResponse, Usage
from ragqa.errors import (
    AuthError,
    ContextOverflowError,
    OutputError,
    PermissionDenied,
    RateLimitError,
    RefusalError,
    TransportError,
)
from ragqa.ports import Message, ModelReply, ModelRequest
from ragqa.validation import (
    Accept,
    AskModel,
    CheckContext,
    Degrade,
    Fault,
    FixAndRetry,
    Gates,
    Passed,
    Rejected,
)

FIRST = ModelRequest(messages=(Message("user", "first"),), max_tokens=900)
GOOD = QAResponse(
    answer="Thirty days.",
    confidence=0.4,
    category="policy",
    sources=[],
    follow_up=[],
    needs_human=False,
)


class ByWord:
    """A gate that accepts "good" and otherwise takes the text for the code of a fault."""

    name = "by_word"

    def __init__(self) -> None:
        self.contexts: list[CheckContext] = []

    def check(self, value, context):
        self.contexts.append(context)
        if value == "good":
            return Passed(GOOD)
        return Rejected((Fault(value, f"reason of {value}", f"feedback on {value}"),))


def repair(verdict, rejected):
    text = f"{verdict.feedback} / {rejected}"
    return ModelRequest(messages=(Message("user", text),), max_tokens=300, temperature=0.0)


def writing(gate=None, handling=None, **options) -> FixAndRetry:
    gates = Gates((gate or ByWord(),), handling or {})
    return FixAndRetry(gates, CheckContext(), first=FIRST, repair=repair, **options)


def reply(text: str, finish_reason: str | None = "stop", tokens: int = 10) -> ModelReply:
    return ModelReply(text, finish_reason, usage=Usage(calls=1, completion_tokens=tokens))


def test_valid_at_once_is_one_call():
    state = writing()
    assert state.start() == AskModel(FIRST)
    step = state.feed(reply("good"))
    assert isinstance(step, Accept)
    assert step.verdict.response == GOOD
    assert [attempt.verdict for attempt in state.attempts] == ["accepted"]


def test_a_fault_is_fed_back_once():
    state = writing()
    step = state.feed(reply("syntax.invalid"))
    assert step.request.messages[0].content == "feedback on syntax.invalid / syntax.invalid"
    assert step.request.max_tokens == 300
    assert isinstance(state.feed(reply("good")), Accept)
    assert [attempt.code for attempt in state.attempts] == ["syntax.invalid", "ok"]
    assert state.usage == Usage(calls=2, completion_tokens=20)


def test_two_faults_degrade():
    state = writing()
    state.feed(reply("schema.range"))
    assert state.feed(reply("rules.search_dump")) == Degrade("invalid_output")
    assert len(state.attempts) == 2


@pytest.mark.parametrize(
    ("code", "reason"),
    [("text.refusal", "refusal"), ("text.content_filter", "content_filter")],
)
def test_a_refusal_is_not_asked_again(code, reason):
    assert writing().feed(reply(code)) == Degrade(reason)


def test_a_refusal_goes_to_the_second_model_where_there_is_one():
    state = writing(has_fallback=True)
    assert state.feed(reply("text.refusal")) == AskModel(FIRST, fallback=True)
    assert isinstance(state.feed(reply("good")), Accept)


def test_the_second_model_refusing_too_ends_it():
    state = writing(has_fallback=True)
    state.feed(reply("text.refusal"))
    assert state.feed(reply("text.refusal")) == Degrade("refusal")


def test_a_stream_that_broke_off_is_asked_again_without_feedback():
    gate = ByWord()
    state = writing(gate)
    assert state.feed(reply("text.interrupted", None)) == AskModel(FIRST)
    assert gate.contexts[0].finish_reason == "interrupted"
    assert state.feed(reply("text.interrupted", None)) == Degrade("invalid_output")


def test_the_gates_are_told_the_attempt():
    gate = ByWord()
    state = writing(gate)
    state.feed(reply("syntax.invalid"))
    state.feed(reply("good"))
    assert [context.attempt for context in gate.contexts] == [1, 2]


@pytest.mark.parametrize(
    ("code", "error"), [("context.permission", PermissionDenied), ("context.state", OutputError)]
)
def test_missing_permission_and_state_raise(code, error):
    with pytest.raises(error, match="reason of"):
        writing().feed(reply(code))


def test_handling_is_overridden_by_code_and_by_family():
    with pytest.raises(OutputError):
        writing(handling={"syntax.invalid": "raise"}).feed(reply("syntax.invalid"))
    with pytest.raises(OutputError):
        writing(handling={"rules": "raise"}).feed(reply("rules.table"))
    assert writing(handling={"schema": "fallback"}).feed(reply("schema.type")) == Degrade(
        "invalid_output"
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TransportError("down"), "model_unavailable"),
        (RateLimitError("slow down"), "model_unavailable"),
        (RefusalError("no"), "refusal"),
        (ContextOverflowError("too long"), "limit"),
    ],
)
def test_a_failed_call_degrades_without_feedback(error, reason):
    assert writing().fail(error) == Degrade(reason)


def test_a_failed_call_goes_to_the_second_model_once():
    state = writing(has_fallback=True)
    assert state.fail(TransportError("down")) == AskModel(FIRST, fallback=True)
    assert state.fail(TransportError("down")) == Degrade("model_unavailable")


def test_wrong_settings_are_never_hidden_behind_a_degraded_answer():
    with pytest.raises(AuthError):
        writing(has_fallback=True).fail(AuthError("wrong key"))


def test_failed_attempts_count_against_the_budget():
    state = writing(budget_tokens=1000)
    assert state.feed(reply("syntax.invalid", tokens=800)) == Degrade("budget")
    assert isinstance(
        writing(budget_tokens=1000).feed(reply("syntax.invalid", tokens=700)), AskModel
    )
