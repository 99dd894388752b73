"""Equal questions at the same time."""

from __future__ import annotations

import asyncio
import threading
import time

from ragqa.cache.flights import Flight, Flights, aawait_landing, await_landing


def in_thread(work):
    box = []
    thread = threading.Thread(target=lambda: box.append(work()))
    thread.start()
    return thread, box


def test_the_first_flies_and_the_others_get_what_it_brings():
    flights = Flights()
    flight = flights.join("k")
    assert isinstance(flight, Flight)
    waiting = [in_thread(lambda: await_landing(flights.join("k"), 5)) for _ in range(5)]
    while len(flight.waiting) < 5:
        time.sleep(0.001)
    flights.land("k", flight, "answer")
    for thread, box in waiting:
        thread.join(5)
        assert box == ["answer"]
    assert isinstance(flights.join("k"), Flight)


def test_whoever_answers_a_question_does_not_wait_for_itself():
    flights = Flights()
    flights.join("k")
    assert flights.join("k") is None


def test_waiting_ends_with_the_time_that_is_left():
    flights = Flights()
    flights.join("k")
    thread, box = in_thread(lambda: await_landing(flights.join("k"), 0.05))
    thread.join(5)
    assert box == [None]


def test_a_flight_that_was_landed_does_not_land_the_next_one():
    flights = Flights()
    first = flights.join("k")
    flights.land("k", first, None)
    second = flights.join("k")
    flights.land("k", first, None)
    thread, box = in_thread(lambda: flights.join("k"))
    thread.join(5)
    assert not isinstance(box[0], Flight)
    flights.land("k", second, None)


async def test_tasks_of_one_loop_wait_for_each_other_and_may_be_cancelled():
    flights = Flights()

    async def task():
        joined = flights.join("k", asyncio.current_task())
        return joined if isinstance(joined, Flight) else await aawait_landing(joined, 5)

    flight = await asyncio.create_task(task())
    others = [asyncio.create_task(task()) for _ in range(3)]
    await asyncio.sleep(0.01)
    others[0].cancel()
    await asyncio.sleep(0.01)
    flights.land("k", flight, "answer")
    assert await asyncio.gather(*others[1:]) == ["answer", "answer"]
    assert others[0].cancelled()


async def test_a_task_waits_no_longer_than_it_has_time():
    flights = Flights()
    await asyncio.create_task(_join(flights))
    assert await aawait_landing(flights.join("k", asyncio.current_task()), 0.02) is None


async def _join(flights):
    flights.join("k", asyncio.current_task())
