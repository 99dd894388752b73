"""What the wire tests of the agent share: scripted turns, passages, chains, and what was sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import chains
from ragqa.contract import Passage
from ragqa.flow.runnable import ChainRunnable
from ragqa.ports import Parts, Policy
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.openai import chat_model
from ragqa.records.store import SqliteRuns
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer

RETURNS = Passage(
    id="returns.md",
    title="returns.md",
    text="Unopened items can be returned within 30 days of delivery.",
    start=0,
    end=58,
    score=7.0,
)
QUESTION = "How long can I return an unopened item?"


class Found:
    """A retriever that finds what it holds, and remembers what it was asked."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = passages
        self.queries: list[Any] = []

    def retrieve(self, query, config=None):
        self.queries.append(query)
        return self.passages[: query.k]

    async def aretrieve(self, query, config=None):
        return self.retrieve(query, config)

    def version(self) -> str:
        return "1"


def calls(*asked: tuple[str, Any], text: str | None = None, **more: Any) -> Reply:
    """Return a model's turn that calls tools; arguments as text or as an object."""
    made = tuple(
        (name, said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
        for name, said in asked
    )
    return Reply(text, tool_calls=made, **{"finish_reason": "tool_calls", **more})


def search(query: str = "return unopened item") -> Reply:
    return calls(("search_documents", {"query": query}))


def final(answer: str = RETURNS.text, **changed: Any) -> str:
    """Return a model's last turn: the answer's object."""
    good = {
        "answer": answer,
        "confidence": 0.9,
        "category": "policy",
        "sources": ["returns.md"],
        "follow_up": [],
        "needs_human": False,
    }
    return json.dumps({**good, **changed}, ensure_ascii=False)


def acted(answer: str, **changed: Any) -> str:
    """Return a last turn that rests on tools alone."""
    return final(answer, **{"sources": [], "category": "other", **changed})


def parts_at(
    server: OpenAIServer,
    *,
    passages: Iterable[Passage] = (RETURNS,),
    home: Path | None = None,
    retriever: Any = None,
    **policy: Any,
) -> Parts:
    """Return the parts of an agent whose model is a scripted server."""
    return Parts(
        retriever=retriever or Found(*passages),
        model=chat_model(
            base_url=server.base_url,
            api_key=None,
            model="m",
            timeout_s=10.0,
            abilities=MemoryAbilityStore(),
        ),
        policy=Policy(**policy),
        home=(lambda: home) if home else None,
        runs=SqliteRuns(home) if home else None,
    )


def agent_at(
    server: OpenAIServer,
    *,
    tools: Iterable[Callable[..., Any]] = (),
    policies: Any = None,
    **options: Any,
) -> ChainRunnable:
    """Return an agent whose model is a scripted server."""
    return chains.agent.build(parts_at(server, **options), tools=tools, policies=policies)


def told(chat: Any) -> list[dict[str, Any]]:
    """Return the tool messages of a request."""
    return [message for message in chat["messages"] if message["role"] == "tool"]


def states(answer: Any) -> list[tuple[str, str]]:
    """Return name and state of each tool call of an answer."""
    return [(record["name"], record["state"]) for record in answer.tools]
