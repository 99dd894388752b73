"""A ticket service over HTTP with a database of its own, as a process of its own.

    POST /tickets   {"title": …}, header Idempotency-Key    201 {"id": 1, "key": …, "title": …}
    GET  /tickets?key=K                                     200 [{…}] once they are visible
    GET  /tickets/1                                         200 {…} or 404
    POST /exports   {"title": …}, header Idempotency-Key    202 {"job_id": …, "state": "accepted"}
    GET  /exports?key=K                                     200 {"state": "accepted" | "finished"}
    POST /faults    {"delay_before_s": …, …}                what goes wrong from now on

A key is kept and can be looked up; unless the service is started with ``--dedupe``, it does not
keep a second ticket from being made, so that a caller's mistake shows.

Faults: ``delay_before_s`` and ``delay_after_s`` around the effect, ``status`` (instead of the
effect), ``status_after`` (after it), ``drop_after`` (hang up after it), ``invisible_s`` (how long a
new ticket cannot be looked up), ``priority`` (what is stored instead of what was asked),
``look_up_status``, ``finish_after_s`` (of an export), ``jitter_s`` (random delays on both sides).
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

SCHEMA = """
CREATE TABLE IF NOT EXISTS ticket (
    id INTEGER PRIMARY KEY, key TEXT, title TEXT, priority TEXT, made_s REAL, visible_s REAL,
    kind TEXT NOT NULL DEFAULT 'ticket'
);
"""


class TicketService:
    """Start the service as a process; it ends with the context, its database stays.

    Args:
        database: The file of its tickets.
        dedupe: Whether a key that is known gives the old ticket.
        faults: What goes wrong, see above.
    """

    def __init__(self, database: Path, *, dedupe: bool = False, **faults: Any) -> None:
        self.database = database
        self._dedupe = dedupe
        self._faults = faults
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        command = [sys.executable, __file__, str(self.database), *["--dedupe"] * self._dedupe]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        if self._faults:
            self.faults(**self._faults)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def faults(self, **faults: Any) -> None:
        """Let these things go wrong from now on, and no others."""
        request = urllib.request.Request(
            f"{self.url}/faults", json.dumps(faults).encode(), method="POST"
        )
        urllib.request.urlopen(request, timeout=10).close()

    def tickets(self, kind: str = "ticket") -> list[dict[str, Any]]:
        """Return what the service has made, straight from its database."""
        return read_tickets(self.database, kind)


def read_tickets(database: Path, kind: str = "ticket") -> list[dict[str, Any]]:
    """Return the tickets in a service's database."""
    with sqlite3.connect(database, timeout=10) as connection:
        rows = connection.execute(
            "SELECT id, key, title, priority FROM ticket WHERE kind = ? ORDER BY id", (kind,)
        ).fetchall()
    connection.close()
    return [dict(zip(("id", "key", "title", "priority"), row, strict=True)) for row in rows]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, database: Path, dedupe: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.dedupe = dedupe
        self.faults: dict[str, Any] = {}
        self.lock = threading.Lock()
        self.connection = sqlite3.connect(database, check_same_thread=False, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.executescript(SCHEMA)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that were killed."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def make(self, kind: str, key: str, asked: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            if self.dedupe and key and (known := self._known(kind, key)):
                return known
            now_s = time.time()
            priority = self.faults.get("priority") or asked.get("priority")
            made = self.connection.execute(
                "INSERT INTO ticket (key, title, priority, made_s, visible_s, kind)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    key,
                    asked.get("title"),
                    priority,
                    now_s,
                    now_s + self.faults.get("invisible_s", 0),
                    kind,
                ),
            )
            return {
                "id": made.lastrowid,
                "key": key,
                "title": asked.get("title"),
                "priority": priority,
            }

    def _known(self, kind: str, key: str) -> dict[str, Any] | None:
        return next(iter(self.found(kind, "key = ?", key)), None)

    def found(self, kind: str, where: str, value: Any) -> list[dict[str, Any]]:
        rows = self.connection.execute(
            f"SELECT id, key, title, priority, made_s FROM ticket"
            f" WHERE kind = ? AND visible_s <= ? AND {where}",
            (kind, time.time(), value),
        ).fetchall()
        names = ("id", "key", "title", "priority", "made_s")
        return [dict(zip(names, row, strict=True)) for row in rows]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        faults = self.server.faults
        if self.path == "/faults":
            self.server.faults = asked
            return self._reply(200, {})
        self._delay(faults.get("delay_before_s", 0))
        if "status" in faults:
            return self._reply(faults["status"], {"error": "as told"})
        kind = "export" if self.path == "/exports" else "ticket"
        made = self.server.make(kind, self.headers.get("idempotency-key", ""), asked)
        self._delay(faults.get("delay_after_s", 0))
        if faults.get("drop_after"):
            self.close_connection = True
            return None
        if "status_after" in faults:
            return self._reply(faults["status_after"], {"error": "as told"})
        if kind == "export":
            return self._reply(202, {"job_id": f"job-{made['id']}", "state": "accepted"})
        return self._reply(201, made)

    def do_GET(self) -> None:
        faults = self.server.faults
        url = urlsplit(self.path)
        if "look_up_status" in faults:
            return self._reply(faults["look_up_status"], {"error": "as told"})
        self._delay(0)
        if url.path.startswith("/tickets/"):
            found = self.server.found("ticket", "id = ?", int(url.path.rsplit("/", 1)[1]))
            return self._reply(200 if found else 404, found[0] if found else {})
        key = parse_qs(url.query).get("key", [""])[0]
        if url.path == "/exports":
            found = self.server.found("export", "key = ?", key)
            return self._reply(200 if found else 404, self._export(found))
        return self._reply(200, self.server.found("ticket", "key = ?", key))

    def _export(self, found: list[dict[str, Any]]) -> dict[str, Any]:
        if not found:
            return {}
        finished_s = found[0]["made_s"] + self.server.faults.get("finish_after_s", 0)
        return {**found[0], "state": "finished" if time.time() >= finished_s else "accepted"}

    def _delay(self, seconds: float) -> None:
        time.sleep(seconds + random.uniform(0, self.server.faults.get("jitter_s", 0)))

    def _reply(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.send_header("x-request-id", f"req-{random.getrandbits(32):x}")
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # who asked has hung up, or was killed
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("database", type=Path)
    parser.add_argument("--dedupe", action="store_true")
    arguments = parser.parse_args()
    server = _Server(arguments.database, arguments.dedupe)
    print(server.server_port, flush=True)
    server.serve_forever(poll_interval=0.5)


if __name__ == "__main__":
    main()
