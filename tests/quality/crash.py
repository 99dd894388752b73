"""Kill runs that create tickets at random moments, and compare the ledger with the service.

    python -m tests.quality.crash [--runs 200] [--seed 1] [--with executor|agent]

Each run is a fork of this process that asks for one ticket at a real HTTP service, which runs as
a process of its own and would make a ticket twice if it were asked twice. Runs are killed with
SIGKILL; half of them go on in another process, which may be killed, too. Checked after each death:
no ticket exists twice, and no record says anything that is not so. At the end one more start looks
up what is unknown; then every record has to say what the service's database holds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ragqa.agent.execution.executor import Executor
from ragqa.agent.execution.run_context import RunContext
from ragqa.agent.ledger.record import ToolRecord
from ragqa.agent.ledger.store import Ledger
from ragqa.agent.tools.call import ToolCall, ToolResult
from tests.quality.crash_agent import agent_starts
from tests.wire.ticket_service import TicketService, read_tickets
from tests.wire.ticket_tools import ticket_policy, ticket_tool

LEDGER = "ledger.sqlite"
JITTER_S = 0.02
SETTLE_S = 0.3
"""A request that was sent before a death may still be worked on for so long."""

AFTER_S = 0.04
"""How long after an effect its reply comes in and is put down, at most."""

Start = Callable[[Path, str, str], None]
"""Starts a run, or goes on with it: gets the state folder, the service's address, the run's id."""


def run_executor(home: Path, url: str, run_id: str) -> None:
    """Ask the executor alone for the run's ticket."""
    with Ledger(home / LEDGER) as ledger:
        outcome = executor_of(ledger, url, run_id).run(call_of(run_id))
        assert isinstance(outcome, ToolResult)


def executor_of(ledger: Ledger, url: str, run_id: str) -> Executor:
    """Return an executor with the ticket tool."""
    return Executor(
        [ticket_tool(url)],
        {"create_ticket": ticket_policy(url, settle_s=SETTLE_S)},
        ledger=ledger,
        context=RunContext(run_id=run_id),
    )


def call_of(run_id: str) -> ToolCall:
    """Return the one call of a run."""
    return ToolCall("call_1", "create_ticket", {"title": title_of(run_id)})


def title_of(run_id: str) -> str:
    """Return the title of a run's ticket."""
    return f"ticket of {run_id}"


@contextmanager
def executor_starts(home: Path, settle_s: float) -> Iterator[Start]:
    """Give what starts the executor; it needs nothing around it."""
    yield run_executor


STARTS: dict[str, Callable[[Path, float], AbstractContextManager[Start]]] = {
    "executor": executor_starts,
    "agent": agent_starts,
}


@dataclass
class Report:
    """What was seen."""

    runs: int = 0
    kills: int = 0
    finished: int = 0
    found_after_kill: Counter[str] = field(default_factory=Counter)
    at_the_end: Counter[str] = field(default_factory=Counter)
    tickets: int = 0
    faults: list[str] = field(default_factory=list)

    def shown(self) -> str:
        return json.dumps(
            {
                "runs": self.runs,
                "kills": self.kills,
                "finished_before_the_kill": self.finished,
                "states_after_a_kill": dict(sorted(self.found_after_kill.items())),
                "states_at_the_end": dict(sorted(self.at_the_end.items())),
                "tickets": self.tickets,
                "faults": self.faults,
            },
            indent=2,
        )


