import subprocess
import sys
from pathlib import Path

import pytest

import ragqa
from ragqa import __version__
from ragqa.__main__ import main
from ragqa.cli.run import COMMANDS


def said(capsys, *argv):
    code = main(list(argv))
    streams = capsys.readouterr()
    return code, streams.out, streams.err


def test_version(capsys):
    assert said(capsys, "--version") == (0, f"ragqa {__version__}\n", "")


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_of_every_command(capsys, command):
    code, out, err = said(capsys, *command, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: ragqa{''.join(f' {name}' for name in command)} ")
    assert "example" in out or not command


@pytest.mark.parametrize("action", ["approve", "refuse"])
def test_help_on_a_decision_says_how_the_run_goes_on(capsys, action):
    code, out, _ = said(capsys, "runs", action, "--help")
    assert code == 0
    assert "ragqa runs show ID" in out
    assert "RAGQA_TOOLS=module:factory" in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("argv", "named"),
    [
        (["aks", "x"], "Did you mean 'ask'?"),
        (["serach", "x"], "Did you mean 'search'?"),
        (["How long is delivery?"], 'To ask: ragqa ask "…"'),
        (["runs", "shwo", "last"], "Did you mean 'show'?"),
        (["runs", "replay", "last"], "Known: list, show, sample"),
        (["runs", "--replay", "last"], "--replay stands behind its action: ragqa runs show"),
        (["runs", "--since=7d"], "--since stands behind its action: ragqa runs"),
        (["ask", "x", "--jsn"], "Did you mean --json?"),
        (["ask", "x", "--doc=a"], "Did you mean --docs?"),
        (["ask", "x", "--nothing-like-it"], "ragqa ask --help"),
        (["ask", "How", "long"], "Put the question in quotes."),
        (["ask", "-how"], "there is no option -how"),
        (["check", "a reply"], "See: ragqa check --help"),
        (["search", "x", "--k", "0"], "'0' is no whole number from 1 to 100"),
        (["search", "x", "--k", "many"], "'many' is no whole number from 1 to 100"),
        (["index"], "PATH"),
        (["index", "x", "--to", "cloud"], "cloud"),
        (["--verison"], "Did you mean --version?"),
        ([], "usage: ragqa"),
        (["ask", "\udcff\udcfe", "--jsn"], "Did you mean --json?"),
    ],
)
def test_usage_errors_exit_with_2_and_say_what_was_meant(capsys, argv, named):
    code, out, err = said(capsys, *argv)
    assert (code, out) == (2, "")
    assert named in err
    assert "Traceback" not in err


@pytest.mark.parametrize("blank", ["", "   ", "\n", "\u200b\ufeff", "\x00"])
def test_an_empty_question_is_refused_before_any_work(capsys, tmp_path, monkeypatch, blank):
    monkeypatch.chdir(tmp_path)
    code, out, err = said(capsys, "ask", blank, "--docs", "nowhere")
    assert (code, out) == (2, "")
    assert "question is empty" in err
    assert not list(tmp_path.iterdir())


def test_an_overlong_question_is_refused_before_any_work(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = said(capsys, "ask", "why " * 2000, "--docs", "nowhere")
    assert (code, out) == (2, "")
    assert "at most" in err
    assert not list(tmp_path.iterdir())


def test_ask_without_a_question_explains(capsys):
    code, out, err = said(capsys, "ask")
    assert (code, out) == (2, "")
    assert 'ragqa ask "' in err


def test_wrong_settings_are_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGQA_TOP_K", "many")
    code, out, err = said(capsys, "ask", "How long?")
    assert (code, out) == (2, "")
    assert "RAGQA_TOP_K is 'many' (environment)" in err


@pytest.mark.parametrize(("said_so", "shown"), [("false", False), ("off", False), ("yes", True)])
def test_wrong_settings_show_a_traceback_on_request_only(
    capsys, tmp_path, monkeypatch, said_so, shown
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGQA_TOP_K", "many")
    monkeypatch.setenv("RAGQA_DEBUG", said_so)
    code, _, err = said(capsys, "ask", "How long?")
    assert (code, "Traceback" in err) == (2, shown)


@pytest.mark.parametrize("source", ["environment", ".env"])
def test_a_traceback_is_shown_on_request_only(capsys, tmp_path, monkeypatch, source):
    monkeypatch.chdir(tmp_path)
    if source == ".env":
        (tmp_path / ".env").write_text("RAGQA_DEBUG=true\n")
    else:
        monkeypatch.setenv("RAGQA_DEBUG", "1")
    code, out, err = said(capsys, "ask", "")
    assert (code, out) == (2, "")
    assert "Traceback" in err


def test_a_missing_package_is_named_with_what_to_do(tmp_path):
    """A clone that was never installed: ``-S`` leaves the packages of the interpreter out."""
    done = subprocess.run(
        [sys.executable, "-S", "-m", "ragqa", "ask", "x"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(ragqa.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "The package pydantic is not installed" in done.stderr
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_home_of_nobody_is_refused(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGQA_HOME", "~no-such-user-here/x")
    code, out, err = said(capsys, "ask", "x")
    assert (code, out) == (2, "")
    assert "RAGQA_HOME is '~no-such-user-here/x'" in err


def test_a_folder_named_like_a_home_of_nobody_is_a_folder(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "~no-such-user-here").mkdir()
    (tmp_path / "~no-such-user-here/a.txt").write_text("Thirty days.")
    code, out, _ = said(capsys, "index", "~no-such-user-here", "--json")
    assert code == 0
    assert '"added": 1' in out
