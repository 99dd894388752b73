"""Tasks in an event loop of a thread, with the face of an executor."""

import asyncio
import threading
import time

import pytest

from ragqa.cli import task_pool
from ragqa.cli.task_pool import TaskPool


def test_results_and_errors_come_back_and_no_more_run_than_may():
    under_way, most = 0, 0

    async def work(number):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.005)
        under_way -= 1
        if number == 7:
            raise LookupError("seven")
        return number * 2

    pool = TaskPool(3)
    futures = [pool.submit(work, number) for number in range(10)]
    assert [future.result(5) for future in futures[:7]] == [0, 2, 4, 6, 8, 10, 12]
    with pytest.raises(LookupError):
        futures[7].result(5)
    pool.shutdown()
    assert most == 3


def test_its_end_cancels_what_is_under_way_and_leaves_no_thread():
    begun, ended = threading.Event(), threading.Event()

    async def work():
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    before = threading.active_count()
    pool = TaskPool(2)
    futures = [pool.submit(work) for _ in range(4)]
    assert begun.wait(5)
    pool.shutdown()
    assert ended.is_set()
    assert all(future.cancelled() for future in futures)
    assert threading.active_count() == before


def test_a_task_that_does_not_end_holds_nobody_up(monkeypatch):
    monkeypatch.setattr(task_pool, "ENDING_S", 0.05)
    pool, loops, may_end = TaskPool(1), [], asyncio.Event()
    begun, ended = threading.Event(), threading.Event()

    async def stubborn():
        loops.append(asyncio.get_running_loop())
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            await may_end.wait()
            ended.set()

    pool.submit(stubborn)
    assert begun.wait(5)
    began_s = time.monotonic()
    pool.shutdown()
    assert time.monotonic() - began_s < 2
    assert not ended.is_set()
    loops[0].call_soon_threadsafe(may_end.set)
    assert ended.wait(5)
