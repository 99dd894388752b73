"""A chain with real stages over passages and replies that a test scripts."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from ragqa.contract import Passage, Usage
from ragqa.errors import RagqaError
from ragqa.ports import ModelReply

TEXT = "Unopened items can be returned within 30 days of delivery."
SECRET_TEXT = "Staff may return unopened items within 90 days of delivery."
PUBLIC = Passage(id="returns.md", title="returns.md", text=TEXT, end=len(TEXT), score=7.0)
SECRET = Passage(
    id="staff.md",
    title="staff.md",
    text=SECRET_TEXT,
    end=len(SECRET_TEXT),
    score=8.0,
    groups=("staff",),
)


def reply(answer: str = TEXT, source: str = "returns.md", confidence: float = 0.9) -> str:
    return json.dumps(
        {
            "answer": answer,
            "confidence": confidence,
            "category": "policy",
            "sources": [source],
            "follow_up": [],
            "needs_human": False,
        }
    )


class Shelf:
    """A retriever with a version, that trims by groups."""

    def __init__(self, *passages: Passage) -> None:
        self.passages = passages or (PUBLIC, SECRET)
        self.now = "1"
        self.searches = 0

    def retrieve(self, query, config=None):
        self.searches += 1
        return tuple(p for p in self.passages if query.caller.may_see(p.groups))

    async def aretrieve(self, query, config=None):
        return self.retrieve(query)

    def version(self) -> str:
        return self.now


class Writer:
    """A model that counts its calls; ``says`` makes the reply of a prompt, or raises."""

    def __init__(self, says: Callable[[str], str] | None = None, delay_s: float = 0.0) -> None:
        self.name = "writer"
        self.calls = 0
        self.delay_s = delay_s
        self.hold: threading.Event | None = None
        self._says = says or _by_passages
        self._lock = threading.Lock()

    def complete(self, request, config=None):
        if self.hold is not None:
            assert self.hold.wait(10)
        if self.delay_s:
            threading.Event().wait(self.delay_s)
        return self._replied(request)

    async def acomplete(self, request, config=None):
        await asyncio.sleep(self.delay_s)
        return self._replied(request)

    def stream(self, request, config=None):
        whole = self.complete(request)
        yield whole.text[:20]
        yield whole.text[20:]
        yield whole

    async def astream(self, request, config=None):
        whole = await self.acomplete(request)
        yield whole.text[:20]
        yield whole.text[20:]
        yield whole

    def _replied(self, request) -> ModelReply:
        with self._lock:
            self.calls += 1
        prompt = "\n".join(message.content for message in request.messages)
        said: Any = self._says(prompt)
        if isinstance(said, RagqaError):
            raise said
        usage = Usage(calls=1, prompt_tokens=200, completion_tokens=50, cost=0.01)
        return said if isinstance(said, ModelReply) else ModelReply(said, usage=usage)


def _by_passages(prompt: str) -> str:
    return reply(SECRET_TEXT, "staff.md") if SECRET_TEXT in prompt else reply()
