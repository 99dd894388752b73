"""A model service for load and chaos: one reply for all, after a delay, with quota and faults.

It parses no more of a request than it must, so that it is faster than whoever is measured. It runs
in a process of its own:

>>> with serving(text="Hello.", delay_s=0.5) as service:          # doctest: +SKIP
...     ask(service.base_url)
...     service.report()["requests"]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
import urllib.request
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.wire.http_wire import Exchange, HttpServer

ROOT = Path(__file__).parents[2]
_JSON = {"content-type": "application/json"}
FAULTS = ("429", "500", "timeout", "dropped", "malformed")
WINDOWS_S = (1.0, 10.0, 60.0)


@dataclass
class LoadService:
    """Answer every chat request alike.

    Attributes:
        text: The reply.
        delay_s: How long each reply takes.
        per_minute: More requests are answered with 429; judged over each window of a second, ten
            seconds and a minute, as Azure OpenAI does.
        faults: The part of the requests that meets a fault of one of ``FAULTS``.
        hang_s: How long a request hangs that is to time out.
        kinds: The faults that it meets, with commas between.
    """

    text: str
    delay_s: float = 0.0
    per_minute: float | None = None
    faults: float = 0.0
    hang_s: float = 30.0
    kinds: str = ",".join(FAULTS)
    seed: int = 0
    counts: Counter[str] = field(default_factory=Counter, init=False)
    under_way: int = field(default=0, init=False)
    most_at_once: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.http = HttpServer(self.handle)
        self._random = random.Random(self.seed)
        self._taken: dict[float, deque[float]] = {window: deque() for window in WINDOWS_S}
        message = {"role": "assistant", "content": self.text, "refusal": None}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        usage = {"prompt_tokens": 300, "completion_tokens": 60, "total_tokens": 360}
        reply = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
        self._reply = json.dumps({**reply, "choices": [choice], "usage": usage}).encode()

    async def handle(self, exchange: Exchange) -> None:
        if exchange.request.method == "GET":
            self._report(exchange)
            return
        self.counts["requests"] += 1
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            await self._answer(exchange)
        finally:
            self.under_way -= 1

    async def _answer(self, exchange: Exchange) -> None:
        if self.per_minute and not self._within_quota(time.monotonic()):
            self.counts["over_quota"] += 1
            _refuse(exchange, 429, "rate_limit_exceeded", "1")
            return
        if self._random.random() < self.faults:
            await self._fail(exchange, self._random.choice(self.kinds.split(",")))
            return
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        self.counts["answered"] += 1
        exchange.respond(200, _JSON, self._reply)

    async def _fail(self, exchange: Exchange, fault: str) -> None:
        self.counts[fault] += 1
        if fault == "429":
            _refuse(exchange, 429, "rate_limit_exceeded", "0.05")
        elif fault == "500":
            _refuse(exchange, 500, "server_error", None)
        elif fault == "timeout":
            await asyncio.sleep(self.hang_s)
            exchange.drop()
        elif fault == "dropped":
            exchange.start(200, _JSON)
            exchange.piece(self._reply[: len(self._reply) // 2])
            exchange.drop(reset=self._random.random() < 0.5)
        else:
            half = self._reply[: len(self._reply) // 2]
            exchange.respond(200, _JSON, self._random.choice([half, b"<html>", b"", b"null"]))

    def _within_quota(self, now_s: float) -> bool:
        assert self.per_minute is not None
        for window_s, taken in self._taken.items():
            while taken and taken[0] <= now_s - window_s:
                taken.popleft()
            if len(taken) >= self.per_minute * window_s / 60:
                return False
        for taken in self._taken.values():
            taken.append(now_s)
        return True

    def _report(self, exchange: Exchange) -> None:
        said = {
            **self.counts,
            "most_at_once": self.most_at_once,
            "open_sockets": self.http.open_sockets - 1,  # without the one that asks
            "connections": self.http.connections_made,
        }
        exchange.respond(200, _JSON, json.dumps(said).encode())


def _refuse(exchange: Exchange, status: int, code: str, retry_after: str | None) -> None:
    headers = {**_JSON, **({"retry-after": retry_after} if retry_after else {})}
    error = {"message": "Please try again.", "type": code, "param": None, "code": code}
    exchange.respond(status, headers, json.dumps({"error": error}).encode())


@dataclass(frozen=True)
class Running:
    """A service that runs in a process of its own."""

    base_url: str

    def report(self) -> dict[str, Any]:
        """Return what it counted."""
        with urllib.request.urlopen(f"{self.base_url}/report", timeout=10) as reply:
            said: dict[str, Any] = json.load(reply)
            return said


@contextmanager
def serving(text: str, **options: float | str) -> Iterator[Running]:
    """Run a service while the context is open; options are those of ``LoadService``."""
    command = [sys.executable, "-m", "tests.wire.load_server", "--text", text]
    for name, value in options.items():
        command += [f"--{name.replace('_', '-')}", str(value)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        yield Running(json.loads(process.stdout.readline())["base_url"])
        process.communicate(timeout=10)


def main() -> None:
    """Serve until standard input is closed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--text", required=True)
    for name in ("delay-s", "per-minute", "faults", "hang-s"):
        parser.add_argument(f"--{name}", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--kinds")
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    service = LoadService(**given)
    with service.http:
        print(json.dumps({"base_url": f"{service.http.url}/v1"}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
