"""How long to wait before a request is sent again."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

FIRST_WAIT_S = 0.3
LONGEST_WAIT_S = 8.0
_PER_SECOND = {"retry-after-ms": 1000, "x-ms-retry-after-ms": 1000, "retry-after": 1}


def retry_after_s(headers: Any, now: Callable[[], float] = time.time) -> float | None:
    """Return the seconds that a response asks to wait: in milliseconds, seconds or as a date.

    Args:
        headers: The response's headers, in lower case or caseless.
        now: Seconds since the epoch.
    """
    for name, per_second in _PER_SECOND.items():
        with suppress(TypeError, ValueError):
            if math.isfinite(seconds := float(headers.get(name)) / per_second):
                return max(0.0, seconds)
    with suppress(TypeError, ValueError, AttributeError):
        return max(0.0, parsedate_to_datetime(headers.get("retry-after")).timestamp() - now())
    return None


def wait_s(
    tries: int, asked_s: float | None, draw: Callable[[float, float], float] = random.uniform
) -> float:
    """Return how long to wait after so many failed tries.

    Doubles with each try, with half of it left to chance so that many callers do not come back
    at once; never shorter than what the service asked for.
    Source: https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/

    Args:
        tries: How many tries have failed, from 1.
        asked_s: What the service asked for.
        draw: Draws a number between two others.
    """
    backoff_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (tries - 1))
    if asked_s is not None:
        return asked_s + draw(0, min(0.25, backoff_s / 4))
    return draw(backoff_s / 2, backoff_s)
