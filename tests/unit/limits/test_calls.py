"""What holds the calls of a deployment back, as an exchange drives it."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragqa.errors import PaceError, StorageError, TransportError
from ragqa.limits.breaker import FAILURES_IN_A_ROW, Breaker
from ragqa.limits.buckets import SCHEMA, SqliteBuckets
from ragqa.limits.calls import MAX_BREAKERS, DeploymentLimits, Quota, breaker_of
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.exchange import Admit, Exchanges, Pause, Send
from ragqa.storage import Database


@pytest.fixture
def store(tmp_path):
    return SqliteBuckets(Database(tmp_path / "limits.sqlite", SCHEMA))


def limits(store=None, breaker=None, **quota):
    return DeploymentLimits("d", Quota(**quota), store, breaker or Breaker())


def unneeded() -> int:
    raise AssertionError("tokens are counted where a quota of tokens is set")


def test_without_a_quota_calls_go_at_once_and_need_no_thread():
    free = limits()
    assert not free.may_block
    assert free.admit(unneeded, 0.0) == 0.0


def test_a_turn_that_comes_too_late_is_refused_and_takes_no_place(store):
    paced = limits(store, requests_per_minute=60)
    assert paced.admit(unneeded, 5.0) == 0.0
    wait_s = paced.admit(unneeded, 5.0)
    assert 1.2 < wait_s < 1.5
    with pytest.raises(PaceError) as caught:
        paced.admit(unneeded, 0.5)
    assert caught.value.retry_after_s == pytest.approx(2.8, abs=0.3)
    assert paced.admit(unneeded, 10.0) == pytest.approx(2.8, abs=0.3)


def test_tokens_are_paced_too(store):
    paced = limits(store, tokens_per_minute=6000)
    assert paced.admit(lambda: 700, 60.0) == 0.0
    assert paced.admit(lambda: 700, 60.0) > 5.0


def test_places_are_given_once_to_many_threads(store):
    paced = limits(store, requests_per_minute=6000)
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: paced.admit(unneeded, 60.0), range(200)))
    # 70 a second, 15 of them at once: the last of 200 waits for 185
    assert max(waits) > 1.5


def test_a_store_that_cannot_be_used_stops_no_call(caplog):
    class Broken:
        def take(self, takes, within_s):
            raise StorageError("The disk is full.")

    with caplog.at_level(logging.WARNING):
        assert limits(Broken(), requests_per_minute=60).admit(unneeded, 1.0) == 0.0
    assert "not paced" in caplog.text


def test_a_clock_that_is_set_back_holds_nothing_up(tmp_path):
    now = [1_000_000.0]
    store = SqliteBuckets(Database(tmp_path / "l.sqlite", SCHEMA), now=lambda: now[0])
    paced = limits(store, requests_per_minute=60)
    for _ in range(5):
        paced.admit(unneeded, 60.0)
    now[0] -= 7200
    assert paced.admit(unneeded, 60.0) < 10


def test_a_service_that_is_away_is_refused_at_once():
    away = limits()
    for _ in range(FAILURES_IN_A_ROW):
        away.report("failed")
    with pytest.raises(TransportError, match="not asked"):
        away.admit(unneeded, 60.0)


def test_a_refused_turn_gives_the_probe_back(store):
    clock = [0.0]
    breaker = Breaker(lambda: clock[0])
    paced = limits(store, breaker, requests_per_minute=60)
    paced.admit(unneeded, 1.0)
    for _ in range(FAILURES_IN_A_ROW):
        breaker.report("failed")
    clock[0] += 60
    with pytest.raises(PaceError):
        paced.admit(unneeded, 0.01)
    assert breaker.closed_in_s() == 0


def test_all_that_call_a_deployment_share_its_breaker_and_old_ones_are_forgotten():
    first = breaker_of("some deployment")
    assert breaker_of("some deployment") is first
    for number in range(MAX_BREAKERS + 1):
        breaker_of(f"another {number}")
    assert breaker_of("some deployment") is not first


class Watched:
    """Limits that note what an exchange tells them."""

    may_block = False

    def __init__(self, wait_s=0.0):
        self.wait_s = wait_s
        self.heard = []
        self.tokens = None

    def admit(self, tokens, within_s):
        self.tokens = tokens()
        return self.wait_s

    def report(self, outcome):
        self.heard.append(outcome)


def exchange(watched, **payload):
    at = Endpoint("http://127.0.0.1:1/v1", "m")
    exchanges = Exchanges(at, MemoryAbilityStore(), timeout_s=30, limits=watched)
    message = {"role": "user", "content": "How long is delivery?"}
    return exchanges.steps({"model": "m", "messages": [message], **payload})


def sent(steps, step=None):
    """Go on until the next form is sent."""
    step = step or next(steps)
    while not isinstance(step, Send):
        step = steps.send(step.run() if isinstance(step, Admit) else None)
    return step


def test_prompt_and_longest_reply_are_counted_before_a_request():
    watched = Watched()
    sent(exchange(watched, max_tokens=400))
    assert 405 <= watched.tokens <= 420


def test_every_request_is_admitted_anew_and_its_outcome_reported():
    watched = Watched()
    steps = exchange(watched)
    sent(steps)
    step = steps.throw(ConnectionResetError())
    assert isinstance(step, Pause)
    sent(steps, step)
    with pytest.raises(StopIteration):
        steps.send("reply")
    assert watched.heard == ["failed", "answered"]


def test_an_endpoint_that_refuses_is_not_away():
    watched = Watched()
    steps = exchange(watched)
    sent(steps)
    with pytest.raises(Exception, match="model"):
        steps.throw(_unknown_model())
    assert watched.heard == ["answered"]


def _unknown_model():
    import httpx2
    import openai

    request = httpx2.Request("POST", "http://127.0.0.1:1/v1")
    body = {"message": "The model `m` does not exist", "code": "model_not_found"}
    return openai.NotFoundError("no", response=httpx2.Response(404, request=request), body=body)


@pytest.mark.parametrize("wait_s", [0.0, 3.0])
def test_a_call_that_is_given_up_is_reported_as_unknown(wait_s):
    watched = Watched(wait_s)
    steps = exchange(watched)
    step = steps.send(next(steps).run())
    assert isinstance(step, Pause if wait_s else Send)
    steps.close()
    assert watched.heard == ["unknown"]
