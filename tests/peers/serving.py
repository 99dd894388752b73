"""Take orders on standard input and time what they ask for: the same loop in every environment."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.peers.material import Document, Material


@dataclass(frozen=True)
class Caller:
    """A way to ask, blocking and async; ``aask`` may be missing.

    Attributes:
        ask: Asks one question and returns the answer's text.
        aask: The same for many at a time.
    """

    ask: Callable[[str], Any]
    aask: Callable[[str], Awaitable[Any]] | None = None


Prepare = Callable[[list[Document], str], dict[str, Caller]]


def serve(prepare: Prepare) -> None:
    """Build the callers over the documents named on the command line, then take orders.

    With ``--once NAME QUESTION`` it asks once and ends: that is what a cold start is measured by.
    """
    path, base_url, *once = sys.argv[1:]
    callers = prepare(Material.read(Path(path)).documents, base_url)
    if once:
        _, name, question = once
        print(callers[name].ask(question), flush=True)
        return
    _say({"names": sorted(callers)})
    with asyncio.Runner() as runner:  # one event loop: many clients do not survive a second one
        for line in sys.stdin:
            _say(_done(callers, json.loads(line), runner))


def _say(what: dict[str, Any]) -> None:
    print(f"@{json.dumps(what)}", flush=True)


def _done(
    callers: dict[str, Caller], order: dict[str, Any], runner: asyncio.Runner
) -> dict[str, Any]:
    if order["do"] == "memory":
        return {"mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}
    caller = callers[order["name"]]
    if order["do"] == "try":
        return {"answered": _answers(caller, order["question"])}
    began_s = time.perf_counter()
    if order["do"] == "ask":
        answer = caller.ask(order["question"])
        return {"s": time.perf_counter() - began_s, "answer": str(answer)[:300]}
    runner.run(_many(caller, order["questions"], order["at_once"]))
    return {"s": time.perf_counter() - began_s}


def _answers(caller: Caller, question: str) -> bool:
    try:
        caller.ask(question)
    except AssertionError:
        return False
    return True


async def _many(caller: Caller, questions: list[str], at_once: int) -> None:
    assert caller.aask is not None
    gate = asyncio.Semaphore(at_once)

    async def one(question: str) -> None:
        async with gate:
            await caller.aask(question)

    await asyncio.gather(*(one(question) for question in questions))
