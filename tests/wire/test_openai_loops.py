"""One object in threads, in several event loops, one after the other and cancelled."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragqa.errors import ProviderError
from ragqa.ports import ModelReply
from tests.wire.asked import plain
from tests.wire.conftest import MakeModel, StartServer
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]


def _until(condition: Callable[[], bool], within_s: float = 3.0) -> bool:
    deadline_s = time.monotonic() + within_s
    while not condition() and time.monotonic() < deadline_s:
        time.sleep(0.01)
    return condition()


def _run_program(server: OpenAIServer, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own, where every warning shows on standard error."""
    prelude = """
        import asyncio, gc, sys
        from ragqa.ports import Message, ModelRequest
        from ragqa.providers.abilities import MemoryAbilityStore
        from ragqa.providers.openai import chat_model

        asked = ModelRequest((Message("user", "Say hello."),))
        model = chat_model(base_url=sys.argv[1], api_key=None, model="m", timeout_s=10,
                           abilities=MemoryAbilityStore())
    """
    code = textwrap.dedent(prelude) + textwrap.dedent(program)
    command = [sys.executable, "-W", "default", "-c", code, server.base_url]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_blocking_and_async_calls_take_turns(openai_server: StartServer) -> None:
    server = openai_server(always="Hello.")
    done = _run_program(
        server,
        """
        async def pieces():
            return [piece async for piece in model.astream(asked)]

        print(model.complete(asked).text)
        print(model.complete(asked).text)
        print(asyncio.run(model.acomplete(asked)).text)
        print(asyncio.run(model.acomplete(asked)).text)
        print(asyncio.run(pieces())[-1].text)
        print(list(model.stream(asked))[-1].text)
        del model
        gc.collect()
        """,
    )
    assert done.returncode == 0
    assert done.stdout.split() == ["Hello."] * 6
    assert done.stderr == ""
    assert _until(lambda: server.open_sockets == 0)


def test_abandoned_and_cancelled_calls_leave_nothing_behind(openai_server: StartServer) -> None:
    server = openai_server(always=Reply("word " * 400, piece_delay_s=0.02))
    done = _run_program(
        server,
        """
        async def abandon():
            async for piece in model.astream(asked):
                break

        async def cancel():
            task = asyncio.create_task(model.acomplete(asked))
            other = asyncio.create_task(abandon())
            await asyncio.sleep(0.2)
            task.cancel()
            await asyncio.gather(task, other, return_exceptions=True)

        asyncio.run(cancel())
        asyncio.run(abandon())
        for piece in model.stream(asked):
            break
        gc.collect()
        print("done")
        """,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "done", "")
    assert _until(lambda: server.open_sockets == 0)


def test_connections_are_kept_within_a_loop_and_closed_with_it(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(always="Hello.")
    model = model_at(server)

    async def three() -> None:
        for _ in range(3):
            await model.acomplete(plain())

    for _ in range(3):
        asyncio.run(three())
    assert server.http.connections_made == 3
    assert _until(lambda: server.open_sockets == 0)


def test_blocking_connections_are_kept_and_closed_with_the_model(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(always="Hello.")
    model = model_at(server)
    for _ in range(3):
        model.complete(plain())
    assert (server.http.connections_made, server.open_sockets) == (1, 1)
    del model
    gc.collect()
    assert _until(lambda: server.open_sockets == 0)


def test_failed_calls_leak_no_connections(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(
        *[Reply(status=400, body={"error": {"message": "No."}})] * 20,
        *[Reply("word " * 9, drop_after=3)] * 20,
    )
    model = model_at(server, max_retries=0)

    async def fail() -> None:
        for _ in range(10):
            with pytest.raises(ProviderError):
                await model.acomplete(plain())

    for _ in range(10):
        with pytest.raises(ProviderError):
            model.complete(plain())
    asyncio.run(fail())
    for _ in range(20):
        list(model.stream(plain()))
    assert server.http.connections_made > 20
    assert server.open_sockets == 0


@pytest.mark.parametrize("streaming", [False, True])
def test_cancelling_hangs_up(
    openai_server: StartServer, model_at: MakeModel, *, streaming: bool
) -> None:
    server = openai_server(always=Reply("word " * 400, delay_s=5, piece_delay_s=0.02))
    model = model_at(server)

    async def read() -> None:
        async for _ in model.astream(plain()):
            pass

    async def cancel() -> None:
        task = asyncio.create_task(read() if streaming else model.acomplete(plain()))
        await asyncio.sleep(0.3)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(_until, lambda: server.http.disconnects == 1)

    asyncio.run(cancel())


def test_a_timeout_of_the_caller_hangs_up(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(always=Reply("x", delay_s=5))

    async def give_up() -> None:
        async with asyncio.timeout(0.3):
            await model_at(server).acomplete(plain())

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())
    assert _until(lambda: server.http.disconnects == 1)


def test_many_threads_with_loops_of_their_own(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(always=Reply("Hello.", delay_s=0.05))
    model = model_at(server)
    replies: list[ModelReply] = []

    def work() -> None:
        for _ in range(3):
            replies.append(asyncio.run(model.acomplete(plain())))
            replies.append(model.complete(plain()))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [reply.text for reply in replies] == ["Hello."] * 48


async def test_inside_a_loop_that_runs(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(always="Hello.")
    model = model_at(server)
    assert (await model.acomplete(plain())).text == "Hello."
    assert model.complete(plain()).text == "Hello."  # blocking, as in a notebook's cell
    assert (await asyncio.to_thread(model.complete, plain())).text == "Hello."


def test_models_that_are_dropped_in_a_loop_leave_no_connection_open(
    openai_server: StartServer,
) -> None:
    server = openai_server(always="Hello.")
    done = _run_program(
        server,
        """
        import os

        async def ask():
            one = chat_model(base_url=sys.argv[1], api_key=None, model="m", timeout_s=10,
                             abilities=MemoryAbilityStore())
            await one.acomplete(asked)

        async def main():
            for _ in range(5):
                await ask()
            gc.collect()
            await asyncio.sleep(0.1)
            print("closed", len(os.listdir("/proc/self/fd")) - before)

        before = len(os.listdir("/proc/self/fd")) + 3  # a loop holds three of its own
        asyncio.run(main())
        """,
    )
    assert (done.stdout.strip(), done.stderr) == ("closed 0", "")
