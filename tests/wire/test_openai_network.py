"""How requests leave: whole, at once, and so that an early refusal is heard."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from httpcore2._backends.auto import AutoBackend

from ragqa.providers.network import one_connection
from tests.wire.http_wire import Exchange, HttpServer
from tests.wire.tls import server_context, trusting_context

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
TOO_LARGE = b"HTTP/1.1 413 Too Large\r\ncontent-length: 5\r\nconnection: close\r\n\r\nlarge"


def client(context: ssl.SSLContext | None = None) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=one_connection(context or ssl.create_default_context()))


@asynccontextmanager
async def serving(answer, context: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """Serve connections until the context ends, and close what is left of them."""
    writers = []

    async def kept(reader, writer) -> None:
        writers.append(writer)
        await answer(reader, writer)

    server = await asyncio.start_server(kept, "127.0.0.1", 0, ssl=context)
    scheme = "https" if context else "http"
    async with server:
        yield f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0.02)  # until they are


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


async def test_a_connection_that_the_server_closed_meanwhile_is_not_used_again() -> None:
    connections = []

    async def answer(reader, writer):
        connections.append(1)
        await reader.read(65_536)
        writer.write(OK)
        await writer.drain()
        writer.close()

    async with serving(answer) as url, client() as asking:
        for _ in range(3):
            assert (await asking.post(url, content=b"x")).text == "ok"
            await asyncio.sleep(0.05)
    assert len(connections) == 3


async def test_what_a_server_sends_unasked_is_no_answer_to_the_next_request() -> None:
    async def answer(reader, writer):
        await reader.read(65_536)
        writer.write(OK)
        await asyncio.sleep(0.02)
        writer.write(TOO_LARGE)
        await reader.read(65_536)

    async with serving(answer) as url, client() as asking:
        for _ in range(2):
            assert (await asking.post(url, content=b"x")).status_code == 200
            await asyncio.sleep(0.05)


async def test_a_long_response_is_read_at_the_speed_of_its_reader() -> None:
    size = 20_000_000
    buffered: list[int] = []

    async def answer(reader, writer):
        await reader.read(65_536)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % size)
        for _ in range(20):
            writer.write(b"x" * (size // 20))
            await writer.drain()
            buffered.append(1)

    async with (
        serving(answer) as url,
        client() as asking,
        asking.stream("POST", url, content=b"x") as reply,
    ):
        await asyncio.sleep(0.3)
        assert len(buffered) < 20, "all of it was taken in, though nobody read it"
        assert sum([len(piece) async for piece in reply.aiter_bytes()]) == size


async def test_a_call_that_is_cancelled_closes_its_connection() -> None:
    ended = asyncio.Event()

    async def answer(reader, writer):
        await reader.read(65_536)
        await reader.read(65_536)
        ended.set()

    async with serving(answer) as url, client() as asking:
        call = asyncio.ensure_future(asking.post(url, content=b"x"))
        await asyncio.sleep(0.1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(ended.wait(), 2)


async def test_connections_of_other_event_loops_are_anyios(monkeypatch) -> None:
    # uvloop's know no staggered attempts, and its transports are none of asyncio's classes
    async def answer(reader, writer):
        await reader.read(65_536)
        writer.write(OK)

    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "get_running_loop", asyncio.AbstractEventLoop)
        asking = client()
    pool = asking._transport._pool
    assert isinstance(pool._network_backend, AutoBackend)
    async with serving(answer) as url, asking:
        assert (await asking.post(url, content=b"x")).text == "ok"


async def test_nobody_listens() -> None:
    async with serving(lambda reader, writer: None) as url:
        pass
    async with client() as asking:
        with pytest.raises(httpx2.ConnectError):
            await asking.post(url, content=b"x")


class TestTls:
    async def answer(self, reader, writer):
        while await reader.read(65_536):
            writer.write(OK)

    async def test_it_is_spoken(self) -> None:
        async with (
            serving(self.answer, server_context()) as url,
            client(trusting_context()) as asking,
        ):
            for _ in range(2):
                assert (await asking.post(url, content=b"x")).text == "ok"

    async def test_a_certificate_that_nobody_vouches_for_is_refused(self) -> None:
        async with serving(self.answer, server_context()) as url, client() as asking:
            with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                await asking.post(url, content=b"x")

    async def test_a_server_without_it_is_an_error(self) -> None:
        async with serving(self.answer) as url, client() as asking:
            with pytest.raises(httpx2.ConnectError):
                await asking.post(url.replace("http:", "https:"), content=b"x")
