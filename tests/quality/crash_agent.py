"""The agent's chain for the crash test: asked in a fork, or going on where it was killed.

    python -m tests.quality.crash_agent     serves the model, until standard input is closed

The model asks for the ticket that the question names, and says that it is created as soon as it
hears anything of the call, whatever that is: what is true the records have to say.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ragqa
from ragqa.errors import ConfigError
from ragqa.settings import Settings
from tests.wire.agent_play import acted, calls
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer
from tests.wire.ticket_tools import ticket_policy, ticket_tool

_LOADED = (
    "ragqa.agent.run.going",
    "ragqa.app.asking",
    "ragqa.app.resuming",
    "ragqa.providers.openai",
    "ragqa.retrieval.embedded",
    "ragqa.stages.whole",
    "ragqa.validation.defaults",
)
"""What a run imports; a fork has it already, so that kills hit runs and not imports."""

_WISH = "Please create the ticket '{}'."
_CLAIMED = ("answered", "repaired", "cached")


class TicketModel(OpenAIServer):
    """Asks for the ticket of a question, and then says that it is there."""

    def _next(self, body: dict[str, Any]) -> Reply:
        told = [message["role"] == "tool" for message in body["messages"]]
        title = re.findall(r"ticket '([^']+)'", json.dumps(body["messages"]))[0]
        if any(told) or "tools" not in body:
            return Reply.of(acted(f"I created the ticket '{title}'."))
        return calls(("create_ticket", {"title": title}))


@contextmanager
def agent_starts(home: Path, settle_s: float) -> Iterator[Callable[[Path, str, str], None]]:
    """Serve the model and index a document; give what starts a run or goes on with it."""
    for name in _LOADED:
        importlib.import_module(name)
    _index(home)
    command = [sys.executable, "-m", "tests.quality.crash_agent"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as model:
        try:
            assert model.stdout is not None
            base_url = model.stdout.readline().strip()
            settings = settings_in(home, openai_base_url=base_url, chat_model="m")
            yield lambda folder, url, run_id: run_agent(settings, url, run_id, settle_s)
        finally:
            model.kill()


def settings_in(home: Path, **more: Any) -> Settings:
    """Return settings whose state lies in the folder of the test."""
    return Settings.load(cwd=home, environ={}, home=str(home), **more)


def _index(home: Path) -> None:
    """Index in a process of its own: a fork of one that did has threads it cannot use."""
    (home / "docs").mkdir()
    (home / "docs" / "returns.md").write_text("Unopened items can be returned within 30 days.\n")
    command = [sys.executable, "-m", "ragqa", "index", str(home / "docs")]
    environment = {"RAGQA_HOME": str(home), "PATH": "", "PYTHONPATH": str(Path.cwd())}
    subprocess.run(command, cwd=home, env=environment, capture_output=True, check=True)


def run_agent(settings: Settings, url: str, run_id: str, settle_s: float) -> None:
    """Go on with a run, or ask where there is nothing to go on with.

    An answer that says that the ticket is there needs its record.
    """
    given = {
        "tools": [ticket_tool(url)],
        "policies": {"create_ticket": ticket_policy(url, settle_s=settle_s)},
    }
    try:
        answer = ragqa.resume(run_id, settings=settings, **given)
    except ConfigError:  # its first step was never kept, or it has ended
        question = _WISH.format(f"ticket of {run_id}")
        chain = ragqa.chain("agent", settings=settings, **given)
        answer = chain.invoke({"question": question, "run_id": run_id})
    states = [record["state"] for record in answer.tools]
    assert answer.status not in _CLAIMED or "verified" in states, (answer.status, states)


def main() -> None:
    with TicketModel() as server:
        print(server.base_url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
