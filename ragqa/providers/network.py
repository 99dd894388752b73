# ruff: noqa: ASYNC109 -- these signatures are httpcore's
"""Connections of an event loop, for many requests at a time.

httpcore's own backend, AnyIO, lets every other task run between a request's head and its body.
Where fifty asks prepare their prompts at the same time, no body leaves before all of them are done,
and the service waits for it. Here a request leaves in one piece as soon as it is complete, and
asyncio's own transports carry it. Other event loops, like uvloop, differ in what their connections
take and are: AnyIO knows them.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpcore2
import httpx2

from ragqa.providers.connecting import connected

_MOST_UNREAD = 1 << 20
"""Bytes after which a service has to wait until what it sent is read."""


def one_connection(verify: ssl.SSLContext) -> httpx2.AsyncHTTPTransport:
    """Return a transport that holds one connection, without a proxy."""
    transport = httpx2.AsyncHTTPTransport(verify=verify)
    # httpx has no argument for the backend of its pool.
    transport._pool = httpcore2.AsyncConnectionPool(
        ssl_context=verify,
        max_connections=1,
        max_keepalive_connections=1,
        keepalive_expiry=httpx2.Limits().keepalive_expiry,
        network_backend=_backend_of(asyncio.get_running_loop()),
    )
    return transport


def _backend_of(loop: asyncio.AbstractEventLoop) -> httpcore2.AsyncNetworkBackend | None:
    return _Backend() if isinstance(loop, asyncio.BaseEventLoop) else None


class _Backend(httpcore2.AsyncNetworkBackend):
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore2.AsyncNetworkStream:
        with _translated(httpcore2.ConnectTimeout, httpcore2.ConnectError):
            async with asyncio.timeout(timeout):
                return _Stream(await connected(_Link, host, port))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, link: _Link) -> None:
        self._link = link
        self._unsent: list[bytes] = []

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._unsent.append(buffer)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._unsent:
            whole, self._unsent = b"".join(self._unsent), []
            self._link.transport.write(whole)
        with _translated(httpcore2.ReadTimeout, httpcore2.ReadError):
            if self._link.is_readable:
                return self._link.taken(max_bytes)
            async with asyncio.timeout(timeout):
                await self._link.wait()
            return self._link.taken(max_bytes)

    async def aclose(self) -> None:
        await self._link.close()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        link = self._link
        with _translated(httpcore2.ConnectTimeout, httpcore2.ConnectError):
            try:
                async with asyncio.timeout(timeout):
                    secured = await asyncio.get_running_loop().start_tls(
                        link.transport, link, ssl_context, server_hostname=server_hostname
                    )
            except BaseException:
                link.transport.abort()
                raise
        assert isinstance(secured, asyncio.Transport), "a connection that was aborted has none"
        link.transport = secured
        return self

    def get_extra_info(self, info: str) -> Any:
        return self._link.is_readable if info == "is_readable" else self._link.about(info)


class _Link(asyncio.Protocol):
    """One connection: what came in and is not read yet, and how it ended."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._unread = bytearray()
        self._ended = False
        self._error: Exception | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._lost = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "of a stream, not of datagrams"
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) > _MOST_UNREAD:
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended, self._error = True, exc
        if not self._lost.done():
            self._lost.set_result(None)
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    @property
    def is_readable(self) -> bool:
        """Tell whether reading need not wait. An idle connection is of no more use then."""
        return bool(self._unread) or self._ended

    async def wait(self) -> None:
        """Wait until there is something to read, or nothing can come any more."""
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def taken(self, max_bytes: int) -> bytes:
        """Return what came in; nothing at the end.

        Raises:
            OSError: If the connection broke.
        """
        data = bytes(self._unread[:max_bytes])
        del self._unread[:max_bytes]
        if not data and self._error is not None:
            raise self._error
        if len(self._unread) <= _MOST_UNREAD and not self._ended:
            self.transport.resume_reading()  # nothing happens where it did not pause
        return data

    async def close(self) -> None:
        """Close the connection at once."""
        self.transport.abort()
        await self._lost

    def about(self, info: str) -> Any:
        return self.transport.get_extra_info(info)


@contextmanager
def _translated(late: type[Exception], broken: type[Exception]) -> Iterator[None]:
    """Raise what httpcore's own backends raise."""
    try:
        yield
    except TimeoutError as exc:
        raise late(str(exc)) from exc
    except OSError as exc:
        raise broken(str(exc)) from exc
