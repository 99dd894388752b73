"""Whatever the standard streams and the arguments are like, the command ends cleanly."""

import json
import os
import signal
import subprocess

import pytest

from tests.cli.conftest import command, environment
from tests.cli.screen import run_on_screen

QUESTION = "How do I change the language?"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and signals of POSIX")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "gbk", "cp1252:strict"])
@pytest.mark.parametrize("flag", [[], ["--json"]])
def test_a_small_code_page_loses_no_answer(shop, encoding, flag):
    done = shop("ask", QUESTION, *flag, text=False, PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert b"UnicodeEncodeError" not in done.stderr
    answer = json.loads(done.stdout.decode(encoding.partition(":")[0]))
    assert "Menu → 设置" in answer["response"]["answer"]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_terminal_with_a_small_code_page_gets_escapes(shop, encoding):
    code, shown = run_on_screen(shop, "ask", QUESTION, PYTHONIOENCODING=encoding)
    assert code == 0
    assert "\\u8bbe\\u7f6e" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize(
    "args", [["ask", QUESTION], ["search", QUESTION], ["--help"], ["ask", QUESTION, "--stream"]]
)
def test_a_reader_that_leaves_is_no_error(shop, args):
    process = shop.start(*args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 0
    assert err == b""


def run(shop, words):
    """Run a command, whose words may be bytes that no encoding knows."""
    return subprocess.run(
        words,
        cwd=shop.folder,
        env=environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )


def in_bash(shop, args, behind):
    """Run the command in a shell, with pipes or redirections behind it."""
    words = " ".join(f"'{word}'" for word in command(*args))
    return run(shop, ["bash", "-o", "pipefail", "-c", f"{words} {behind}"])


def test_head_sees_its_line(shop):
    done = in_bash(shop, ["search", QUESTION], "| head -1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["retrieval_only"] is True


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
def test_an_output_that_takes_nothing_is_reported(shop, redirection):
    done = in_bash(shop, ["ask", QUESTION], redirection)
    assert done.returncode == 1
    assert b"standard output cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "<&-", "<&- 2>&-"])
def test_other_streams_may_be_closed(shop, redirection):
    done = in_bash(shop, ["ask", QUESTION], redirection)
    assert done.returncode == 0
    assert "response" in json.loads(done.stdout)


def test_closed_streams_do_not_end_up_in_the_index(shell):
    shell.write({"docs/a.txt": "Delivery takes 3 days."})
    in_bash(shell, ["index", "docs"], "<&- >&- 2>&-")
    done = shell("ask", "How long does delivery take?")
    assert "3 days" in done.json["response"]["answer"]


@pytest.mark.parametrize("raw", [b"How long \xff\xfe is delivery?", b"\xe4\xb8 delivery"])
def test_odd_bytes_in_a_question_are_dropped(shop, raw):
    done = run(shop, [*map(os.fsencode, command("ask")), raw])
    assert done.returncode == 0, done.stderr
    assert "response" in json.loads(done.stdout)


@pytest.mark.parametrize("args", [["--do\udcffcs", "x"], ["--chain", "\udcff"]])
def test_odd_bytes_in_options_are_usage_errors(shop, args):
    done = run(shop, [os.fsencode(word) for word in command("ask", "x", *args)])
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr


def test_a_file_with_an_odd_name_is_named_as_such(shell):
    name = b"caf\xe9.txt"
    path = os.path.join(os.fsencode(shell.folder), name)  # noqa: PTH118 -- bytes
    with open(path, "w") as file:  # noqa: PTH123
        file.write("Delivery takes 3 days.")
    done = run(shell, [*map(os.fsencode, command("ask", "How long is delivery?", "--docs")), name])
    assert (done.returncode, done.stdout) == (4, b"")
    assert b"caf\\udce9.txt" in done.stderr
    assert b"Rename it." in done.stderr
    assert b"Traceback" not in done.stderr


def interrupted(process):
    """Send Ctrl-C, and return what was said until the end."""
    process.send_signal(signal.SIGINT)
    try:
        return process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


def test_interrupt_ends_without_a_traceback(shop, silent_service):
    process = shop.start(
        "ask",
        QUESTION,
        env={"OPENAI_BASE_URL": silent_service.url, "RAGQA_CHAT_MODEL": "m"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    silent_service.wait_for_request()
    out, err = interrupted(process)
    assert process.returncode == 130
    assert (out, err) == (b"", b"")


def test_interrupt_of_many_questions_ends_at_once(shop, silent_service, tmp_path):
    questions = tmp_path / "q.jsonl"
    questions.write_text("".join(f'"How long is delivery {n}?"\n' for n in range(20)))
    process = shop.start(
        "ask",
        "--file",
        str(questions),
        "--out",
        str(tmp_path / "a.jsonl"),
        env={"OPENAI_BASE_URL": silent_service.url, "RAGQA_CHAT_MODEL": "m"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    silent_service.wait_for_request()
    out, err = interrupted(process)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err


def test_colours_on_a_terminal_and_none_where_nobody_wants_them(shop):
    assert "\x1b[1m" in run_on_screen(shop, "ask", QUESTION)[1]
    assert "\x1b[" not in run_on_screen(shop, "ask", QUESTION, NO_COLOR="1")[1].replace(
        "\x1b[K", ""
    )


@pytest.mark.parametrize(
    "env", [{}, {"LC_ALL": "C", "PYTHONUTF8": "0"}], ids=["UTF-8", "ASCII alone"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_a_question_comes_in_any_encoding(shop, env, encoding):
    typed = "多少天内可以退货？".encode(encoding)
    piped = shop("ask", "-", stdin=typed, **env).json["response"]
    assert piped["sources"] == ["退货政策.md"]
    assert shop("ask", os.fsdecode(typed), **env).json["response"] == piped
    found = shop("search", os.fsdecode(typed), **env).json["passages"]
    assert found[0]["title"] == "退货政策.md"
