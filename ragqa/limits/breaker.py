"""The circuit breaker of a deployment: a service that is away is not asked again and again.

    closed     requests go; enough failures in a row open it
    open       requests are refused at once, until it is time to try
    half-open  one request goes as a probe; its outcome closes the breaker or opens it anew

Source: https://learn.microsoft.com/azure/architecture/patterns/circuit-breaker
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field

from ragqa.ports import Clock
from ragqa.ports.limits import Outcome

FAILURES_IN_A_ROW = 5
REMEMBERED = 20
FIRST_REST_S = 2.0
LONGEST_REST_S = 30.0
PROBE_S = 60.0
"""A probe of which nothing is heard for so long counts as lost; another one may go."""


@dataclass
class Breaker:
    """Count what requests come to, and say whether another may go; safe for threads.

    It opens when the last requests failed in a row and at least half of those remembered did, so a
    service that fails at times is still asked.

    Attributes:
        clock: Seconds that only grow.
    """

    clock: Clock = time.monotonic
    _last: deque[bool] = field(default_factory=lambda: deque(maxlen=REMEMBERED), init=False)
    _in_a_row: int = field(default=0, init=False)
    _rest_s: float = field(default=0.0, init=False)
    _opened_s: float | None = field(default=None, init=False)
    _probe_s: float | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def closed_in_s(self) -> float:
        """Return 0 where a request may go, else the seconds until one may try."""
        with self._lock:
            if self._opened_s is None:
                return 0.0
            now_s = self.clock()
            if (left_s := self._opened_s + self._rest_s - now_s) > 0:
                return left_s
            if self._probe_s is not None and now_s - self._probe_s < PROBE_S:
                return self._probe_s + PROBE_S - now_s
            self._probe_s = now_s
            return 0.0

    def report(self, outcome: Outcome) -> None:
        """Take in how a request ended."""
        with self._lock:
            if outcome == "answered":
                self._in_a_row, self._rest_s = 0, 0.0
                self._opened_s = self._probe_s = None
                self._last.append(True)
            elif outcome == "unknown":
                self._probe_s = None  # whoever comes next may try
            else:
                self._failed()

    def _failed(self) -> None:
        self._in_a_row += 1
        self._last.append(False)
        was_probe = self._opened_s is not None
        if was_probe and self._probe_s is None:
            return  # a request from before it opened
        half = sum(not good for good in self._last) * 2 >= len(self._last)
        if was_probe or (self._in_a_row >= FAILURES_IN_A_ROW and half):
            self._rest_s = min(LONGEST_REST_S, self._rest_s * 2 or FIRST_REST_S)
            self._opened_s, self._probe_s = self.clock(), None
