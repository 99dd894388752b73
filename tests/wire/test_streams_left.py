"""Streams that nobody reads to their end: they end with their event loop, and without a word."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from langchain_core.runnables import RunnablePassthrough

import chains
from tests.wire.agent_play import QUESTION, RETURNS, final, parts_at, search
from tests.wire.openai_replies import Reply

kept: list[Any] = []


@pytest.fixture(autouse=True)
def none_kept() -> Any:
    yield
    kept.clear()


async def left(events: AsyncIterator[Any]) -> None:
    async for _ in events:
        return


async def held(events: AsyncIterator[Any]) -> None:
    kept.append(events)
    await anext(events)


async def timed_out(events: AsyncIterator[Any]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(0.3):
            async for _ in events:
                await asyncio.sleep(1)


async def dropped_by_a_task(events: AsyncIterator[Any]) -> None:
    task = asyncio.ensure_future(timed_out(events))
    await asyncio.sleep(0.1)
    task.cancel()


@pytest.mark.parametrize("leave", [left, held, timed_out, dropped_by_a_task])
@pytest.mark.parametrize("kind", ["stuff", "agent", "composed"])
def test_a_stream_that_is_left_ends_quietly(openai_server, caplog, kind, leave):
    slow = Reply(final(), piece_delay_s=0.01)
    server = openai_server(*([search(), slow] if kind == "agent" else [slow]), always=final())
    parts = parts_at(server)
    chain: Any = chains.agent.build(parts) if kind == "agent" else chains.stuff.build(parts)
    asked: Any = RunnablePassthrough() | chain if kind == "composed" else chain

    async def ask() -> None:
        await leave(asked.astream(QUESTION))

    asyncio.run(ask())
    gc.collect()
    assert [record.getMessage() for record in caplog.records] == []
    if kind != "agent":
        assert chain.invoke(QUESTION).response.answer == RETURNS.text
