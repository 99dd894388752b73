"""Folders and packages that bear the names of ours."""

import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import environment

FOREIGN = {
    "chains/__init__.py": "raise SystemExit('foreign chains')",
    "prompts/__init__.py": "raise SystemExit('foreign prompts')",
    "json.py": "raise SystemExit('foreign json')",
    "tantivy.py": "raise SystemExit('foreign tantivy')",
    "docs/a.md": "Delivery takes 3 days.",
}


def test_those_of_the_working_directory_do_not_count(shell):
    shell.write({name: text for name, text in FOREIGN.items() if name != "json.py"})
    done = shell("ask", "How long does delivery take?", "--docs", "docs")
    assert done.code == 0, done.err
    assert "3 days" in done.json["response"]["answer"]


def test_one_that_still_wins_is_named_with_both_paths(shell):
    shell.write(
        {"other/prompts/__init__.py": "raise SystemExit('foreign')", "docs/a.md": "3 days."}
    )
    from tests.cli.conftest import ROOT

    other = shell.folder / "other"
    done = shell("ask", "How long?", "--docs", "docs", PYTHONPATH=f"{other}:{ROOT}")
    assert (done.code, done.out) == (2, "")
    assert str(other / "prompts") in done.err
    assert str(ROOT / "prompts") in done.err


OWN_TOOLS = {"own_tools.py": "def tools():\n    raise RuntimeError('own tools were found')\n"}


def test_own_tools_of_the_working_directory_are_found_by_the_installed_command(shell):
    shell.write(OWN_TOOLS)
    with_tools = environment(RAGQA_TOOLS="own_tools:tools", OPENAI_BASE_URL="http://127.0.0.1:9/v1",
                             RAGQA_CHAT_MODEL="m", PYTHONPATH=None)  # fmt: skip
    program = Path(sys.executable).with_name("ragqa")
    for started in ([str(program)], [sys.executable, "-m", "ragqa"]):
        done = subprocess.run(
            [*started, "ask", "Send it.", "--chain", "agent"],
            cwd=shell.folder, env=with_tools, capture_output=True, encoding="utf-8", timeout=60,
            check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, "")
        assert "own tools were found" in done.stderr


def test_a_safe_path_stays_safe(shell):
    shell.write(OWN_TOOLS)
    done = shell("ask", "Send it.", "--chain", "agent", RAGQA_TOOLS="own_tools:tools",
                 OPENAI_BASE_URL="http://127.0.0.1:9/v1", RAGQA_CHAT_MODEL="m",
                 PYTHONSAFEPATH="1")  # fmt: skip
    assert done.code == 2
    assert "in the current folder" in done.err
