"""Compare ragqa with what a user would pick instead; write the table of docs/benchmarks.md.

    python -m tests.peers.compare [--rounds 100] [--out docs/benchmarks.md]

One server of ours answers everybody, each caller runs in a process of its own environment, and all
take turns in random order, so that a noisy machine is noisy for all. Ratios count.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.peers.material import ROOT, Asked, Material, material
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer

OWN_PYTHON = ROOT / ".venv" / "bin" / "python"
CALLERS = {
    "bare": OWN_PYTHON,
    "ours": OWN_PYTHON,
    "langchain_chains": ROOT / ".venv-peers-langchain" / "bin" / "python",
    "llamaindex": ROOT / ".venv-peers-llamaindex" / "bin" / "python",
    "haystack_pipeline": ROOT / ".venv-peers-haystack" / "bin" / "python",
    "instructor_call": ROOT / ".venv-peers-instructor" / "bin" / "python",
}
PACKAGES = {
    "langchain_chains": ("langchain-classic", "langchain-core", "langchain-openai"),
    "llamaindex": ("llama-index-core",),
    "haystack_pipeline": ("haystack-ai",),
    "instructor_call": ("instructor",),
}
BARE = "bare"


class AnsweringServer(OpenAIServer):
    """Reply to every known question with an answer that its documents bear out."""

    questions: dict[str, Asked]
    delay_s: float = 0.0

    def _next(self, body: Any) -> Reply:
        said = body["messages"][-1]["content"]
        known = (one for question, one in self.questions.items() if question in said)
        asked = next(known, None)
        if asked is None:  # a repair without the question: of an answer that did not pass
            return Reply("")
        answer = {
            "answer": asked.answer,
            "confidence": 0.9,
            "category": "other",
            "sources": [asked.title],
            "follow_up": [],
            "needs_human": False,
        }
        return Reply(json.dumps(answer), delay_s=self.delay_s)


@dataclass
class Peer:
    """A process that asks on order."""

    module: str
    process: subprocess.Popen[str]
    names: list[str] = field(default_factory=list)

    def order(self, **what: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        return self.said()

    def said(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("@"):
                held: dict[str, Any] = json.loads(line[1:])
                return held
        raise RuntimeError(f"{self.module} ended")


@dataclass
class Row:
    """What was measured of one caller: a question that is new to it, and the same again."""

    ask_ms: float
    again_ms: float
    prompt_chars: int
    memory_mb: float
    per_s: float | None = None
    cold_s: float | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--cold-rounds", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    rows, retrievable = measured(given.rounds, given.cold_rounds)
    text = table(rows, given.rounds, retrievable)
    print(text)
    if given.out:
        from tests.peers.page import put

        put(given.out, "asks", text)


def measured(rounds: int, cold_rounds: int) -> tuple[dict[str, Row], int]:
    held = material()
    server = AnsweringServer()
    server.questions = {one.question: one for one in held.questions}
    with tempfile.TemporaryDirectory() as folder, server, ExitStack() as open_peers:
        path = Path(folder) / "material.json"
        held.write(path)
        peers = [
            open_peers.enter_context(_peer(module, path, server.base_url))
            for module, python in CALLERS.items()
            if python.exists()
        ]
        questions = _answerable(path, server.base_url, held)
        rows = _asked(peers, questions, server, rounds)
        _throughputs(peers, questions, server, rows)
        _cold_starts(peers, questions, path, server, cold_rounds, rows)
    return rows, len(questions)


@contextmanager
def _peer(module: str, path: Path, base_url: str) -> Iterator[Peer]:
    with subprocess.Popen(
        _command(module, path, base_url),
        cwd=ROOT,
        env=_environment(path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        peer = Peer(module, process)
        peer.names = peer.said()["names"]
        yield peer
        process.communicate(timeout=20)


def _command(module: str, path: Path, base_url: str) -> list[str]:
    return [str(CALLERS[module]), "-m", f"tests.peers.callers.{module}", str(path), base_url]


def _environment(path: Path) -> dict[str, str]:
    """Leave out what would set up ours alone; what is installed was compiled when it was."""
    left_out = ("RAGQA_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {**kept, "RAGQA_HOME": str(path.parent / "home"), "PYTHONPATH": str(ROOT)}


def _answerable(path: Path, base_url: str, held: Material) -> list[str]:
    """Return the questions whose document our search finds: what is not found is not written.

    They are tried in a process of their own, so that those that are measured are new to everybody.
    """
    with _peer("ours", path, base_url) as ours:
        tried = {
            asked.question: ours.order(do="try", name=ours.names[0], question=asked.question)
            for asked in held.questions
        }
    return [question for question, done in tried.items() if done["answered"]]


def _asked(
    peers: list[Peer], questions: list[str], server: AnsweringServer, rounds: int
) -> dict[str, Row]:
    callers = [(peer, name) for peer in peers for name in peer.names]
    spent: dict[str, list[float]] = {name: [] for _, name in callers}
    again: dict[str, list[float]] = {name: [] for _, name in callers}
    sizes: dict[str, list[int]] = {name: [] for _, name in callers}
    for number in range(rounds + 5):
        question = questions[number % len(questions)]
        for times in (spent, again):
            for peer, name in random.sample(callers, len(callers)):
                server.requests.clear()
                done = peer.order(do="ask", name=name, question=question)
                if number >= 5:  # the first calls import and connect
                    times[name].append(done["s"])
                    sizes[name].append(_prompt_chars(server.chats))
    memory = {peer.module: peer.order(do="memory")["mb"] for peer in peers}
    return {
        name: Row(
            statistics.median(spent[name]) * 1000,
            statistics.median(again[name]) * 1000,
            round(statistics.median(sizes[name])),
            memory[peer.module],
        )
        for peer, name in callers
    }


def _prompt_chars(chats: list[Any]) -> int:
    contents = (message["content"] for body in chats for message in body["messages"])
    schemas = sum(len(json.dumps(body.get("response_format", ""))) for body in chats)
    return sum(len(_text(content)) for content in contents) + schemas


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def _throughputs(
    peers: list[Peer], questions: list[str], server: AnsweringServer, rows: dict[str, Row]
) -> None:
    """Ask 200 times, 50 at a time, with a model that takes 200 ms: the best of five."""
    asks = [questions[number % len(questions)] for number in range(200)]
    server.delay_s = 0.2
    callers = [(peer, name) for peer in peers for name in peer.names]
    for _ in range(5):
        for peer, name in random.sample(callers, len(callers)):
            done = peer.order(do="many", name=name, questions=asks, at_once=50)
            rows[name].per_s = max(rows[name].per_s or 0, len(asks) / done["s"])
    server.delay_s = 0.0


def _cold_starts(
    peers: list[Peer],
    questions: list[str],
    path: Path,
    server: AnsweringServer,
    rounds: int,
    rows: dict[str, Row],
) -> None:
    """Time a fresh process from its start to its first answer, over 50 documents."""
    held = Material.read(path)
    gold = {one.title for one in held.questions if one.question == questions[0]}
    few = [one for one in held.documents if one.title in gold]
    few += [one for one in held.documents if one.title not in gold][:50]
    small = path.with_name("few") / "material.json"
    small.parent.mkdir()
    Material(few, held.questions).write(small)
    callers = [(peer, name) for peer in peers for name in peer.names]
    spent: dict[str, list[float]] = {name: [] for _, name in callers}
    for number in range(rounds + 1):
        for peer, name in random.sample(callers, len(callers)):
            command = [*_command(peer.module, small, server.base_url), "--once", name]
            began_s = time.perf_counter()
            subprocess.run(
                [*command, questions[0]],
                cwd=ROOT,
                env=_environment(small),
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=120,
            )
            if number:  # the first start writes bytecode, and ours its index
                spent[name].append(time.perf_counter() - began_s)
    for name, times in spent.items():
        rows[name].cold_s = statistics.median(times)


def table(rows: dict[str, Row], rounds: int, questions: int) -> str:
    bare = rows[BARE]
    lines = [
        f"{rounds} rounds over {questions} questions; times are medians without the model's, "
        "as multiples of the bare call: of a question that is new to the caller, and of the same "
        "asked again.",
        "",
        "| caller | time per ask | | asked again | prompt, characters | 50 at a time "
        "| first ask of a process | memory |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, row in sorted(rows.items(), key=lambda item: item[1].ask_ms):
        lines.append(
            f"| {name} | {row.ask_ms:.2f} ms | {row.ask_ms / bare.ask_ms:.1f} × "
            f"| {row.again_ms:.2f} ms | {row.prompt_chars:,} | {row.per_s or 0:.0f}/s of 250 "
            f"| {row.cold_s or 0:.2f} s | {row.memory_mb:.0f} MB |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
