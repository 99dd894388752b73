"""The runs under load that small tests and full measurements share."""

from __future__ import annotations

import asyncio
import gc
import threading
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chains
from ragqa import flow
from ragqa.cache.sqlite import SCHEMA as ANSWERS
from ragqa.cache.sqlite import SqliteAnswers
from ragqa.contract import Answer
from ragqa.limits.breaker import Breaker
from ragqa.limits.buckets import SCHEMA, SqliteBuckets
from ragqa.limits.calls import DeploymentLimits, Quota
from ragqa.ports import Chunk, StoredFile
from ragqa.ports.limits import LimitsOf
from ragqa.ports.reuse import Reuse
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole
from ragqa.storage import Database
from tests.benchmarks.load_clients import ANSWER, REPLY, index_in, parts_at, questions
from tests.wire.load_server import FAULTS, serving

MAX_SENT = 6
"""Two calls at most write an answer; each is sent three times at most."""


def quota_limits(folder: Path, per_minute: float) -> LimitsOf:
    """Return limits at the default share of a quota."""
    store = SqliteBuckets(Database(folder / "limits.sqlite", SCHEMA))
    return lambda name: DeploymentLimits(name, Quota(per_minute), store, Breaker())


@dataclass(frozen=True)
class Chaos:
    """What came of asks at a service that fails."""

    answers: list[Any]
    report: dict[str, Any]
    tasks_left: int
    threads_left: int
    warned: list[str]


def chaos(folder: Path, count: int, at_once: int, *, timeout_s: float = 2.0) -> Chaos:
    """Ask so many questions while 20 % of the replies are faults."""
    index = index_in(folder / "index")
    told: list[str] = []
    with serving(REPLY, faults=0.2, hang_s=timeout_s * 3, seed=7) as service:
        limits = quota_limits(folder, 1e9)
        parts = parts_at(service.base_url, index, limits=limits, timeout_s=timeout_s)
        policy = parts.policy.__class__(timeout_s=timeout_s)
        parts = type(parts)(retriever=index, model=parts.model, policy=policy)

        async def run() -> tuple[list[Any], int]:
            asyncio.get_running_loop().set_exception_handler(
                lambda loop, context: told.append(str(context))
            )
            chain = chains.stuff.build(parts)
            gate = asyncio.Semaphore(at_once)

            async def one(question: str) -> Any:
                async with gate:
                    return await chain.ainvoke(question)

            answers = await asyncio.gather(*map(one, questions(count)), return_exceptions=True)
            await asyncio.sleep(0)
            return answers, len(asyncio.all_tasks()) - 1

        threads = threading.active_count()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            answers, tasks = asyncio.run(run())
            gc.collect()
        told += [str(item.message) for item in caught]
        return Chaos(answers, service.report(), tasks, threading.active_count() - threads, told)


def check_chaos(outcome: Chaos, count: int) -> None:
    """Check what must hold whatever the service did."""
    strange = [item for item in outcome.answers if not isinstance(item, Answer)]
    assert strange == []
    assert len(outcome.answers) == count
    statuses = Counter(answer.status for answer in outcome.answers)
    print(statuses, {name: outcome.report.get(name, 0) for name in ("requests", *FAULTS)})
    assert set(statuses) <= {"answered", "repaired", "degraded"}
    assert statuses["degraded"] < count * 0.15
    for answer in outcome.answers:
        assert type(answer.response).model_validate_json(answer.response.model_dump_json())
        assert len(answer.attempts) <= 2
        assert (answer.status == "degraded") == (answer.response.sources == [])
        assert (answer.reason is None) == (answer.status != "degraded")
    assert outcome.report["requests"] <= count * MAX_SENT
    assert all(outcome.report.get(fault) for fault in FAULTS)
    assert outcome.tasks_left == 0
    assert outcome.threads_left == 0
    assert outcome.report["open_sockets"] == 0
    assert outcome.warned == []


STAFF_ANSWER = "How long can staff return an unopened kettle? Staff can return it for 90 days."


def secret_index(folder: Path) -> EmbeddedIndex:
    """Make an index of public documents and one that staff alone may see."""
    index = index_in(folder)
    with index.writer() as writer:
        chunk = Chunk(
            doc_id="staff.md",
            title="staff.md",
            text=STAFF_ANSWER,
            start=0,
            end=len(STAFF_ANSWER),
            groups=("staff",),
        )
        writer.replace(StoredFile("staff.md", "s", "staff.md", "staff.md", 1, 1), [chunk])
    return index


def two_callers(folder: Path, count: int, at_once: int) -> list[tuple[tuple[str, ...], Answer]]:
    """Let two callers ask the same questions, interleaved; return who got what."""
    index = secret_index(folder / "index")
    with serving(REPLY, delay_s=0.01) as service:
        base = parts_at(service.base_url, index)
        store = SqliteAnswers(Database(folder / "answers.sqlite", ANSWERS))
        parts = type(base)(retriever=index, model=base.model, answers=Reuse(store))
        pipeline = whole(chains.stuff.pipeline(parts), parts)
        first = begin(parts, "stuff")
        asked = questions(max(1, count // 20))
        callers = [("staff",), ()]

        async def run() -> list[tuple[tuple[str, ...], Answer]]:
            gate = asyncio.Semaphore(at_once)

            async def one(number: int) -> tuple[tuple[str, ...], Answer]:
                groups = callers[number % 2]
                question = asked[number // 2 % len(asked)]
                async with gate:
                    turn = await flow.ainvoke(
                        pipeline, first({"question": question, "groups": groups})
                    )
                assert turn.answer is not None
                return groups, turn.answer

            return await asyncio.gather(*map(one, range(count)))

        return asyncio.run(run())


def check_two_callers(outcomes: list[tuple[tuple[str, ...], Answer]]) -> None:
    """Check that nothing of one caller's documents reached the other."""
    runs: dict[str, tuple[str, ...]] = {}
    hits = Counter()
    for groups, answer in outcomes:
        said = answer.model_dump_json() + "".join(p.text for p in answer.passages)
        if not groups:
            assert "staff.md" not in said
            assert STAFF_ANSWER not in said
        assert all("staff" not in p.groups or groups for p in answer.passages)
        assert runs.setdefault(answer.run_id, groups) == groups  # no hit crosses over
        hits[answer.status] += 1
    print(hits)
    assert hits["cached"] > len(outcomes) / 2
    saw_secret = [a for g, a in outcomes if g and any(p.title == "staff.md" for p in a.passages)]
    assert saw_secret, "the secret must be found by those who may see it, or nothing was tested"
    assert ANSWER in outcomes[0][1].response.answer
