"""How requests leave: whole, at once, and so that an early refusal is heard."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from ragqa.providers.network import one_connection
from tests.wire.http_wire import Exchange, HttpServer

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
TOO_LARGE = b"HTTP/1.1 413 Too Large\r\ncontent-length: 5\r\nconnection: close\r\n\r\nlarge"


def client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=one_connection(ssl.create_default_context()))


@asynccontextmanager
async def serving(answer) -> AsyncIterator[str]:
    """Serve connections until the context ends, and close what is left of them."""
    writers = []

    async def kept(reader, writer) -> None:
        writers.append(writer)
        await answer(reader, writer)

    server = await asyncio.start_server(kept, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        for writer in writers:
            writer.close()


async def test_head_and_body_leave_in_one_piece_and_the_connection_is_kept() -> None:
    pieces: list[bytes] = []
    connections = []

    async def answer(reader, writer):
        connections.append(1)
        while data := await reader.read(65_536):
            pieces.append(data)
            writer.write(OK)

    async with serving(answer) as url, client() as asking:
        for body in (b"first", b"second"):
            assert (await asking.post(url, content=body)).text == "ok"
    assert [piece[:4] for piece in pieces] == [b"POST", b"POST"]
    assert pieces[0].endswith(b"\r\n\r\nfirst")
    assert pieces[1].endswith(b"\r\n\r\nsecond")
    assert len(connections) == 1


async def test_no_request_waits_for_what_others_do_before_theirs() -> None:
    arrived: list[float] = []

    async def answer(exchange: Exchange) -> None:
        arrived.append(time.perf_counter())
        exchange.respond(200, {}, b"ok")

    async def ask(asking: httpx2.AsyncClient) -> None:
        time.sleep(0.03)  # noqa: ASYNC251 -- what an ask does before its request
        await asking.post(server.url, content=b"x")

    with HttpServer(answer) as server:  # in a thread of its own
        clients = [client() for _ in range(10)]
        await asyncio.gather(*(each.post(server.url, content=b"x") for each in clients))
        arrived.clear()
        began_s = time.perf_counter()
        await asyncio.gather(*(ask(each) for each in clients))
        for each in clients:
            await each.aclose()
    assert arrived[0] - began_s < 0.2, "the first request left when all ten were prepared"


async def test_a_refusal_before_the_body_was_taken_in_is_heard() -> None:
    async def answer(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(TOO_LARGE)
        await writer.drain()
        writer.close()

    async with serving(answer) as url, client() as asking:
        reply = await asking.post(url, content=b"x" * 100)
    assert (reply.status_code, reply.text) == (413, "large")


async def test_a_server_that_hangs_up_at_once_is_an_error_of_the_transport() -> None:
    async def answer(reader, writer):
        writer.transport.abort()

    async with serving(answer) as url, client() as asking:
        with pytest.raises(httpx2.TransportError):
            await asking.post(url, content=b"x")


async def test_a_server_that_says_nothing_is_given_up() -> None:
    async def answer(reader, writer):
        await reader.read()
        writer.close()

    async with serving(answer) as url, client() as asking:
        with pytest.raises(httpx2.ReadTimeout):
            await asking.post(url, content=b"x", timeout=0.1)
