"""Equal questions at the same time: one is answered, the others wait for its answer.

Threads and event loops wait alike. If the first one fails or is cancelled, one of the others takes
its place.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass, field

Landing = str | None
"""A kept answer; None where the flight ended without one."""


@dataclass(slots=True)
class Flight:
    """A question that is being answered.

    Attributes:
        thread: The thread that answers it.
        task: The task that does, in an event loop.
        waiting: What waits for the answer.
    """

    thread: int
    task: object | None
    waiting: list[Future[Landing]] = field(default_factory=list)


class Flights:
    """Know which questions are being answered in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_key: dict[str, Flight] = {}

    def join(self, key: str, task: object | None = None) -> Flight | Future[Landing] | None:
        """Take a question on, or wait for whoever has.

        Returns:
            A Flight of one's own, which must be landed; or what the answer comes by; or None where
            whoever answers it is oneself, further down the stack: waiting would never end.
        """
        with self._lock:
            flight = self._by_key.get(key)
            if flight is None:
                self._by_key[key] = flight = Flight(threading.get_ident(), task)
                return flight
            if flight.thread == threading.get_ident() and flight.task is task:
                return None
            waiting: Future[Landing] = Future()
            flight.waiting.append(waiting)
            return waiting

    def land(self, key: str, flight: Flight, landing: Landing) -> None:
        """End a flight, and tell all who wait."""
        with self._lock:
            if self._by_key.get(key) is flight:
                del self._by_key[key]
            waiting, flight.waiting = flight.waiting, []
        for each in waiting:
            if each.set_running_or_notify_cancel():
                each.set_result(landing)


def await_landing(waiting: Future[Landing], timeout_s: float) -> Landing:
    """Return what a flight brings; None where it brings nothing in that time."""
    try:
        return waiting.result(max(0.0, timeout_s))
    except (FutureTimeoutError, TimeoutError):
        waiting.cancel()
        return None


async def aawait_landing(waiting: Future[Landing], timeout_s: float) -> Landing:
    """Do the same without blocking the event loop."""
    try:
        async with asyncio.timeout(max(0.0, timeout_s)):
            return await asyncio.wrap_future(waiting)
    except TimeoutError:
        return None


FLIGHTS = Flights()
"""Those of this process: several chains may be asked the same."""
