"""What a call of a chat model costs beyond the wire, against the same local server.

Ratios count, not milliseconds: all callers take turns in one run. Measured on 2 cores, Python
3.11: a bare HTTP call 1.0 (0.64 ms), ours 2.4, ChatOpenAI alone 3.2, with a format 4.4.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI

from ragqa.contract import QAResponse
from ragqa.ports import Message, ModelRequest
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.openai import chat_model
from ragqa.providers.schema import response_format
from tests.wire.asked import VALID

ROOT = Path(__file__).parents[2]
ROUNDS = int(os.environ.get("RAGQA_BENCH_ROUNDS", "300"))
SYSTEM = "Answer from the passages; reply with one JSON object. " * 6
USER = "[1] A passage about kettles and how long their warranty is. " * 20
FORMAT = response_format(QAResponse)
BODY: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}],
    "temperature": 0.2,
    "max_tokens": 400,
    "response_format": FORMAT,
}

Call = Callable[[], Any]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """Start the server in a process of its own, so that it does not share our interpreter."""
    command = [sys.executable, "-m", "tests.wire.openai_server", "--always", VALID]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["base_url"]
        process.communicate(timeout=10)


def _bare(connection: http.client.HTTPConnection) -> Call:
    headers = {"content-type": "application/json", "authorization": "Bearer k"}

    def call() -> Any:
        connection.request("POST", "/v1/chat/completions", json.dumps(BODY), headers)
        return json.loads(connection.getresponse().read())["choices"][0]["message"]["content"]

    return call


def _ours(base_url: str) -> Call:
    abilities = MemoryAbilityStore()
    model = chat_model(base_url=base_url, api_key="k", model="m", timeout_s=30, abilities=abilities)
    messages = (Message("system", SYSTEM), Message("user", USER))
    request = ModelRequest(messages, schema=QAResponse, max_tokens=400, temperature=0.2)
    return lambda: model.complete(request).text


def _own_chat_openai(base_url: str) -> Call:
    """Call the ChatOpenAI that our model makes, without the port around it."""
    abilities = MemoryAbilityStore()
    model = chat_model(
        base_url=base_url, api_key="k", model="m", timeout_s=30, abilities=abilities
    ).langchain
    messages = [SystemMessage(SYSTEM), HumanMessage(USER)]
    extra = {"response_format": FORMAT}
    return lambda: model.invoke(messages, temperature=0.2, max_tokens=400, extra_body=extra).content


def _chat_openai(base_url: str, **options: Any) -> Call:
    model = ChatOpenAI(model="m", base_url=base_url, api_key="k", temperature=0.2, max_tokens=400)
    messages = [SystemMessage(SYSTEM), HumanMessage(USER)]
    return lambda: model.invoke(messages, **options).content


def _medians_ms(calls: dict[str, Call]) -> dict[str, float]:
    """Let the calls take turns, so that a busy machine slows all of them alike."""
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        for _ in range(20):
            assert call() == VALID
    turns = list(calls.items())
    chance = random.Random(0)  # whoever follows a relative finds warm caches
    for _ in range(ROUNDS):
        chance.shuffle(turns)
        for name, call in turns:
            started_s = time.perf_counter()
            call()
            spent[name].append((time.perf_counter() - started_s) * 1000)
    return {name: statistics.median(times) for name, times in spent.items()}


def test_a_call_costs_less_than_chat_openai_alone(base_url: str, benchmark: Any) -> None:
    parts = urlsplit(base_url)
    with closing(http.client.HTTPConnection(parts.hostname or "", parts.port)) as connection:
        calls = {
            "bare HTTP": _bare(connection),
            "ours": _ours(base_url),
            "our ChatOpenAI": _own_chat_openai(base_url),
            "ChatOpenAI": _chat_openai(base_url),
            "ChatOpenAI with a format": _chat_openai(base_url, response_format=FORMAT),
        }
        medians = _medians_ms(calls)
    ratios = {name: round(spent / medians["bare HTTP"], 2) for name, spent in medians.items()}
    benchmark.extra_info.update(ratios=ratios, bare_ms=round(medians["bare HTTP"], 3))
    print(f"\n{ratios}, bare {medians['bare HTTP']:.3f} ms")
    benchmark(_ours(base_url))
    assert medians["ours"] < medians["ChatOpenAI"]
    assert medians["ours"] < 1.05 * medians["our ChatOpenAI"]
