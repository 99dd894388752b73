"""An async generator in a task of its own, in step with its reader."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from ragqa.flow import lockstep
from ragqa.flow.lockstep import in_lockstep


class Numbers:
    """Notes what it was asked for, and how it ended."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.made: list[int] = []
        self.ended = ""
        self.error = error

    async def __call__(self) -> AsyncGenerator[int, None]:
        try:
            for number in range(3):
                self.made.append(number)
                yield number
                await asyncio.sleep(0)
            if self.error is not None:
                raise self.error
            self.ended = "read"
        except (GeneratorExit, asyncio.CancelledError):
            self.ended = "left"
            raise


async def test_all_is_read_in_order():
    numbers = Numbers()
    assert [number async for number in in_lockstep(numbers())] == [0, 1, 2]
    assert numbers.ended == "read"


async def test_nothing_is_made_before_it_is_asked_for():
    numbers = Numbers()
    events = in_lockstep(numbers())
    await asyncio.sleep(0.01)
    assert numbers.made == []
    assert await anext(events) == 0
    await asyncio.sleep(0.01)
    assert numbers.made == [0]
    await events.aclose()
    assert (numbers.made, numbers.ended) == ([0], "left")


@pytest.mark.parametrize("error", [ValueError("mine"), TimeoutError(), asyncio.CancelledError()])
async def test_an_error_reaches_the_reader_as_it_was_raised(error):
    with pytest.raises(type(error)) as raised:
        async for _ in in_lockstep(Numbers(error)()):
            pass
    if not isinstance(error, asyncio.CancelledError):
        assert raised.value is error


async def test_a_reader_that_is_cancelled_ends_it_first():
    numbers = Numbers()

    async def read() -> None:
        async with aclosing(in_lockstep(numbers())) as events:
            async for _ in events:
                await asyncio.sleep(1)

    reader = asyncio.ensure_future(read())
    await asyncio.sleep(0.01)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert numbers.ended == "left"


async def test_one_that_does_not_end_is_left_to_the_loop(monkeypatch):
    monkeypatch.setattr(lockstep, "LEAVING_S", 0.05)
    never, ended = asyncio.Event(), asyncio.Event()

    async def hangs() -> AsyncGenerator[int, None]:
        try:
            yield 1
        finally:
            await never.wait()
            ended.set()

    async with asyncio.timeout(2):
        async with aclosing(in_lockstep(hangs())) as events:
            assert await anext(events) == 1
    assert not ended.is_set()
    never.set()
    await asyncio.wait_for(ended.wait(), 2)
