"""A real Redis for tests: started on a port of its own, stopped afterwards."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Self

BINARY = shutil.which("redis-server") or "/usr/bin/redis-server"
START_S = 10.0


def is_there() -> bool:
    """Tell whether a Redis can be started."""
    return Path(BINARY).is_file()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RedisServer:
    """Run redis-server while the context is open.

    Args:
        folder: Where it keeps its files.
        password: What it asks for; None for nothing.
        durable: Whether each write is on disk before it is answered, so that a restart, even after
            a kill, finds everything.
    """

    def __init__(self, folder: Path, *, password: str | None = None, durable: bool = False) -> None:
        self.folder = folder
        self.password = password
        self.durable = durable
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        login = f":{self.password}@" if self.password else ""
        return f"redis://{login}127.0.0.1:{self.port}/0"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        options = {
            "--port": str(self.port), "--bind": "127.0.0.1", "--dir": str(self.folder),
            "--save": "", "--loglevel": "warning", "--daemonize": "no",
            "--appendonly": "yes" if self.durable else "no", "--appendfsync": "always",
        }  # fmt: skip
        if self.password:
            options["--requirepass"] = self.password
        words = [word for pair in options.items() for word in pair]
        self._process = subprocess.Popen(
            [BINARY, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        give_up_s = time.monotonic() + START_S
        while not self._answers():
            if time.monotonic() > give_up_s or self._process.poll() is not None:
                raise RuntimeError("redis-server did not start")
            time.sleep(0.02)

    def stop(self, *, kill: bool = False) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
            self._process.wait(START_S)
            self._process = None

    def pause(self) -> None:
        """Let it hang: connections are taken, nothing is answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        """Tell whether it takes requests; while it loads its data it does not."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                login = f"AUTH {self.password}\r\n" if self.password else ""
                connection.sendall(f"{login}PING\r\n".encode())
                said = b""
                while said.count(b"\r\n") < 1 + bool(login):
                    piece = connection.recv(1000)
                    if not piece:
                        return False
                    said += piece
                return said.endswith(b"+PONG\r\n")
        except OSError:
            return False
