"""``calculate``: figures are computed by a program in a sandbox, not by a model's head.

The sandbox is pydantic-monty: an interpreter of its own without files, network, environment or
packages, in a worker process that is killed where its own limits do not hold. What a program
returns is text, and evidence for the figures of the answer.

>>> with Calculator() as calculator:
...     calculator.run("x = 1200 * 1.25").ok
...     print(calculator.run("print(round(x), 'euros')").text)
True
1500 euros
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

import prompts
from ragqa.agent.calculator.result import MAX_CHARS, bounded, result_text
from ragqa.agent.calculator.tables import CalculationTables
from ragqa.agent.policy import ToolPolicy
from ragqa.ports.tables import ReadRows, Rows

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from pydantic_monty import OSPolicy, ResourceLimits

NAME = "calculate"
MAX_CODE_CHARS = 20_000
_GRACE_S = 1.0
_MAX_PRINTED_BYTES = 4 * MAX_CHARS
_MAX_CALLS_OUT = 500  # of table(), in one run

_MODULES = "math, datetime, decimal, re, json, csv, itertools, collections, functools"
_LOST = "Variables of earlier programs are lost; define again what you need."
_HINTS = (
    ("ModuleNotFoundError", f"Only these modules can be imported: {_MODULES}."),
    ("PermissionError", "There are no files here."),
    ("not supported in this environment", "There is no environment here."),
    ("memory limit exceeded", "Work with less data at a time."),
    ("time limit exceeded", "Find a shorter way to compute it."),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one program may take.

    Attributes:
        timeout_s: Time of execution; a worker that does not stop is killed a second later.
        memory_bytes: Memory of all variables.
        failures: Programs in a row that may fail; after them nothing runs any more.
    """

    timeout_s: float = 5.0
    memory_bytes: int = 64 * 1024 * 1024
    failures: int = 3


@dataclass(frozen=True, slots=True)
class Calculation:
    """What became of a program.

    Attributes:
        text: What it printed and returned, or what is wrong with it; one bounded text.
        ok: Whether it ran to its end.
        lost_state: Whether variables of earlier programs are gone.
    """

    text: str
    ok: bool
    lost_state: bool = False


class Calculator:
    """Runs the programs of one run, one at a time; variables live on from one to the next.

    Safe for threads and event loops. The worker starts with the first program; close the
    calculator when the run ends.

    Args:
        tables: Rows of tables that programs may use, by title, or what reads them.
        limits: What a program may take.
    """

    def __init__(
        self,
        tables: Mapping[str, Rows | ReadRows] | CalculationTables | None = None,
        limits: Limits = Limits(),
    ) -> None:
        self.tables = tables if isinstance(tables, CalculationTables) else CalculationTables(tables)
        self.limits = limits
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._failures = 0

    def run(self, code: str) -> Calculation:
        """Run a program. Never raises for what a program does."""
        patience_s = 4 * (self.limits.timeout_s + _GRACE_S)
        if not self._lock.acquire(timeout=patience_s):
            return Calculation("Other programs are still running. Try again.", ok=False)
        try:
            return self._run(code)
        finally:
            self._lock.release()

    async def arun(self, code: str) -> Calculation:
        """Run a program without blocking the event loop."""
        return await asyncio.to_thread(self.run, code)

    def close(self) -> None:
        """End the worker; variables are gone."""
        with self._lock:
            self._end_worker()

    def __enter__(self) -> Calculator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, code: str) -> Calculation:
        if self._failures >= self.limits.failures:
            return Calculation(
                f"{self._failures} programs have failed in a row. Nothing more can be computed in"
                " this run: answer with what is known, and say what could not be computed.",
                ok=False,
            )
        done = self._tried(code)
        self._failures = 0 if done.ok else self._failures + 1
        return done

    def _tried(self, code: str) -> Calculation:
        if not code.strip():
            return Calculation("There is no program to run.", ok=False)
        if len(code) > MAX_CODE_CHARS:
            return Calculation(f"The program is longer than {MAX_CODE_CHARS} characters.", ok=False)
        if _is_fork_of_user():
            return Calculation("Nothing can be computed here. Answer without it.", ok=False)
        if self._worker is None:
            try:
                self._worker = _Worker(self.limits)
            except (OSError, RuntimeError) as exc:
                text = f"The sandbox cannot be started ({type(exc).__name__}). Answer without it."
                return Calculation(text, ok=False)
        done = self._worker.run(code, self.tables)
        if done.lost_state:
            self._end_worker()
        return done

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()


_users: list[int] = []  # the process in which the sandbox was first used


_inherited: list[_Worker] = []


def _is_fork_of_user() -> bool:
    """Tell whether this process was forked from one that used the sandbox.

    Its client has threads then that a fork has not, and would wait for them for ever.
    """
    return bool(_users) and _users[0] != os.getpid()


