"""Many asks at a time: chaos, quota, permissions and memory, in small. In full: ``make load``."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import replace
from typing import ClassVar

import chains
from ragqa.limits.breaker import Breaker
from ragqa.limits.calls import DeploymentLimits
from ragqa.ports import Policy
from tests.benchmarks.load_clients import REPLY, index_in, measured, ours, parts_at, questions
from tests.wire.load_runs import (
    chaos,
    check_chaos,
    check_two_callers,
    quota_limits,
    two_callers,
)
from tests.wire.load_server import serving


def test_every_ask_gets_a_valid_answer_whatever_the_service_does(tmp_path):
    check_chaos(chaos(tmp_path, count=150, at_once=20), 150)


def test_two_callers_never_see_what_is_the_others(tmp_path):
    check_two_callers(two_callers(tmp_path, count=120, at_once=20))


def test_a_quota_is_used_but_never_exceeded(tmp_path):
    index = index_in(tmp_path / "index")
    with serving(REPLY, per_minute=6000) as service:
        ask = ours(service.base_url, index, limits=quota_limits(tmp_path, 6000))
        outcome = asyncio.run(measured(ask, questions(200), 20))
        report = service.report()
    assert outcome.failures == ()
    assert report.get("over_quota", 0) == 0
    assert outcome.seconds >= (200 - 15) / 70 * 0.95


def test_asks_at_a_time_share_the_waiting(tmp_path):
    index = index_in(tmp_path / "index")
    with serving(REPLY, delay_s=0.5) as service:
        outcome = asyncio.run(measured(ours(service.base_url, index), questions(40), 20))
        report = service.report()
    assert outcome.failures == ()
    assert report["most_at_once"] == 20
    assert outcome.seconds < 40 * 0.5 / 4  # ideal is 1 s; a busy machine may take several


async def test_a_model_that_is_away_is_found_out_once_and_then_answered_at_once(tmp_path):
    index = index_in(tmp_path / "index")
    breaker = Breaker()
    with serving(REPLY, faults=1.0, kinds="500,dropped") as service:
        parts = parts_at(
            service.base_url, index, limits=lambda name: DeploymentLimits(name, breaker=breaker)
        )
        chain = chains.stuff.build(replace(parts, policy=Policy(timeout_s=1.0)))
        for question in questions(40):
            await chain.ainvoke(question)
            if breaker.closed_in_s():
                break
        began_s = time.monotonic()
        answers = [await chain.ainvoke(question) for question in questions(10)]
        quick = time.monotonic() - began_s
    assert {answer.reason for answer in answers} == {"model_unavailable"}
    assert {answer.status for answer in answers} == {"degraded"}
    assert quick < 1.0
    assert json.loads(answers[0].model_dump_json())["response"]["needs_human"]


def test_what_langchain_calls_by_itself_is_held_back_too(tmp_path):
    class Counting(DeploymentLimits):
        admitted: ClassVar[int] = 0

        def admit(self, tokens, within_s):
            Counting.admitted += 1
            return super().admit(tokens, within_s)

    index = index_in(tmp_path / "index")
    with serving(REPLY) as service:
        parts = parts_at(service.base_url, index, limits=Counting)
        llm = parts.model.langchain
        assert llm.invoke("How long?").content == REPLY
        assert asyncio.run(llm.ainvoke("How long?")).content == REPLY
        assert "".join(piece.content for piece in llm.stream("How long?")) == REPLY
    assert Counting.admitted == 3
