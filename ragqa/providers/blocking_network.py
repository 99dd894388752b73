"""Connections of blocking calls, whose requests leave in one piece.

httpcore writes a request's head and its body apart. The first wakes the service, which finds that
it has to wait for the second; on a busy machine the two take turns.
"""

from __future__ import annotations

import ssl
from contextlib import suppress
from typing import Any

import httpcore2
import httpx2
import openai


def direct(verify: ssl.SSLContext) -> httpx2.HTTPTransport:
    """Return a transport with as many connections as are needed, without a proxy."""
    transport = httpx2.HTTPTransport(verify=verify, limits=openai.DEFAULT_CONNECTION_LIMITS)
    # httpx has no argument for the backend of its pool.
    transport._pool._network_backend = _Backend()
    return transport


class _Backend(httpcore2.SyncBackend):
    def connect_tcp(self, *address: Any, **options: Any) -> httpcore2.NetworkStream:
        return _Stream(super().connect_tcp(*address, **options))


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream
        self._unsent: list[bytes] = []

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._unsent.append(buffer)
        self._timeout_s = timeout

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._unsent:
            whole, self._unsent = b"".join(self._unsent), []
            with suppress(httpcore2.WriteError):  # who refuses early says why, then hangs up
                self._stream.write(whole, self._timeout_s)
        return self._stream.read(max_bytes, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *context: Any, **options: Any) -> httpcore2.NetworkStream:
        return _Stream(self._stream.start_tls(*context, **options))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
