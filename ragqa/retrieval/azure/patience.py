"""Send a request again while the service is busy, for work that may take its time (indexing)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ragqa.retrieval.azure.faults import RETRYABLE, headers_of, is_broken_off, status_of
from ragqa.waiting import retry_after_s, wait_s

MAX_TRIES = 6
MAX_WAIT_S = 120.0

Result = TypeVar("Result")


def patiently(call: Callable[[], Result], sleep: Callable[[float], None]) -> Result:
    """Return what a call returns, once the service is not too busy for it.

    The call must do no harm when it is done twice: a broken connection does not tell whether the
    request arrived.

    Args:
        call: Sends one request.
        sleep: Waits.

    Raises:
        Exception: The SDK's error, if trying again is no use or takes too long.
    """
    failed = 0
    while True:
        try:
            return call()
        except Exception as exc:
            failed += 1
            wait = wait_s(failed, retry_after_s(headers_of(exc)))
            hopeless = status_of(exc) not in RETRYABLE and not is_broken_off(exc)
            if hopeless or failed >= MAX_TRIES or wait > MAX_WAIT_S:
                raise
            sleep(wait)
