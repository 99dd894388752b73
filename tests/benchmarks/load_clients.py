"""Those who ask under load: ours, and what a user would build with LangChain instead."""

from __future__ import annotations

import asyncio
import json
import time
import warnings
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chains
from ragqa.limits.calls import DeploymentLimits, breaker_of
from ragqa.ports import Chunk, Parts, StoredFile
from ragqa.ports.limits import LimitsOf
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.openai import chat_model
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.langchain import as_langchain

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

Ask = Callable[[str], Awaitable[Any]]


def index_in(folder: Path) -> EmbeddedIndex:
    """Make an index of 200 documents, all of which hold the answer."""
    index = EmbeddedIndex(folder)
    with index.writer() as writer:
        for number in range(200):
            text = (
                f"{ANSWER} Model {number} holds {number % 9 + 1} litres. Lamps glow for "
                f"{number + 10} hours. A return costs {number % 7 + 1} euros, which the shop takes "
                "off the refund."
            )
            name = f"file{number}.md"
            chunk = Chunk(doc_id=name, title=name, text=text, start=0, end=len(text))
            writer.replace(StoredFile(name, str(number), name, name, 1, 1), [chunk])
    return index


def questions(count: int, begin: int = 0) -> list[str]:
    """Return questions that differ in a word that no document holds."""
    return [
        f"How long can I return an unopened kettle, asks {_word(n)}?"
        for n in range(begin, begin + count)
    ]


def _word(number: int) -> str:
    return "zq" + "".join("bcdfghjklm"[int(digit)] for digit in str(number))


def unlimited(deployment: str) -> DeploymentLimits:
    return DeploymentLimits(deployment, breaker=breaker_of(deployment))


def parts_at(
    base_url: str, index: EmbeddedIndex, *, limits: LimitsOf = unlimited, **options: Any
) -> Parts:
    model = chat_model(
        base_url=base_url,
        api_key="k",
        model="m",
        timeout_s=options.pop("timeout_s", 30.0),
        abilities=MemoryAbilityStore(),
        limits=limits,
    )
    return Parts(retriever=index, model=model, **options)


def ours(base_url: str, index: EmbeddedIndex, **options: Any) -> Ask:
    """Ask the chain ``stuff``: search, fit, write, judge."""
    chain = chains.stuff.build(parts_at(base_url, index, **options))

    async def ask(question: str) -> Any:
        answer = await chain.ainvoke(question)
        assert answer.status == "answered", answer
        return answer

    return ask


def retrieval_qa(base_url: str, index: EmbeddedIndex) -> Ask:
    """Ask LangChain's RetrievalQA over the same index; nothing is judged."""
    from langchain_openai import ChatOpenAI

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from langchain_classic.chains import RetrievalQA

        chain = RetrievalQA.from_chain_type(
            ChatOpenAI(model="m", base_url=base_url, api_key="k", max_retries=0),
            retriever=as_langchain(index, k=5),
            return_source_documents=True,
        )

    async def ask(question: str) -> Any:
        return await chain.ainvoke({"query": question})

    return ask


def lcel(base_url: str, index: EmbeddedIndex) -> Ask:
    """Ask a pipeline of LangChain's own parts: retriever | prompt | model | JSON parser."""
    from langchain_core.output_parsers import JsonOutputParser
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough
    from langchain_openai import ChatOpenAI

    prompt = ChatPromptTemplate.from_template("Passages:\n{context}\n\nQuestion: {question}")
    model = ChatOpenAI(model="m", base_url=base_url, api_key="k", max_retries=0)
    retriever = as_langchain(index, k=5)
    chain = (
        {"context": retriever, "question": RunnablePassthrough()}
        | prompt
        | model
        | JsonOutputParser()
    )

    async def ask(question: str) -> Any:
        return await chain.ainvoke(question)

    return ask


def bare(base_url: str) -> tuple[Ask, Callable[[], Awaitable[None]]]:
    """Ask with httpx alone: no search, no prompt, nothing judged. The most a client reaches."""
    import httpx2

    client = httpx2.AsyncClient(
        limits=httpx2.Limits(max_connections=200, max_keepalive_connections=200), trust_env=False
    )
    body = {"model": "m", "messages": [{"role": "user", "content": "x" * 2000}]}

    async def ask(question: str) -> Any:
        reply = await client.post(f"{base_url}/chat/completions", json=body)
        return json.loads(reply.json()["choices"][0]["message"]["content"])

    return ask, client.aclose


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run came to."""

    seconds: float
    cpu_s: float
    failures: tuple[BaseException, ...]


async def measured(ask: Ask, asked: Iterable[str], at_once: int) -> Measured:
    """Ask all questions, so many at a time; the first calls, which connect, are not counted."""
    gate = asyncio.Semaphore(at_once)

    async def one(question: str) -> Any:
        async with gate:
            return await ask(question)

    await asyncio.gather(*map(one, questions(at_once, begin=1_000_000)))
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    outcomes = await asyncio.gather(*map(one, asked), return_exceptions=True)
    return Measured(
        time.perf_counter() - began_s,
        time.process_time() - began_cpu_s,
        tuple(item for item in outcomes if isinstance(item, BaseException)),
    )
