"""Another process at a session store: ``python session_worker.py WHAT STORE SESSION NAME COUNT``.

It prints a line when it has begun, and what it did.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ragqa.ports import PastTurn

THREADS = 8
LIFETIME_S = 3600.0


def store_at(place: str):
    if place.startswith("redis:"):
        from ragqa.sessions.shared import shared_sessions

        return shared_sessions(place, lifetime_s=LIFETIME_S)
    from ragqa.sessions.embedded import EmbeddedSessions

    return EmbeddedSessions(Path(place), lifetime_s=LIFETIME_S)


def converse(store, session: str, name: str, count: int) -> None:
    """Add turns from several threads, each under a hold; every one counts those before it."""

    def one(number: int) -> None:
        run_id = f"{name}-{number}"
        with store.hold(session, "ann", run_id, 60):
            before = len(store.recall(session, "ann").turns)
            store.remember(session, "ann", PastTurn(run_id, f"question {before}"))
            store.remember(session, "ann", PastTurn(run_id, f"question {before}"))

    print("begun", flush=True)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(one, range(count)))


def append(store, session: str, name: str, count: int) -> None:
    """Add turns one after the other, and say so after each."""
    for number in range(count):
        store.remember(session, "ann", PastTurn(f"{name}-{number}", f"question {number}"))
        print(number, flush=True)


def hold(store, session: str, name: str, count: int) -> None:
    """Hold the session for some seconds."""
    with store.hold(session, "ann", name, 5):
        print("begun", flush=True)
        time.sleep(count)


if __name__ == "__main__":
    what, place, session, name, count = sys.argv[1:]
    {"converse": converse, "append": append, "hold": hold}[what](
        store_at(place), session, name, int(count)
    )
