"""The sandbox: figures come out, nothing else does, and every program ends in time."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import ToolException

from ragqa.agent.calculator.calculate import (
    MAX_CODE_CHARS,
    NAME,
    Calculator,
    Limits,
    calculate_policy,
    calculate_tool,
)
from ragqa.agent.calculator.result import MAX_CHARS, result_text
from ragqa.agent.calculator.tables import typed_rows
from ragqa.agent.tools.definitions import registered_name
from ragqa.contract import Passage
from ragqa.errors import RetrievalError
from ragqa.validation.gate import CheckContext, Passed, Rejected
from ragqa.validation.grounded import FiguresSupported
from tests.unit.validation.answers import response

SHORT = Limits(timeout_s=0.5, memory_bytes=16 * 1024 * 1024)
SALES: list[dict[str, Any]] = [
    {"region": "north", "year": "2023", "sold": "1,200", "price": "9.50", "zip": "0123"},
    {"region": "south", "year": "2023", "sold": "800", "price": "10", "zip": "4567"},
    {"region": "north", "year": "2024", "sold": "1500", "price": "", "zip": "0123"},
]


@pytest.fixture
def calculator() -> Iterator[Calculator]:
    with Calculator(limits=SHORT) as made:
        yield made


def test_it_computes(calculator):
    assert calculator.run("(1500 - 1200) / 1200 * 100").text == "result: 25.0"
    assert calculator.run("print('sum:', sum([1.5, 2.5]))").text == "sum: 4.0"
    days = "import datetime\n(datetime.date(2024, 3, 1) - datetime.date(2024, 2, 1)).days"
    assert calculator.run(days).text == "result: 29"
    exact = "from decimal import Decimal\nDecimal('0.1') + Decimal('0.2')"
    assert calculator.run(exact).text == "result: 0.3"
    assert "Print the figures" in calculator.run("x = 1").text


def test_state_lives_within_a_run_and_no_longer(calculator):
    calculator.run("def growth(a, b): return (b - a) / a\nbase = 80")

    assert calculator.run("growth(base, 100)").text.startswith("result: 0.25")
    calculator.run("base += 1\n1 / 0")
    assert calculator.run("base").text == "result: 81"
    with Calculator() as other:
        assert "NameError" in other.run("base").text


HARMLESS_ENDS = {
    "file": "open('/etc/passwd').read()",
    "write": "open('/tmp/ragqa-escaped', 'w').write('x')",
    "path": "import pathlib\npathlib.Path('/tmp/ragqa-escaped').write_text('x')",
    "glob": "import pathlib\nlist(pathlib.Path('/').iterdir())",
    "list": "import os\nos.listdir('.')",
    "environment": "import os\nos.environ['PATH']",
    "getenv": "import os\nos.getenv('PATH') or 1/0",
    "command": "import os\nos.system('touch /tmp/ragqa-escaped')",
    "fork": "import os\nos.fork()",
    "kill": "import os\nos.kill(1, 9)",
    "socket": "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "http": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1')",
    "connection": "import asyncio\nawait asyncio.open_connection('127.0.0.1', 80)",
    "subprocess": "import subprocess\nsubprocess.run(['id'])",
    "ctypes": "import ctypes\nctypes.string_at(0)",
    "import": "__import__('os').system('id')",
    "importlib": "import importlib\nimportlib.import_module('socket')",
    "builtins": "__builtins__['open']",
    "package": "import numpy",
    "own package": "import ragqa",
    "classes": "().__class__.__bases__[0].__subclasses__()",
    "globals": "(lambda: 0).__globals__['os']",
    "frames": "(i for i in [1]).gi_frame.f_back",
    "code": "(lambda: 0).__code__.replace(co_code=b'')",
    "format": "'{0.__class__.__mro__}'.format(1)",
    "format string": "f'{(1).__class__.__mro__}'",
    "getattr": "getattr(print, '__self__')",
    "eval": "eval(\"__import__('os')\")",
    "exec": 'exec("import socket")',
    "compile": "compile('import os', 'x', 'exec')",
    "input": "input()",
    "breakpoint": "breakpoint()",
    "exit": "import sys\nsys.exit(0)",
    "system exit": "raise SystemExit",
    "interrupt": "raise KeyboardInterrupt",
    "modules": "import sys\nsys.modules['os']",
    "endless": "while True: pass",
    "endless in error": "while True:\n  try:\n    1 / 0\n  except BaseException:\n    pass",
    "endless in error handling": "try:\n  while True: pass\nexcept:\n  while True: pass",
    "long range": "sum(range(10**12))",
    "recursion": "def f(n): return f(n + 1)\nf(0)",
    "mutual recursion": "def f(): return g()\ndef g(): return f()\nf()",
    "power": "10**10**8",
    "shift": "1 << 10**10",
    "factorial": "import math\nmath.factorial(10**8)",
    "digits": "str(10**100000)",
    "precision": "import decimal\ndecimal.getcontext().prec = 10**9\ndecimal.Decimal(1) / 3",
    "text": "'a' * 10**10",
    "list times": "[0] * 10**10",
    "appending": "x = []\nwhile True: x.append('a' * 1000)",
    "doubling": "x = 'a'\nwhile True: x += x",
    "dictionary": "d = {}\nfor i in range(10**9): d[i] = i",
    "padding": "f'{1:>10000000000}'",
    "old padding": "'%10000000000d' % 1",
    "zfill": "'1'.zfill(10**10)",
    "join": "b''.join([b'a'] * 10**9)",
    "replace": "('a' * 10**5).replace('a', 'b' * 10**5)",
    "prints": "while True: print('x' * 1000)",
    "parentheses": "(" * 10_000 + ")" * 10_000,
    "signs": "-" * 19_000 + "1",
    "brackets in json": "import json\njson.loads('[' * 10**5)",
    "null": "x = 1\0",
    "yield": "x = yield",
    "no python": "Please compute 2 + 2!",
    "hash": "hash([])",
}


@pytest.mark.parametrize("code", HARMLESS_ENDS.values(), ids=HARMLESS_ENDS.keys())
def test_hostile_programs_fail_in_time_and_do_no_harm(calculator, code):
    started = time.monotonic()

    done = calculator.run(code)

    assert time.monotonic() - started < 4
    assert not done.ok, done.text
    assert len(done.text) < 2 * MAX_CHARS
    assert "root:" not in done.text
    assert not Path("/tmp/ragqa-escaped").exists()
    assert calculator.run("6 * 7").text == "result: 42"


ODD_VALUES = {
    "sleep": "import time\ntime.sleep(1000)\n1",
    "async sleep": "import asyncio\nawait asyncio.sleep(1000)\n1",
    "catastrophic pattern": "import re\nbool(re.match('(a+)+$', 'a' * 40 + '!'))",
    "deep list": "x = []\nfor i in range(50000): x = [x]\nx",
    "list in itself": "x = []\nx.append(x)\nx",
    "dictionary in itself": "x = {}\nx['x'] = x\nx",
    "huge integer": "10**100000",
    "list of huge integers": "[10**5000] * 100",
    "long text": "'a' * 10**6",
    "many numbers": "list(range(100000))",
    "many decimals": "[i / 7 for i in range(1000)]",
    "function": "def f(): pass\nf",
    "class": "class A:\n  def __repr__(self): return 'x' * 10**6\nA()",
    "type": "int",
    "open itself": "open",
    "nan": "float('nan')",
    "infinity": "[float('inf'), -float('inf')]",
    "decimal nan": "from decimal import Decimal\nDecimal('NaN')",
    "half a character": "'\\ud800'",
    "bytes": "b'\\xff' * 100",
    "ellipsis": "...",
    "set": "{1, 2.5, 'a'}",
    "error as value": "ValueError('x')",
    "range": "range(10**12)",
}


@pytest.mark.parametrize("code", ODD_VALUES.values(), ids=ODD_VALUES.keys())
def test_odd_values_become_one_bounded_text(calculator, code):
    started = time.monotonic()

    done = calculator.run(code)

    assert time.monotonic() - started < 4
    assert 0 < len(done.text) < 2 * MAX_CHARS
    done.text.encode()
    assert calculator.run("6 * 7").text == "result: 42"


def test_errors_tell_what_to_mend(calculator):
    assert "ZeroDivisionError" in calculator.run("a = 0\n1 / a").text
    assert "line 2" in calculator.run("a = 0\n1 / a").text
    calculator.run("1")
    assert "math, datetime" in calculator.run("import statistics").text
    assert "before" in calculator.run("print('before')\n1 / 0").text
    calculator.run("1")
    assert "SyntaxError" in calculator.run("1 +").text
    assert not calculator.run(" \n").ok
    calculator.run("1")
    assert str(MAX_CODE_CHARS) in calculator.run("1 +" * MAX_CODE_CHARS).text


def test_what_runs_out_of_time_or_memory_loses_its_variables_and_says_so(calculator):
    for code in ("while True: pass", "[0] * 10**9"):
        calculator.run("kept = 1")
        done = calculator.run(code)

        assert done.lost_state
        assert "lost" in done.text
        assert "NameError" in calculator.run("kept").text


def test_after_three_failures_in_a_row_nothing_runs_any_more(calculator):
    for _ in range(2):
        calculator.run("1 / 0")
    assert calculator.run("1").ok
    for _ in range(3):
        assert "ZeroDivisionError" in calculator.run("1 / 0").text

    done = calculator.run("1")

    assert not done.ok
    assert "could not be computed" in done.text


def test_a_killed_worker_is_a_counted_failure_and_replaced(calculator):
    calculator.run("x = 1")
    worker = calculator._worker._session.worker_pid
    killer = threading.Timer(0.1, os.kill, (worker, 9))
    killer.start()

    done = calculator.run("while True: pass")

    assert not done.ok
    assert done.lost_state
    assert calculator.run("2").text == "result: 2"


def test_threads_and_tasks_take_turns(calculator):
    calculator.run("count = 0")
    threads = [threading.Thread(target=calculator.run, args=("count += 1",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def more() -> None:
        await asyncio.gather(*(calculator.arun("count += 1") for _ in range(8)))

    asyncio.run(more())
    asyncio.run(more())
    assert calculator.run("count").text == "result: 24"


async def test_a_long_program_does_not_stop_the_event_loop(calculator):
    task = asyncio.create_task(calculator.arun("while True: pass"))
    ticks = 0
    while not task.done():
        await asyncio.sleep(0.02)
        ticks += 1

    assert ticks > 5
    assert not task.result().ok


def test_workers_end_with_their_run():
    calculator = Calculator(limits=SHORT)
    calculator.run("1")
    worker = calculator._worker._session.worker_pid
    calculator.close()
    calculator.close()
    assert _is_gone(worker)

    dropped = Calculator(limits=SHORT)
    dropped.run("1")
    worker = dropped._worker._session.worker_pid
    del dropped
    gc.collect()
    assert _is_gone(worker)


def _is_gone(pid: int, within_s: float = 5) -> bool:
    until_s = time.monotonic() + within_s
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until_s:
        time.sleep(0.02)
    return not Path(f"/proc/{pid}").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_of_a_process_that_computes_says_that_it_cannot(calculator):
    calculator.run("x = 1")
    pid = os.fork()
    if pid == 0:
        told = not calculator.run("x").ok and not Calculator().run("1").ok
        calculator.close()
        os._exit(0 if told else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert calculator.run("x").text == "result: 1"


# --- tables -------------------------------------------------------------------------------------


def test_tables_are_typed_and_shown_first():
    with Calculator({"sales.csv": SALES}) as calculator:
        tool = calculate_tool(calculator)

        assert (
            "'sales.csv': 3 rows; columns: 'region' text, 'year' int, 'sold' int,"
            " 'price' float, 'zip' text" in tool.description
        )
        code = "sum(row['sold'] for row in table('sales.csv') if row['region'] == 'north')"
        assert calculator.run(code).text == "result: 2700"
        assert calculator.run("table('sales.csv')[2]['price'] is None").text == "result: True"
        assert calculator.run("table('sales.csv')[0]['zip']").text == "result: 0123"
        assert "there are: 'sales.csv'" in calculator.run("table('costs.csv')").text
        assert not calculator.run("table(open)").ok


def test_a_program_cannot_change_a_table_for_later_ones():
    with Calculator({"sales.csv": SALES}) as calculator:
        calculator.run("table('sales.csv').clear()\ntable('sales.csv')[0]['sold'] = 0")

        assert calculator.run("table('sales.csv')[0]['sold']").text == "result: 1200"


def test_tables_that_are_too_long_or_cannot_be_read_are_told():
    def unreadable() -> Any:
        raise RetrievalError("The index is gone.")

    tables = {"long.csv": [{"a": "1"}] * 20_001, "gone.csv": unreadable}
    with Calculator(tables) as calculator:
        assert "20001 rows" in calculate_tool(calculator).description
        assert "The index is gone." in calculator.run("table('gone.csv')").text


def test_columns_are_numbers_only_if_all_cells_are():
    rows = [
        {"a": "1", "b": "1.5", "c": "1", "d": "007", "e": "", "f": "-3", "g": "1,5"},
        {"a": "2", "b": "2", "c": "x", "d": "12", "e": "", "f": "1e3", "g": "2,5"},
    ]
    assert typed_rows(rows) == [
        {"a": 1, "b": 1.5, "c": "1", "d": "007", "e": None, "f": -3.0, "g": "1,5"},
        {"a": 2, "b": 2.0, "c": "x", "d": "12", "e": None, "f": 1000.0, "g": "2,5"},
    ]


# --- the tool -----------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tool_has_a_definition_that_holds(calculator, language):
    tool = calculate_tool(calculator, language=language)
    assert tool.name == NAME
    assert registered_name("own", tool.description, tool.tool_call_schema) == "own"
    assert tool.tool_call_schema.model_json_schema()["required"] == ["code"]
    assert calculate_policy(SHORT).read_only
    assert ("程序" in tool.description) == (language == "zh")


async def test_the_tool_returns_text_and_raises_for_failures(calculator):
    tool = calculate_tool(calculator)

    assert tool.invoke({"code": "1 + 1"}) == "result: 2"
    assert await tool.ainvoke({"code": "1 + 2"}) == "result: 3"
    for call in (tool.invoke, lambda args: asyncio.run(tool.ainvoke(args))):
        with pytest.raises(ToolException, match="ZeroDivisionError"):
            await asyncio.to_thread(call, {"code": "1 / 0"})


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("2500 / 7", "Each gets 357.14 euros."),
        ("2500 / 7", "每人约357元。"),
        ("4 / 26", "The share is 15.4%."),
        ("4 / 26", "占比为15.38%。"),
        ("[1200 * 1.0835]", "It will be 1,300.2 euros."),
        ("import datetime\ndatetime.date(2024, 3, 1)", "It ends on March 1, 2024."),
        ("123 * 10000", "共计123万元。"),
        ("print(f'{1/3:.1%}')", "That is 33.3%."),
    ],
)
def test_computed_figures_are_evidence(calculator, code, answer):
    evidence = (calculator.run(code).text,)
    passages = (Passage(id="a", title="a.md", text="Nothing of it."),)
    context = CheckContext(titles=("a.md",), passages=passages)
    value = response(answer=answer, sources=["a.md"])

    assert isinstance(FiguresSupported().check(value, context), Rejected)
    supported = CheckContext(titles=("a.md",), passages=passages, evidence=evidence)
    assert isinstance(FiguresSupported().check(value, supported), Passed)


def test_results_show_plain_values():
    assert result_text("", {"a": (1, 2.5)}) == "result: {a: (1, 2.5)}"
    assert result_text("", Decimal("1.10")) == "result: 1.10"
    assert result_text("a\n", None) == "a"
    assert "0.3333, 0.33, 0.3, 33.33%, 33.3%, 33%" in result_text("", 1 / 3)
