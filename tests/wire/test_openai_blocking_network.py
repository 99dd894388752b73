"""How requests of blocking calls leave: whole, and so that an early refusal is heard."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import httpx2
import pytest

from ragqa.providers.blocking_network import BlockingClient
from tests.wire.tls import server_context, trusting_context

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
TOO_LARGE = b"HTTP/1.1 413 Too Large\r\ncontent-length: 5\r\nconnection: close\r\n\r\nlarge"
LARGE = b"x" * 20_000_000
"""More than the sockets of both sides hold."""

Answering = Callable[[socket.socket], None]


def client(context: ssl.SSLContext | None = None) -> httpx2.Client:
    return BlockingClient(verify=context or ssl.create_default_context())


@contextmanager
def serving(answer: Answering, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """Answer each connection in a thread of its own until the context ends."""
    listening = socket.create_server(("127.0.0.1", 0))
    threads = []

    def answered(connection: socket.socket) -> None:
        with suppress(OSError):
            if context is not None:
                connection = context.wrap_socket(connection, server_side=True)
            answer(connection)
        connection.close()

    def accepting() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                threads.append(threading.Thread(target=answered, args=(connection,)))
                threads[-1].start()

    accepts = threading.Thread(target=accepting)
    accepts.start()
    scheme = "https" if context else "http"
    try:
        yield f"{scheme}://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for thread in [accepts, *threads]:
            thread.join(5)


def test_head_and_body_leave_in_one_piece_and_the_connection_is_kept() -> None:
    pieces: list[bytes] = []
    connections = []

    def answer(connection):
        connections.append(1)
        while data := connection.recv(65_536):
            pieces.append(data)
            connection.sendall(OK)

    with serving(answer) as url, client() as asking:
        for body in (b"first", b"second"):
            assert asking.post(url, content=body).text == "ok"
    assert [piece[:4] for piece in pieces] == [b"POST", b"POST"]
    assert pieces[0].endswith(b"\r\n\r\nfirst")
    assert pieces[1].endswith(b"\r\n\r\nsecond")
    assert len(connections) == 1


def test_a_refusal_before_the_body_was_taken_in_is_heard() -> None:
    def answer(connection):
        connection.recv(100)
        connection.sendall(TOO_LARGE)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65_536):
            pass

    with serving(answer) as url, client() as asking:
        reply = asking.post(url, content=LARGE)
    assert (reply.status_code, reply.text) == (413, "large")


def test_a_server_that_hangs_up_is_an_error_of_the_transport() -> None:
    with serving(lambda connection: None) as url, client() as asking:
        for body in (b"x", LARGE):
            with pytest.raises(httpx2.TransportError):
                asking.post(url, content=body)


@pytest.mark.parametrize(
    ("body", "late"), [(b"x", httpx2.ReadTimeout), (LARGE, httpx2.WriteTimeout)]
)
def test_a_server_that_does_nothing_is_given_up(body, late) -> None:
    over = threading.Event()
    with serving(lambda connection: over.wait(5)) as url, client() as asking:
        with pytest.raises(late):
            asking.post(url, content=body, timeout=0.1)
        over.set()


def test_a_connection_that_the_server_closed_meanwhile_is_not_used_again() -> None:
    closed = threading.Semaphore(0)

    def answer(connection):
        connection.recv(65_536)
        connection.sendall(OK)
        connection.close()
        closed.release()

    with serving(answer) as url, client() as asking:
        for _ in range(3):
            assert asking.post(url, content=b"x").text == "ok"
            assert closed.acquire(timeout=5)


class TestTls:
    def answer(self, connection):
        while data := connection.recv(65_536):
            assert data.endswith(b"\r\n\r\nx")
            connection.sendall(OK)

    def test_it_is_spoken_in_one_piece(self) -> None:
        with serving(self.answer, server_context()) as url, client(trusting_context()) as asking:
            for _ in range(2):
                assert asking.post(url, content=b"x").text == "ok"

    def test_a_certificate_that_nobody_vouches_for_is_refused(self) -> None:
        with (
            serving(self.answer, server_context()) as url,
            client() as asking,
            pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"),
        ):
            asking.post(url, content=b"x")