class _Worker:
    """One process of the sandbox, with one session in it."""

    def __init__(self, limits: Limits) -> None:
        from pydantic_monty import Monty, MontyError

        _users[:] = [os.getpid()]
        turn_s = limits.timeout_s + 2 * _GRACE_S
        self._pool = Monty(max_processes=1, request_timeout=turn_s, checkout_timeout=10.0)
        self._pool.__enter__()
        try:
            session = self._pool.checkout(limits=_sandbox_limits(limits), os_policy=_NO_SLEEP)
            self._session = session.__enter__()
        except MontyError as exc:
            raise RuntimeError("the sandbox did not start") from exc

    def run(self, code: str, tables: CalculationTables) -> Calculation:
        """Run a program to its end, its limits or its error."""
        from pydantic_monty import CollectString, MontyCrashedError, MontyError

        printed = CollectString(_MAX_PRINTED_BYTES)
        lookup = {"table": tables.rows} if tables else {}
        try:
            value = self._session.feed_run(code, print_callback=printed, external_lookup=lookup)
            return Calculation(result_text(printed.output, value), ok=True)
        except MontyCrashedError as exc:
            reason = "it took too long" if exc.timed_out else "it broke the interpreter"
            return Calculation(f"The program was ended: {reason}. {_LOST}", False, lost_state=True)
        except MontyError as exc:
            return _failed(exc, printed.output)
        except (TimeoutError, RecursionError, OSError, ValueError, RuntimeError) as exc:
            text = f"The result cannot be shown ({type(exc).__name__}): print the figures. {_LOST}"
            return Calculation(text, ok=False, lost_state=True)

    def end(self) -> None:
        """End the process; a fork must not even forget it, since that ends it, too."""
        if _is_fork_of_user():
            _inherited.append(self)
        else:
            self._session.__exit__(None, None, None)
            self._pool.__exit__(None, None, None)


_NO_SLEEP: OSPolicy = {"sleep": "zero"}


def _sandbox_limits(limits: Limits) -> ResourceLimits:
    return {
        "max_feed_duration_secs": limits.timeout_s,
        "max_turn_duration_secs": limits.timeout_s,
        "max_memory": limits.memory_bytes,
        "max_total_sleep_secs": 0.1,
        "max_recursion_depth": 200,
        "max_suspensions": _MAX_CALLS_OUT,
    }


def _failed(exc: Exception, printed: str) -> Calculation:
    """Tell an error of the program so that the model can mend it."""
    display = getattr(exc, "display", None)
    said = display() if callable(display) else str(exc)
    # A limit stops the interpreter anywhere: what is left of its variables cannot be relied on.
    lost = "limit exceeded" in str(exc)
    hints = [hint for sign, hint in _HINTS if sign in said] + ([_LOST] if lost else [])
    lines = [f"The program failed.\n{bounded(said.strip())}"]
    if printed.strip():
        lines.insert(0, bounded(printed.strip()))
    return Calculation("\n".join([*lines, *hints]), ok=False, lost_state=lost)


def calculate_policy(limits: Limits = Limits()) -> ToolPolicy:
    """Return the policy of the tool: it changes nothing, and its argument is a program."""
    timeout_s = 6 * (limits.timeout_s + 2 * _GRACE_S)
    return ToolPolicy(read_only=True, timeout_s=timeout_s, fields={"code": "code"})


def calculate_description(tables: CalculationTables, language: str, limits: Limits) -> str:
    """Return what the model is told of the tool: when to use it, and the tables with types."""
    prompt = prompts.load(NAME, language)
    told = f"\n{prompt.part('tables')}\n{tables.described()}" if tables else ""
    seconds = f"{limits.timeout_s:g} s, {limits.memory_bytes // 2**20} MB."
    return dict(prompt.render(limits=seconds, tables=told))["system"].strip()


def calculate_tool(calculator: Calculator, *, language: str = "en") -> BaseTool:
    """Return the calculator as a LangChain tool; a program that fails raises ToolException.

    Args:
        calculator: Of the run; whoever made it closes it.
        language: Of the description.
    """
    from langchain_core.tools import StructuredTool, ToolException
    from pydantic import Field, create_model

    def told(done: Calculation) -> str:
        if not done.ok:
            raise ToolException(done.text)
        return done.text

    def calculate(code: str) -> str:
        return told(calculator.run(code))

    async def acalculate(code: str) -> str:
        return told(await calculator.arun(code))

    wording = prompts.load(NAME, language).part("code").strip()
    schema: Any = create_model(NAME, code=(str, Field(description=wording, min_length=1)))
    return StructuredTool.from_function(
        func=calculate,
        coroutine=acalculate,
        name=NAME,
        description=calculate_description(calculator.tables, language, calculator.limits),
        args_schema=schema,
    )