class CrashTest:
    """Kills runs and checks what they leave behind."""

    def __init__(self, home: Path, service: TicketService, start: Start, seed: int) -> None:
        self.home = home
        self.service = service
        self.start = start
        self.random = random.Random(seed)
        self.report = Report()

    def run(self, runs: int) -> Report:
        lasts_s = statistics.median(self._timed(f"warm-{n}") for n in range(3))
        self.report.runs = runs
        for number in range(runs):
            run_id = f"run-{number}"
            self._killed(run_id, lasts_s)
            while self.random.random() < 0.5:  # it goes on, which takes a look-up first
                self._killed(run_id, lasts_s + SETTLE_S)
        self._start_again()
        self._check_the_end(runs)
        return self.report

    def _timed(self, run_id: str) -> float:
        begun_s = time.monotonic()
        pid = self._forked(lambda: self.start(self.home, self.service.url, run_id))
        _, status = os.waitpid(pid, 0)
        assert status == 0, "a run that nobody kills ends well"
        return time.monotonic() - begun_s

    def _killed(self, run_id: str, lasts_s: float) -> None:
        pid = self._forked(lambda: self.start(self.home, self.service.url, run_id))
        self._wait_for_the_moment(run_id, lasts_s)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if os.WIFSIGNALED(status):
            self.report.kills += 1
        else:
            self.report.finished += 1
            if status != 0:
                self.report.faults.append(f"{run_id} ended with status {status}")
        self._check_after_kill(run_id)

    def _wait_for_the_moment(self, run_id: str, lasts_s: float) -> None:
        """Wait for any moment of a run, or for one of the few right after its effect."""
        if self.random.random() < 0.5:
            time.sleep(self.random.uniform(0, 1.2 * lasts_s))
            return
        give_up_s = time.monotonic() + 4 * lasts_s
        while not self._made(run_id) and time.monotonic() < give_up_s:
            time.sleep(0.001)
        time.sleep(self.random.uniform(0, AFTER_S))

    def _check_after_kill(self, run_id: str) -> None:
        """Check a run's record before anybody has looked up what became of it."""
        made = self._made(run_id)
        if len(made) > 1:
            self.report.faults.append(f"{run_id}: {len(made)} tickets")
        for record in self._records(run_id):
            self.report.found_after_kill[f"{record.state}, {len(made)} made"] += 1
            if record.state in {"succeeded", "verified"} and len(made) != 1:
                self.report.faults.append(f"{run_id} is {record.state} without a ticket")

    def _check_the_end(self, runs: int) -> None:
        for number in range(runs):
            run_id = f"run-{number}"
            made = self._made(run_id)
            self.report.tickets += len(made)
            # A call that another record answers for is no operation of its own.
            own = [record.state for record in self._records(run_id) if record.same_as is None]
            states = own or ["never asked"]
            for state in states:
                self.report.at_the_end[state] += 1
            self._compare(run_id, states, made)

    def _compare(self, run_id: str, states: list[str], made: list[dict[str, object]]) -> None:
        done = sum(state == "verified" for state in states)
        open_ = [s for s in states if s not in {"verified", "failed", "requested", "never asked"}]
        if open_:
            self.report.faults.append(f"{run_id} is left {', '.join(open_)}")
        if done != len(made) or len(made) > 1:
            self.report.faults.append(f"{run_id}: {states}, but {len(made)} tickets")

    def _start_again(self) -> None:
        """Start once more, as a process that nobody kills: it looks up what is unknown."""

        def look_up() -> None:
            with Ledger(self.home / LEDGER) as ledger:
                executor = executor_of(ledger, self.service.url, "the next start")
                executor.verify_pending()
                time.sleep(SETTLE_S)  # what became unknown just now may not be visible yet
                executor.verify_pending()

        _, status = os.waitpid(self._forked(look_up), 0)
        assert status == 0, "the next start ends well"

    def _forked(self, work: Callable[[], None]) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)

    def _made(self, run_id: str) -> list[dict[str, object]]:
        every = read_tickets(self.service.database)
        return [ticket for ticket in every if ticket["title"] == title_of(run_id)]

    def _records(self, run_id: str) -> list[ToolRecord]:
        """Read a run's records as they are; a writer would move those of dead processes."""
        with Ledger(self.home / LEDGER) as ledger:
            return ledger.of_run(run_id)


def crash(runs: int, seed: int, start: str) -> Report:
    """Run the whole test in a folder of its own."""
    with TemporaryDirectory() as folder:
        home = Path(folder)
        with (
            TicketService(home / "tickets.sqlite", jitter_s=JITTER_S) as service,
            STARTS[start](home, SETTLE_S) as started,
        ):
            return CrashTest(home, service, started, seed).run(runs)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--with", dest="start", choices=sorted(STARTS), default="executor")
    arguments = parser.parse_args()
    report = crash(arguments.runs, arguments.seed, arguments.start)
    print(report.shown())
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
