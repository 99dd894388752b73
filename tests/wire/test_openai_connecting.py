"""Connecting: the first address that answers is taken, and nothing is left open."""

from __future__ import annotations

import asyncio
import gc
import socket
import time
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ragqa.providers.connecting import connected

SILENT = "127.0.0.9"


@asynccontextmanager
async def listening(*addresses: str) -> AsyncIterator[int]:
    """Listen at addresses of this machine, all with one port."""

    async def answer(reader, writer):
        await reader.read()
        writer.close()

    server = await asyncio.start_server(answer, list(addresses), 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.sleep(0.02)


@pytest.fixture
def resolving(monkeypatch):
    """Let a host have the addresses given; one of them never answers."""

    def resolve(*addresses: str) -> None:
        loop = asyncio.get_running_loop()
        make = loop.create_connection

        async def found(host, port, **_):
            return [(socket.AF_INET, 1, 6, "", (address, port)) for address in addresses]

        async def connect(protocol, host, port):
            if host == SILENT:
                await asyncio.sleep(60)
            return await make(protocol, host, port)

        monkeypatch.setattr(loop, "getaddrinfo", found)
        monkeypatch.setattr(loop, "create_connection", connect)

    return resolve


class Kept(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport

    def reached(self) -> str:
        address: str = self.transport.get_extra_info("peername")[0]
        self.transport.abort()
        return address


@pytest.mark.parametrize(
    ("addresses", "at_least_s", "at_most_s"),
    [
        (("127.0.0.2",), 0, 0.2),
        (("127.0.0.2", "127.0.0.1"), 0, 0.2),
        (("127.0.0.1", "127.0.0.2"), 0, 0.2),  # the first refuses
        ((SILENT, "127.0.0.2"), 0.2, 1),
        ((SILENT, "127.0.0.1", "127.0.0.2"), 0.2, 1),
        ((SILENT, "127.0.0.2", SILENT), 0.2, 1),
        (("127.0.0.1", SILENT, "127.0.0.2"), 0.2, 1),
    ],
)
async def test_the_first_address_that_answers(resolving, addresses, at_least_s, at_most_s):
    async with listening("127.0.0.2") as port:
        resolving(*addresses)
        began_s = time.perf_counter()
        link = await connected(Kept, "model.test", port)
        assert link.reached() == "127.0.0.2"
        assert at_least_s <= time.perf_counter() - began_s < at_most_s
    assert len(asyncio.all_tasks()) == 1


async def test_where_none_answers_the_error_says_so(resolving):
    async with listening("127.0.0.2") as port:
        resolving("127.0.0.1", "127.0.0.3")
        with pytest.raises(ConnectionRefusedError):
            await connected(Kept, "model.test", port)


@pytest.mark.parametrize(
    "addresses", [("127.0.0.2",), ("127.0.0.2", SILENT), (SILENT, "127.0.0.2")]
)
async def test_a_call_that_is_cancelled_anywhere_leaves_nothing_open(resolving, addresses):
    async with listening("127.0.0.2") as port:
        resolving(*addresses)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for steps in range(12):
                call = asyncio.ensure_future(connected(Kept, "model.test", port))
                for _ in range(steps):
                    await asyncio.sleep(0)
                if not call.done():
                    call.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await call
                else:
                    call.result().reached()
                del call
            await asyncio.sleep(0.02)
            gc.collect()
        assert [str(each.message) for each in said] == []
