"""Run the command line as a process of its own, in a folder of its own."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.wire.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 60
KEPT = ("PATH", "HOME", "TMPDIR", "SYSTEMROOT")

DOCUMENTS = {
    "returns.md": (
        "# Returns\n\n## Kettles\n\nA kettle can be returned within 30 days of delivery. "
        "The box must be complete.\n\n## Lamps\n\nA lamp can be returned within 14 days.\n"
    ),
    "delivery.txt": "Standard delivery takes 3 to 5 working days. Express delivery takes 1 day.\n",
    "退货政策.md": "# 退货政策\n\n签收后30天内可退货，需保留包装。灯具可在14天内退货。\n",
    "menu.md": "# Settings\n\nTo change the language open Menu → 设置 and choose the flag.\n",
    "staff.jsonl": json.dumps(
        {"id": "s1", "title": "Staff prices", "text": "Staff pay 12 euros for a kettle.",
         "groups": ["staff"]}
    ) + "\n",
}  # fmt: skip


def environment(**changes):
    """Return an environment without any setting of the person who runs the tests."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    base = {"PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", **kept}
    return {name: value for name, value in (base | changes).items() if value is not None}


def command(*args):
    return [sys.executable, "-W", "error::ResourceWarning", "-m", "ragqa", *args]


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


HEED_INTERRUPTS = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


@dataclass
class Shell:
    """A folder in which commands are run."""

    folder: Path

    def __call__(self, *args, stdin=None, text=True, **env):
        done = subprocess.run(
            command(*args),
            cwd=self.folder,
            env=environment(**env),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
        if not text:
            return done
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *args, env=None, **options):
        """Start a process and leave it running; it heeds Ctrl-C even where this process does not.

        What a shell starts in the background ignores interrupts, and so do all its children.
        """
        heeding = [sys.executable, "-c", HEED_INTERRUPTS, *command(*args)]
        return subprocess.Popen(heeding, cwd=self.folder, env=environment(**env or {}), **options)

    def write(self, documents):
        for name, text in documents.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def shell(tmp_path):
    """A folder without documents and without an index."""
    return Shell(tmp_path)


@pytest.fixture(scope="session")
def shop(tmp_path_factory):
    """A folder with an index of a few documents; tests only read it."""
    ready = Shell(tmp_path_factory.mktemp("shop"))
    ready.write({f"docs/{name}": text for name, text in DOCUMENTS.items()})
    assert ready("index", "docs").code == 0
    return ready


@pytest.fixture
def own(shop, tmp_path):
    """The same folder, without any runs yet, for a test that writes into it."""
    folder = tmp_path / "own"
    shutil.copytree(shop.folder, folder)
    for old in (folder / ".ragqa").glob("runs.sqlite*"):
        old.unlink()
    return Shell(folder)


@pytest.fixture
def serve():
    """Start servers of models by what they reply: texts, replies, or objects, sent as JSON."""
    with ExitStack() as stack:

        def started(*script, **options):
            replies = [json.dumps(each) if isinstance(each, dict) else each for each in script]
            return stack.enter_context(OpenAIServer(replies, **options))

        yield started


class SilentService:
    """A server that takes every connection and never says a word."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._asked = threading.Event()
        self._connections = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def wait_for_request(self):
        assert self._asked.wait(TIMEOUT_S)

    def close(self):
        self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._socket.close()
        for connection in self._connections:
            connection.close()
        self._thread.join(TIMEOUT_S)

    def _listen(self):
        while True:
            try:
                connection, _ = self._socket.accept()
                self._connections.append(connection)
                connection.recv(65536)
            except ConnectionError:  # whoever asked has left
                continue
            except OSError:  # closed
                return
            self._asked.set()


@pytest.fixture
def silent_service():
    service = SilentService()
    yield service
    service.close()
