"""Connections to one service, each with a pool of its own.

httpx's pool looks at every idle connection, down to its socket, whenever a request begins and ends:
with fifty at a time that takes longer than the request itself. The last lane that came back is
taken first, so lanes that are not needed grow old and are closed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx2

MAX_IDLE = 100
KEPT_S = 30.0


class Lanes(httpx2.AsyncBaseTransport):
    """Send each request through a connection that nobody else uses; for one event loop.

    Args:
        make: Makes what holds one connection.
    """

    def __init__(self, make: Callable[[], httpx2.AsyncBaseTransport]) -> None:
        self._make = make
        self._idle: deque[tuple[httpx2.AsyncBaseTransport, float]] = deque()
        self._is_closed = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; its lane is free again when the response is closed."""
        lane = self._idle.pop()[0] if self._idle else self._make()
        try:
            response = await lane.handle_async_request(request)
        except BaseException:
            await self.release(lane)
            raise
        response.stream = _Lane(response.stream, lane, self)
        return response

    async def release(self, lane: httpx2.AsyncBaseTransport) -> None:
        """Take a lane back, and close those that have not been needed for long."""
        now_s = time.monotonic()
        self._idle.append((lane, now_s))
        while self._idle and self._is_surplus(now_s):
            await self._idle.popleft()[0].aclose()

    def _is_surplus(self, now_s: float) -> bool:
        return self._is_closed or len(self._idle) > MAX_IDLE or self._idle[0][1] < now_s - KEPT_S

    async def aclose(self) -> None:
        """Close all lanes that are free; the others when they come back."""
        self._is_closed = True
        while self._idle:
            await self._idle.popleft()[0].aclose()


class _Lane(httpx2.AsyncByteStream):
    def __init__(self, stream: Any, lane: httpx2.AsyncBaseTransport, lanes: Lanes) -> None:
        self._stream = stream
        self._lane: httpx2.AsyncBaseTransport | None = lane
        self._lanes = lanes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            yield data

    async def aclose(self) -> None:
        lane, self._lane = self._lane, None
        if lane is None:
            return
        try:
            await self._stream.aclose()
        finally:
            await self._lanes.release(lane)
