"""What an ask by ``stuff`` costs beyond the model's own time, beside LangChain's RetrievalQA.

All callers take turns in one run against one local server that answers at once; ratios to a bare
HTTP call count. RetrievalQA gets the same passages from a retriever of LangChain's kind; ours
searches its embedded index, fits the context and judges the reply by all gates.

The server takes its time, too: it checks a request with a schema more thoroughly than one without.
So what a chain takes beyond a bare call with the very body that it sends is printed; what counts
is the time that this process works: neither the server's nor that of a busy machine's other work.
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
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from langchain_openai import ChatOpenAI

import chains
from ragqa.contract import Passage
from ragqa.ports import Chunk, Parts, SearchQuery, StoredFile
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.openai import chat_model
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.langchain import as_langchain
from tests.wire.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
ROUNDS = int(os.environ.get("RAGQA_BENCH_ROUNDS", "300"))
QUESTION = "How long can I return an unopened kettle?"
ANSWER = "Unopened kettles can be returned within 30 days of delivery."
REPLY = json.dumps(
    {
        "answer": ANSWER,
        "confidence": 0.9,
        "category": "policy",
        "sources": ["file0.md"],
        "follow_up": [],
        "needs_human": False,
    }
)

Call = Callable[[], Any]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """Start the server in a process of its own, so that it does not share our interpreter."""
    command = [sys.executable, "-m", "tests.wire.openai_server", "--always", REPLY]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["base_url"]
        process.communicate(timeout=10)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedIndex:
    index = EmbeddedIndex(tmp_path_factory.mktemp("index"))
    with index.writer() as writer:
        for number in range(200):
            text = (
                f"{ANSWER} Model {number} holds {number % 9 + 1} litres. Lamps glow for "
                f"{number + 10} hours. A return costs {number % 7 + 1} euros, which the shop takes "
                "off the refund."
            )
            name = f"file{number}.md"
            chunk = Chunk(doc_id=name, title="", text=text, start=0, end=len(text))
            writer.replace(StoredFile(name, str(number), name, name, 1, 1), [chunk])
    return index


def _bare(connection: http.client.HTTPConnection, body: dict[str, Any]) -> Call:
    headers = {"content-type": "application/json", "authorization": "Bearer k"}

    def call() -> Any:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
        return json.loads(connection.getresponse().read())["choices"][0]["message"]["content"]

    return call


def _sent(index: EmbeddedIndex) -> dict[str, Any]:
    """Return the body that ours sends."""
    with OpenAIServer([REPLY]) as server:
        _ours(server.base_url, index)()
        body: dict[str, Any] = server.chats[0]
    return body


def _ours(base_url: str, index: EmbeddedIndex) -> Call:
    model = chat_model(
        base_url=base_url,
        api_key="k",
        model="m",
        timeout_s=30,
        abilities=MemoryAbilityStore(),
    )
    chain = chains.stuff.build(Parts(retriever=index, model=model))

    def call() -> None:
        answer = chain.invoke(QUESTION)
        assert answer.status == "answered", answer

    return call


def _retrieval_qa(base_url: str, index: EmbeddedIndex) -> Call:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_classic.chains import RetrievalQA

        chain = RetrievalQA.from_chain_type(
            ChatOpenAI(model="m", base_url=base_url, api_key="k", max_retries=0),
            retriever=as_langchain(index, k=5),
            return_source_documents=True,
        )
    return lambda: chain.invoke({"query": QUESTION})


def test_an_ask_costs_no_more_than_retrieval_qa(base_url: str, index: EmbeddedIndex) -> None:
    passages: list[Passage] = list(index.retrieve(SearchQuery(QUESTION)))
    content = "\n".join(passage.text for passage in passages)
    body = {"model": "m", "messages": [{"role": "user", "content": content}]}
    llm = ChatOpenAI(model="m", base_url=base_url, api_key="k", max_retries=0)
    with closing(http.client.HTTPConnection(urlsplit(base_url).netloc)) as connection:
        callers = {
            "bare": _bare(connection, body),
            "bare, ours": _bare(connection, _sent(index)),
            "ChatOpenAI": lambda: llm.invoke(content),
            "stuff": _ours(base_url, index),
            "RetrievalQA": _retrieval_qa(base_url, index),
        }
        spent = {name: [] for name in callers}
        worked = {name: [] for name in callers}
        for number in range(ROUNDS + 20):
            for name in random.sample(list(callers), len(callers)):
                began_s, idle_s = time.perf_counter(), time.process_time()
                callers[name]()
                if number >= 20:  # the first calls import and connect
                    spent[name].append(time.perf_counter() - began_s)
                    worked[name].append(time.process_time() - idle_s)
    wall = {name: statistics.median(times) for name, times in spent.items()}
    cpu = {name: statistics.median(times) for name, times in worked.items()}
    for name in callers:
        times = f"{wall[name] * 1000:6.2f} ms  {wall[name] / wall['bare']:5.2f} x bare"
        print(f"{name:<12} {times}  {cpu[name] * 1000:6.2f} ms of work")
    beyond = wall["stuff"] - wall["bare, ours"], wall["RetrievalQA"] - wall["bare"]
    own_ms, other_ms = (1000 * seconds for seconds in beyond)
    print(f"beyond a bare call: stuff {own_ms:.2f} ms, RetrievalQA {other_ms:.2f} ms")
    assert cpu["stuff"] <= cpu["RetrievalQA"]
