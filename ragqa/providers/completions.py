"""What ChatOpenAI takes for the SDK's ``chat.completions``: one that knows its endpoint.

ChatOpenAI converts messages and runs callbacks; the SDK authenticates and sends, but for what
``posting`` repeats. Between the two, these resources find out what the endpoint accepts, retry
within the deadline, translate errors and bring replies to one shape. They hand plain dictionaries
back: building and dumping the SDK's typed models takes more time than everything else of a call
(tests/benchmarks/test_providers.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Self

import openai

from ragqa.providers.carry import acarry, carry
from ragqa.providers.chunks import AsyncChunks, Chunks
from ragqa.providers.clients import Clients
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.exchange import Exchanges, Send
from ragqa.providers.normal import JsonObject, whole_reply
from ragqa.providers.posting import sent

_PATH = "/chat/completions"


class Resources:
    """The chat completions of one endpoint, in both ways; they share what they have learnt.

    Args:
        at: The endpoint.
        exchanges: Know how it is called.
    """

    def __init__(self, at: Endpoint, exchanges: Exchanges) -> None:
        clients = Clients(at, _PATH)
        self.blocking = Completions(clients, exchanges)
        self.of_loops = AsyncCompletions(clients, exchanges)


class WholeReply:
    """A complete reply, where ChatOpenAI expects the SDK's raw response."""

    headers: Mapping[str, str] = {}

    def __init__(self, data: JsonObject) -> None:
        self._data = data

    def parse(self) -> JsonObject:
        """Return the reply."""
        return self._data


class Completions:
    """Blocking chat completions of one endpoint.

    Args:
        clients: Make the SDK's client.
        exchanges: Know how the endpoint is called.
    """

    def __init__(self, clients: Clients, exchanges: Exchanges) -> None:
        self._clients = clients
        self._exchanges = exchanges

    @property
    def with_raw_response(self) -> Self:
        """Return this: what ``create`` returns suits both ways of calling it."""
        return self

    def create(self, **arguments: Any) -> WholeReply | Chunks:
        """Send a request; return the whole reply, or its chunks where ``stream`` is true."""
        payload, timeout_s = _payload(arguments)
        send = self._open_stream if payload.get("stream") else self._send
        reply: WholeReply | Chunks = carry(self._exchanges.steps(payload, timeout_s), send)
        return reply

    def _send(self, step: Send) -> WholeReply:
        data = self._clients.post(step)
        return WholeReply(whole_reply(data, by_function=step.form.by_function))

    def _open_stream(self, step: Send) -> Chunks:
        source = self._clients.blocking().post(
            _PATH, cast_to=object, stream=True, stream_cls=openai.Stream[object], **sent(step)
        )
        chunks = Chunks(source, self._exchanges.at, by_function=step.form.by_function)
        chunks.await_text()
        return chunks


class AsyncCompletions:
    """The same for event loops: each gets a client of its own."""

    def __init__(self, clients: Clients, exchanges: Exchanges) -> None:
        self._clients = clients
        self._exchanges = exchanges

    @property
    def with_raw_response(self) -> Self:
        """Return this: what ``create`` returns suits both ways of calling it."""
        return self

    async def create(self, **arguments: Any) -> WholeReply | AsyncChunks:
        """Send a request; return the whole reply, or its chunks where ``stream`` is true."""
        payload, timeout_s = _payload(arguments)
        send = self._open_stream if payload.get("stream") else self._send
        steps = self._exchanges.steps(payload, timeout_s)
        reply: WholeReply | AsyncChunks = await acarry(steps, send)
        return reply

    async def _send(self, step: Send) -> WholeReply:
        data = await self._clients.apost(step)
        return WholeReply(whole_reply(data, by_function=step.form.by_function))

    async def _open_stream(self, step: Send) -> AsyncChunks:
        deadline_s = asyncio.get_running_loop().time() + step.timeout_s
        client = await self._clients.of_this_loop()
        async with asyncio.timeout_at(deadline_s):
            source = await client.post(
                _PATH,
                cast_to=object,
                stream=True,
                stream_cls=openai.AsyncStream[object],
                **sent(step),
            )
        by_function = step.form.by_function
        chunks = AsyncChunks(
            source, self._exchanges.at, by_function=by_function, deadline_s=deadline_s
        )
        await chunks.await_text()
        return chunks


def _payload(arguments: dict[str, Any]) -> tuple[dict[str, Any], float | None]:
    """Join what ChatOpenAI hands over apart, and take the time-out out of it."""
    extra = arguments.pop("extra_body", None) or {}
    timeout_s = arguments.pop("timeout", None)
    payload = {**arguments, **extra}
    if not payload.get("stream"):
        payload.pop("stream", None)
    return payload, timeout_s
