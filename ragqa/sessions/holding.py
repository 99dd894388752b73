"""One run at a time: waiting for a session that another run holds."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from types import TracebackType

from ragqa.errors import SessionBusyError

_FIRST_PAUSE_S = 0.01
_LONGEST_PAUSE_S = 0.2


class Hold:
    """A session that is held, until the context is left; leaving it twice does no harm.

    One that nobody has any more, for instance after Ctrl-C at the wrong moment, lets go by itself.
    A child process that was forked meanwhile holds nothing.
    """

    def __init__(self, release: Callable[[], None]) -> None:
        self._release: Callable[[], None] | None = release
        self._process = os.getpid()

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        release, self._release = self._release, None
        if release is not None and os.getpid() == self._process:
            release()

    def __del__(self) -> None:
        with suppress(Exception):
            self.__exit__(None, None, None)


def pauses() -> Iterator[float]:
    """Yield how long to wait before each new try; half of it is left to chance."""
    longest_s = _FIRST_PAUSE_S
    while True:
        yield random.uniform(longest_s / 2, longest_s)  # noqa: S311 -- no secret
        longest_s = min(_LONGEST_PAUSE_S, longest_s * 1.5)


def busy(session_id: str, wait_s: float) -> SessionBusyError:
    """Return the error of a session that stayed busy."""
    return SessionBusyError(
        f"The session {session_id!r} is busy with another question (waited {wait_s:g} s).",
        hint="Ask again when that one is answered, or use another session.",
    )


def held_within(
    session_id: str, wait_s: float, try_hold: Callable[[], AbstractContextManager[None] | None]
) -> AbstractContextManager[None]:
    """Try until the session is held.

    Raises:
        SessionBusyError: If it is still busy after ``wait_s``.
    """
    give_up_s = time.monotonic() + wait_s
    for pause_s in pauses():
        hold = try_hold()
        if hold is not None:
            return hold
        left_s = give_up_s - time.monotonic()
        if left_s <= 0:
            break
        time.sleep(min(pause_s, left_s))
    raise busy(session_id, wait_s)
