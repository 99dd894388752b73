"""The chunks of a streamed reply, blocking or in an event loop.

A stream that fails before its first text can be asked anew, so the text is waited for while the
exchange still runs. One that breaks off later ends quietly: whoever reads it misses the finish
reason, and knows.
"""

from __future__ import annotations

import asyncio
import json
from typing import Self

import httpx2
import openai

from ragqa.errors import TransportError
from ragqa.providers.endpoint import Endpoint
from ragqa.providers.event_text import events_in
from ragqa.providers.normal import JsonObject, StreamShape, json_reply, whole_reply
from ragqa.providers.refusals import interrupted
from ragqa.providers.translate import cause_of, translate


class _Shaping:
    """What both kinds of streams do with what comes in."""

    def __init__(self, at: Endpoint, *, by_function: bool) -> None:
        self._at = at
        self._by_function = by_function
        self._shape = StreamShape(by_function=by_function)
        self._ready: list[JsonObject] = []
        self._is_over = False

    def _take_whole(self, response: httpx2.Response) -> None:
        """Take a reply that came whole: some servers ignore that a stream was asked for.

        Others send a stream, and call it JSON.
        """
        body = response.content.decode(json.detect_encoding(response.content))
        if events := events_in(body):
            for event in events:
                self._take(json_reply(event))
            self._take(None)
            return
        said = body if _kind(response) == "text/html" else json.loads(body)
        reply = whole_reply(said, by_function=self._by_function)
        (choice,) = reply["choices"]
        self._take({**reply, "choices": [{**choice, "delta": choice["message"]}]})
        self._take(None)

    @property
    def _lacks_text(self) -> bool:
        return not (self._shape.has_text or self._shape.ended)

    def _take(self, data: object) -> None:
        """Keep what came until it is asked for; None is the end."""
        if data is not None:
            self._ready.append(self._shape.chunk(data))
            return
        if self._lacks_text:
            raise interrupted(self._at)
        self._is_over = True
        self._ready.append(self._shape.last_chunk())

    def _break(self, exc: Exception) -> None:
        """End where the transport broke; raise everything else."""
        error = translate(exc, self._at)
        if not isinstance(error, TransportError):
            raise error from cause_of(exc, error, self._at)
        self._take(None)

    def parse(self) -> Self:
        """Return this, where ChatOpenAI expects the SDK's raw response."""
        return self


def _is_whole(response: httpx2.Response) -> bool:
    """Tell whether a response is no stream of events but JSON, or a page."""
    return _kind(response) in ("application/json", "text/html")


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


class Chunks(_Shaping):
    """The chunks of a reply, for blocking callers.

    Args:
        source: What the SDK reads.
        at: The endpoint, for messages.
        by_function: Whether the text was asked for as a function's arguments.
    """

    def __init__(self, source: openai.Stream[object], at: Endpoint, *, by_function: bool) -> None:
        super().__init__(at, by_function=by_function)
        self._source = source

    def await_text(self) -> None:
        """Wait for the first text."""
        try:
            if _is_whole(self._source.response):
                self._source.response.read()
                self._take_whole(self._source.response)
            while self._lacks_text:
                self._take(next(self._source, None))
        except BaseException:
            self._source.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._source.close()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> JsonObject:
        if not self._ready and not self._is_over:
            try:
                self._take(next(self._source, None))
            except Exception as exc:
                self._break(exc)
        if not self._ready:
            raise StopIteration
        return self._ready.pop(0)


class AsyncChunks(_Shaping):
    """The chunks of a reply, for event loops.

    Args:
        source: What the SDK reads.
        at: The endpoint, for messages.
        by_function: Whether the text was asked for as a function's arguments.
        deadline_s: Moment on the loop's clock at which it is given up.
    """

    def __init__(
        self,
        source: openai.AsyncStream[object],
        at: Endpoint,
        *,
        by_function: bool,
        deadline_s: float,
    ) -> None:
        super().__init__(at, by_function=by_function)
        self._source = source
        self._deadline_s = deadline_s

    async def await_text(self) -> None:
        """Wait for the first text."""
        try:
            if _is_whole(self._source.response):
                async with asyncio.timeout_at(self._deadline_s):
                    await self._source.response.aread()
                self._take_whole(self._source.response)
            while self._lacks_text:
                self._take(await self._next())
        except BaseException:
            await self._source.close()
            raise

    async def _next(self) -> object:
        async with asyncio.timeout_at(self._deadline_s):
            return await anext(self._source, None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._source.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> JsonObject:
        if not self._ready and not self._is_over:
            try:
                self._take(await self._next())
            except Exception as exc:
                self._break(exc)
        if not self._ready:
            raise StopAsyncIteration
        return self._ready.pop(0)
