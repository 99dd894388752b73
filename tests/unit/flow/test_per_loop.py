"""One client for each event loop, closed when the loop ends or nobody has it any more."""

from __future__ import annotations

import asyncio
import gc
import threading

from ragqa.flow.per_loop import PerLoop


class Client:
    def __init__(self) -> None:
        self.closed = asyncio.Event()
        self.closed_in: asyncio.AbstractEventLoop | None = None

    async def close(self) -> None:
        self.closed_in = asyncio.get_running_loop()
        self.closed.set()


def test_each_loop_has_its_own_which_is_closed_in_it_before_it_ends():
    clients = PerLoop(Client)

    async def twice() -> tuple[Client, asyncio.AbstractEventLoop]:
        first, second = await asyncio.gather(clients.get(), clients.get())
        assert first is second is await clients.get()
        assert first.closed_in is None
        return first, asyncio.get_running_loop()

    (one, loop), (other, other_loop) = asyncio.run(twice()), asyncio.run(twice())
    assert one is not other
    assert (one.closed_in, other.closed_in) == (loop, other_loop)


def test_loops_of_several_threads_have_their_own():
    clients, found = PerLoop(Client), []
    threads = [
        threading.Thread(target=lambda: found.append(asyncio.run(clients.get()))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 8
    assert all(client.closed_in is not None for client in found)


async def test_what_nobody_has_any_more_is_closed_though_the_loop_goes_on():
    clients = PerLoop(Client)
    client = await clients.get()
    del clients
    gc.collect()
    await asyncio.wait_for(client.closed.wait(), 2)
    assert client.closed_in is asyncio.get_running_loop()
