# ruff: noqa: ASYNC109 -- these signatures are httpcore's
"""Connections that send a request in one piece, as soon as it is complete.

httpcore writes a request's head and its body one after the other, and AnyIO lets every other task
run in between. Where fifty asks prepare their prompts at the same time, no body leaves before all
of them are done, and the service waits for it. Here what is written is kept until somebody reads.
"""

from __future__ import annotations

import ssl
from contextlib import suppress
from typing import Any

import httpcore2
import httpx2


def one_connection(verify: ssl.SSLContext) -> httpx2.AsyncHTTPTransport:
    """Return a transport that holds one connection, without a proxy."""
    transport = httpx2.AsyncHTTPTransport(verify=verify)
    # httpx has no argument for the backend of its pool.
    transport._pool = httpcore2.AsyncConnectionPool(
        ssl_context=verify,
        max_connections=1,
        max_keepalive_connections=1,
        keepalive_expiry=httpx2.Limits().keepalive_expiry,
        network_backend=_Backend(),
    )
    return transport


class _Backend(httpcore2.AnyIOBackend):
    async def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.AsyncNetworkStream:
        return _Stream(await super().connect_tcp(*args, **options))


class _Stream(httpcore2.AsyncNetworkStream):
    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream
        self._unsent: list[bytes] = []
        self._timeout_s: float | None = None

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._unsent.append(buffer)
        self._timeout_s = timeout

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._unsent:
            whole, self._unsent = b"".join(self._unsent), []
            # A server may refuse a request before it has taken it in; its reply tells why.
            with suppress(httpcore2.WriteError):
                await self._stream.write(whole, self._timeout_s)
        return await self._stream.read(max_bytes, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        return _Stream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
