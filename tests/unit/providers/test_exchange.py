"""An exchange is tested by sending it outcomes; nothing goes over a wire."""

from __future__ import annotations

from typing import Any

import httpx2
import openai
import pytest

from ragqa.contract import QAResponse
from ragqa.errors import ContextOverflowError, RateLimitError, TransportError
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.carry import carry
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.exchange import Exchanges, Pause, Send
from ragqa.providers.schema import response_format

AT = Endpoint("http://127.0.0.1:1/v1", "m")
PAYLOAD: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "Reply in JSON."}],
    "temperature": 0.2,
    "max_completion_tokens": 300,
    "response_format": response_format(QAResponse),
}


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def exchanges(clock: Clock) -> Exchanges:
    return Exchanges(
        AT, MemoryAbilityStore(), timeout_s=30, clock=clock, draw=lambda low, high: high
    )


def _refusal(status: int, body: Any = None, **headers: str) -> openai.APIStatusError:
    request = httpx2.Request("POST", "http://127.0.0.1:1/v1/chat/completions")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = httpx2.Response(status, request=request, headers=named)
    return openai.APIStatusError("x", response=response, body=body or {})


def test_a_good_reply_is_the_result(exchanges: Exchanges) -> None:
    sent: list[Send] = []

    def send(step: Send) -> str:
        sent.append(step)
        return "reply"

    assert carry(exchanges.steps(PAYLOAD), send) == "reply"
    assert len(sent) == 1
    assert sent[0].timeout_s == 30
    assert sent[0].form.features == {"json_schema", "temperature", "max_tokens"}


def test_each_try_gets_what_is_left(exchanges: Exchanges, clock: Clock) -> None:
    steps = exchanges.steps(PAYLOAD, 10)
    assert next(steps).timeout_s == 10  # type: ignore[union-attr]
    clock.now_s += 4
    assert steps.throw(_refusal(503)) == Pause(0.3)
    clock.now_s += 1
    second = steps.send(None)
    assert isinstance(second, Send)
    assert second.timeout_s == pytest.approx(5)


def test_waits_double_and_end(exchanges: Exchanges) -> None:
    steps = exchanges.steps(PAYLOAD)
    waits = []
    next(steps)
    for _ in range(2):
        pause = steps.throw(_refusal(500))
        assert isinstance(pause, Pause)
        waits.append(pause.seconds)
        steps.send(None)
    assert waits == pytest.approx([0.3, 0.6])
    with pytest.raises(TransportError):
        steps.throw(_refusal(500))


def test_no_wait_reaches_beyond_the_deadline(exchanges: Exchanges, clock: Clock) -> None:
    steps = exchanges.steps(PAYLOAD, 10)
    next(steps)
    clock.now_s += 4
    with pytest.raises(RateLimitError):
        steps.throw(_refusal(429, retry_after="6"))


def test_a_refused_form_is_sent_again_at_once(exchanges: Exchanges) -> None:
    steps = exchanges.steps(PAYLOAD)
    next(steps)
    said = {"message": "Unsupported parameter: 'temperature'.", "param": "temperature"}
    second = steps.throw(_refusal(400, said))
    assert isinstance(second, Send)
    assert "temperature" not in second.form.body
    assert exchanges.known == frozenset()  # not before it worked
    with pytest.raises(StopIteration) as stop:
        steps.send("reply")
    assert stop.value.value == "reply"
    assert exchanges.known == {"temperature"}
    assert exchanges.abilities.refused(AT.identity) == {"temperature"}


def test_refused_forms_do_not_use_up_the_retries(exchanges: Exchanges) -> None:
    steps = exchanges.steps(PAYLOAD)
    next(steps)
    for param in ("response_format", "tools", "response_format", "temperature", "max_tokens"):
        step = steps.throw(_refusal(400, {"message": "unsupported", "param": param}))
        assert isinstance(step, Send)
    assert step.form.features == {"max_completion_tokens"}
    assert isinstance(steps.throw(_refusal(503)), Pause)


def test_an_overflow_is_not_simplified(exchanges: Exchanges) -> None:
    steps = exchanges.steps(PAYLOAD)
    next(steps)
    said = {"message": "maximum context length: response_format", "code": "context_length_exceeded"}
    with pytest.raises(ContextOverflowError):
        steps.throw(_refusal(400, said))


def test_a_limit_that_is_too_large_is_left_out_once(exchanges: Exchanges) -> None:
    said = "max_tokens is too large: 300. The maximum context length is 256."
    steps = exchanges.steps(PAYLOAD)
    next(steps)
    second = steps.throw(_refusal(400, {"message": said, "param": "max_tokens"}))
    assert isinstance(second, Send)
    with pytest.raises(StopIteration):
        steps.send("reply")
    assert exchanges.known == frozenset()


def test_own_bugs_are_not_dressed_up(exchanges: Exchanges) -> None:
    steps = exchanges.steps(PAYLOAD)
    next(steps)
    with pytest.raises(RuntimeError) as raised:
        steps.throw(RuntimeError("a bug"))
    assert raised.value.__cause__ is None


def test_what_is_known_is_not_tried(exchanges: Exchanges) -> None:
    exchanges.abilities.remember(AT.identity, frozenset({"json_schema", "temperature"}))
    first = next(exchanges.steps(PAYLOAD))
    assert isinstance(first, Send)
    assert first.form.features == {"function_calling", "max_tokens"}
