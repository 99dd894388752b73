"""A small HTTP/1.1 server on 127.0.0.1 whose handler decides every byte, in a thread of its own.

Unlike a web framework it can break off in mid-body, send garbage, and tell when a client hung up.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Self

MAX_HEADER_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as it came in; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Exchange:
    """One request under way, and the means to answer it."""

    def __init__(self, request: HttpRequest, transport: asyncio.Transport) -> None:
        self.request = request
        self._transport = transport
        self._chunked = False

    def respond(self, status: int, headers: dict[str, str], body: bytes) -> None:
        """Send a whole response."""
        self._head(status, {**headers, "content-length": str(len(body))})
        self._transport.write(body)

    def start(self, status: int, headers: dict[str, str]) -> None:
        """Send the head of a response that follows in pieces."""
        self._chunked = True
        self._head(status, {**headers, "transfer-encoding": "chunked"})

    def piece(self, data: bytes) -> None:
        """Send a piece of the body."""
        self._transport.write(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self) -> None:
        """End a body that was sent in pieces."""
        self._transport.write(b"0\r\n\r\n")

    def raw(self, data: bytes) -> None:
        """Send bytes outside of any protocol."""
        self._transport.write(data)

    def drop(self, *, reset: bool = False) -> None:
        """Close the connection in the middle, politely or with a reset."""
        self._transport.abort() if reset else self._transport.close()

    def _head(self, status: int, headers: dict[str, str]) -> None:
        try:
            phrase = HTTPStatus(status).phrase
        except ValueError:
            phrase = "Unknown"
        lines = [f"HTTP/1.1 {status} {phrase}", *(f"{k}: {v}" for k, v in headers.items())]
        self._transport.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


Handler = Callable[[Exchange], Awaitable[None]]


class HttpServer:
    """Serve on a free port while the context is open.

    Attributes:
        open_sockets: Connections that are open now.
        connections_made: Connections since the start.
        disconnects: Clients that hung up while they were being answered.
        most_at_once: The most requests that were under way at the same time.
    """

    def __init__(self, handler: Handler, *, port: int = 0) -> None:
        self.handler = handler
        self.port = port
        self.open_sockets = self.connections_made = self.disconnects = 0
        self.under_way = self.most_at_once = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="http-wire", daemon=True)
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._transports: set[asyncio.Transport] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await self._loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, backlog=512
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for transport in list(self._transports):
            transport.abort()
        await asyncio.sleep(0)  # lets the connections be lost before the loop goes


@dataclass
class _Connection(asyncio.Protocol):
    server: HttpServer
    buffer: bytearray = field(default_factory=bytearray)
    task: asyncio.Task[None] | None = None
    transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server._transports.add(transport)
        self.server.open_sockets += 1
        self.server.connections_made += 1

    def connection_lost(self, exc: Exception | None) -> None:
        assert self.transport is not None
        self.server._transports.discard(self.transport)
        self.server.open_sockets -= 1
        if self.task is not None and not self.task.done() and not self.transport.is_closing():
            self.server.disconnects += 1
        if self.task is not None and not self.task.done():
            self.task.cancel()

    def eof_received(self) -> bool:
        if self.task is not None and not self.task.done():
            self.server.disconnects += 1
        return False  # the transport closes itself

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self._take_request()

    def _take_request(self, _: object = None) -> None:
        if self.task is not None and not self.task.done():
            return
        request = _parse(self.buffer)
        if request is not None and self.transport is not None:
            self.task = asyncio.ensure_future(self._answer(Exchange(request, self.transport)))
            self.task.add_done_callback(self._take_request)

    async def _answer(self, exchange: Exchange) -> None:
        self.server.under_way += 1
        self.server.most_at_once = max(self.server.most_at_once, self.server.under_way)
        try:
            await self.server.handler(exchange)
        finally:
            self.server.under_way -= 1


def _parse(buffer: bytearray) -> HttpRequest | None:
    """Take one whole request off the buffer; None while it is incomplete."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        assert len(buffer) < MAX_HEADER_BYTES, "headers without end"
        return None
    first, *lines = buffer[:end].decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (li.partition(":") for li in lines)
    }
    length = int(headers.get("content-length", "0"))
    if len(buffer) < end + 4 + length:
        return None
    method, path, _ = first.split(" ", 2)
    body = bytes(buffer[end + 4 : end + 4 + length])
    del buffer[: end + 4 + length]
    return HttpRequest(method, path, headers, body)
