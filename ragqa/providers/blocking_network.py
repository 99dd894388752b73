"""Blocking requests: they leave in one piece, and are given up in time whatever is late.

httpcore writes a request's head and its body apart. The first wakes the service, which finds that
it has to wait for the second; on a busy machine the two take turns.

httpx's read time-out starts anew with every byte. A service that sends comments or blanks to keep
the connection open, or the head of its response in drops, would never be given up. httpcore hands
the time-out of a read down to the connection as it is, so here it knows the moment it means.
"""

from __future__ import annotations

import time
from contextlib import suppress
from functools import lru_cache
from typing import Any

import httpcore2
import httpx2
import openai


class BlockingClient(openai.DefaultHttpxClient):
    """Send requests whole; give up a response that is not when the read time-out has passed."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for transport in (self._transport, *self._mounts.values()):
            # httpx has no argument for the backend of its pools; a test's own transport has none
            if (pool := getattr(transport, "_pool", None)) is not None:
                pool._network_backend = _Backend(pool._network_backend)

    def build_request(self, method: str, url: httpx2.URL | str, **rest: Any) -> httpx2.Request:
        """Make a request."""
        return super().build_request(method, _parsed(str(url)), **rest)

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Send a request; its read time-out holds for the whole response."""
        timeouts = request.extensions.get("timeout", {})
        if (limit_s := timeouts.get("read")) is not None:
            request.extensions["timeout"] = {**timeouts, "read": _Until(limit_s)}
        return super().send(request, **options)


@lru_cache(maxsize=8)
def _parsed(url: str) -> httpx2.URL:
    """Return an address taken apart; every request goes to the same few."""
    return httpx2.URL(url)


class _Until(float):
    """Seconds that run out from now on, however many reads they are given to."""

    def __init__(self, seconds: float) -> None:
        self._end_s = time.monotonic() + seconds

    def left_s(self) -> float:
        return self._end_s - time.monotonic()


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, backend: httpcore2.NetworkBackend) -> None:
        self._backend = backend

    def connect_tcp(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        return _Stream(self._backend.connect_tcp(*args, **options))

    def sleep(self, seconds: float) -> None:
        self._backend.sleep(seconds)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream
        self._unsent: list[bytes] = []
        self._write_timeout_s: float | None = None

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._unsent.append(buffer)
        self._write_timeout_s = timeout

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._unsent:
            whole, self._unsent = b"".join(self._unsent), []
            with suppress(httpcore2.WriteError):  # who refuses early says why, then hangs up
                self._stream.write(whole, self._write_timeout_s)
        if isinstance(timeout, _Until) and (timeout := timeout.left_s()) <= 0:
            raise httpcore2.ReadTimeout("The response took too long.")
        return self._stream.read(max_bytes, timeout)

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *args: Any, **options: Any) -> httpcore2.NetworkStream:
        return _Stream(self._stream.start_tls(*args, **options))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
