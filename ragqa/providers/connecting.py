"""Connect to a host that may have several addresses, and leave nothing open on the way.

asyncio's own staggered attempts lose the socket of one that succeeds while the call is cancelled.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from typing import Any, TypeVar

P = TypeVar("P", bound=asyncio.Protocol)
_Attempt = asyncio.Task[tuple[asyncio.Transport, P]]

DELAY_S = 0.25
"""The next address is tried after so long (RFC 8305, section 5)."""


async def connected(make: Callable[[], P], host: str, port: int) -> P:
    """Return the protocol of a connection to whichever address answers first.

    Raises:
        OSError: If none does.
    """
    loop = asyncio.get_running_loop()
    if _is_address(host):
        return (await loop.create_connection(make, host, port))[1]
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = _interleaved([(info[0], str(info[4][0])) for info in found])
    if len(addresses) == 1:
        return (await loop.create_connection(make, addresses[0], port))[1]
    return await _first(make, addresses, port)


async def _first(make: Callable[[], P], addresses: Sequence[str], port: int) -> P:
    loop = asyncio.get_running_loop()
    attempts: list[_Attempt[P]] = []
    chosen: _Attempt[P] | None = None
    try:
        for number, address in enumerate(addresses, 1):
            attempts.append(loop.create_task(loop.create_connection(make, address, port)))
            is_last = number == len(addresses)
            chosen = await _succeeded(attempts, None if is_last else DELAY_S)
            if chosen is not None:
                return chosen.result()[1]
        return attempts[0].result()[1]  # raises: all have failed
    finally:
        for attempt in attempts:
            if attempt is not chosen:
                attempt.cancel()
                attempt.add_done_callback(_close)


async def _succeeded(attempts: Sequence[_Attempt[P]], within_s: float | None) -> _Attempt[P] | None:
    """Return an attempt that succeeds in time; None at once where the last one begun fails."""
    loop = asyncio.get_running_loop()
    until_s = None if within_s is None else loop.time() + within_s
    while True:
        done = [attempt for attempt in attempts if attempt.done()]
        chosen = next((attempt for attempt in done if attempt.exception() is None), None)
        waits_for_others = until_s is None and len(done) < len(attempts)
        if chosen is not None or (attempts[-1].done() and not waits_for_others):
            return chosen
        left_s = None if until_s is None else until_s - loop.time()
        if left_s is not None and left_s <= 0:
            return None
        pending = [attempt for attempt in attempts if not attempt.done()]
        await asyncio.wait(pending, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)


def _close(attempt: asyncio.Task[Any]) -> None:
    """Close what an attempt made that nobody waits for any more."""
    if not attempt.cancelled() and attempt.exception() is None:
        attempt.result()[0].abort()


def _interleaved(found: Sequence[tuple[int, str]]) -> list[str]:
    """Return addresses of both families in turn, in the order of the system's preference."""
    first = [address for family, address in found if family == found[0][0]]
    others = [address for family, address in found if family != found[0][0]]
    taken = chain.from_iterable(zip_longest(first, others))
    return list(dict.fromkeys(address for address in taken if address))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
