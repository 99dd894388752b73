"""Bearing load, in full: ``make load``. Small versions: ``tests/wire/test_load.py``.

A server in a process of its own answers after a set time. Ideal is what a client would reach that
costs nothing: asks / at a time x latency. Callers that are compared take turns in one run.
"""

from __future__ import annotations

import asyncio
import gc
import os
import random
import statistics
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

import chains
from ragqa import flow
from ragqa.cache.sqlite import SCHEMA as ANSWERS
from ragqa.cache.sqlite import SqliteAnswers
from ragqa.ports.reuse import Reuse
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole
from ragqa.storage import Database
from tests.benchmarks.load_clients import (
    REPLY,
    bare,
    index_in,
    lcel,
    measured,
    ours,
    parts_at,
    questions,
    retrieval_qa,
)
from tests.wire.load_runs import (
    chaos,
    check_chaos,
    check_two_callers,
    quota_limits,
    two_callers,
)
from tests.wire.load_server import serving

ROUNDS = int(os.environ.get("RAGQA_BENCH_ROUNDS", "5"))
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedIndex:
    return index_in(tmp_path_factory.mktemp("index"))


def test_twenty_at_a_time_reach_nine_tenths_of_the_ideal(index: EmbeddedIndex) -> None:
    count, at_once, delay_s = 400, 20, 0.5
    with serving(REPLY, delay_s=delay_s) as service:

        async def run() -> list[float]:
            ask = ours(service.base_url, index)
            outcomes = [await measured(ask, questions(count), at_once) for _ in range(2)]
            assert not any(outcome.failures for outcome in outcomes)
            return [outcome.seconds for outcome in outcomes]

        seconds = asyncio.run(run())
    reached = count / at_once * delay_s / min(seconds)
    print(f"\n{count} asks, {at_once} at a time, {delay_s} s: {reached:.1%} of the ideal")
    assert reached >= 0.9


def test_fifty_at_a_time_are_faster_than_by_langchain(index: EmbeddedIndex) -> None:
    count, at_once, delay_s = 200, 50, 0.2
    ideal_s = count / at_once * delay_s
    with serving(REPLY, delay_s=delay_s) as service:

        async def run() -> dict[str, list[tuple[float, float]]]:
            only_http, close = bare(service.base_url)
            callers = {
                "bare HTTP": only_http,
                "ours": ours(service.base_url, index),
                "LCEL": lcel(service.base_url, index),
                "RetrievalQA": retrieval_qa(service.base_url, index),
            }
            spent: dict[str, list[tuple[float, float]]] = {name: [] for name in callers}
            for _ in range(ROUNDS):
                for name in random.sample(list(callers), len(callers)):
                    outcome = await measured(callers[name], questions(count), at_once)
                    assert outcome.failures == (), name
                    spent[name].append((outcome.seconds, outcome.cpu_s))
            await close()
            return spent

        spent = asyncio.run(run())
    reached = {
        name: ideal_s / statistics.median(seconds for seconds, _ in times)
        for name, times in spent.items()
    }
    print()
    for name, times in spent.items():
        cpu_ms = statistics.median(cpu_s for _, cpu_s in times) / (count + at_once) * 1000
        best = ideal_s / min(times)[0]
        print(f"{name:<12} {reached[name]:.1%} of the ideal (best {best:.1%}), {cpu_ms:.2f} ms CPU")
    assert reached["ours"] > max(reached["LCEL"], reached["RetrievalQA"])


def test_a_quota_of_600_a_minute_is_used_and_never_exceeded(
    index: EmbeddedIndex, tmp_path: Path
) -> None:
    count, permitted_per_s = 420, 600 * 0.7 / 60
    with serving(REPLY, delay_s=0.3, per_minute=600) as service:

        async def run() -> float:
            ask = ours(service.base_url, index, limits=quota_limits(tmp_path, 600))
            outcome = await measured(ask, questions(count), 20)
            assert outcome.failures == ()
            return outcome.seconds

        seconds = asyncio.run(run())
        report = service.report()
    rate = count / seconds / permitted_per_s
    print(f"\n{rate:.1%} of the permitted rate, {report.get('over_quota', 0)} times 429")
    assert report.get("over_quota", 0) == 0
    assert rate >= 0.95


def test_memory_stays_flat_over_ten_thousand_asks(index: EmbeddedIndex, tmp_path: Path) -> None:
    count = int(os.environ.get("RAGQA_BENCH_ASKS", "10000"))
    with serving(REPLY) as service:
        base = parts_at(service.base_url, index)
        store = SqliteAnswers(Database(tmp_path / "answers.sqlite", ANSWERS))
        parts = replace(base, answers=Reuse(store))
        pipeline, first = whole(chains.stuff.pipeline(parts), parts), begin(parts, "stuff")

        async def some(number: int, begun: int) -> None:
            async def ask(question: str) -> None:
                turn = await flow.ainvoke(pipeline, first(question))
                assert turn.answer is not None
                assert turn.answer.status in ("answered", "cached")

            outcome = await measured(ask, questions(number, begun), 50)
            assert outcome.failures == ()

        async def run() -> list[tuple[float, float]]:
            await some(500, 0)
            tracemalloc.start()
            seen = []
            for part in range(5):
                await some(count // 5, 10_000 + part * count)
                gc.collect()
                seen.append((tracemalloc.get_traced_memory()[0] / 1e6, _resident_mb()))
            tracemalloc.stop()
            return seen

        seen = asyncio.run(run())
    print("\nMB traced, resident after each fifth:", [(round(a, 2), round(b)) for a, b in seen])
    traced = [mb for mb, _ in seen]
    assert traced[-1] - traced[0] < 2.0
    assert seen[-1][1] - seen[0][1] < 15


def _resident_mb() -> float:
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_chaos(tmp_path: Path) -> None:
    count = 2000
    check_chaos(chaos(tmp_path, count=count, at_once=40), count)


def test_two_callers(tmp_path: Path) -> None:
    check_two_callers(two_callers(tmp_path, count=1000, at_once=40))
