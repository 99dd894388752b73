"""``ragqa chat`` as people and programs use it: pipes, a terminal, interrupts."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import time

import pytest

from tests.cli.conftest import HEED_INTERRUPTS, command, environment
from tests.contract.redis_server import RedisServer, free_port, is_there
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer

WAIT_S = 30


def rows(done):
    return [json.loads(line) for line in done.out.splitlines()]


def test_each_line_of_a_pipe_is_a_question(shop):
    lines = "How long can a kettle be returned?\n\nand the lamp?\nHow long is standard delivery?\n"
    done = shop("chat", "--json", stdin=lines.encode())
    assert done.code == 0, done.err
    first, second, third = rows(done)
    assert "30 days" in first["response"]["answer"]
    assert "14 days" in second["response"]["answer"]
    assert "working days" in third["response"]["answer"]
    (session,) = {row["session_id"] for row in (first, second, third)}
    assert f"session: {session}" in done.err


def test_a_session_goes_on_in_another_process_and_in_ask(shop):
    shop("chat", "--session", "on", stdin=b"How long can a kettle be returned?\n")
    done = shop("ask", "and the lamp?", "--session", "on", "--json")
    assert "14 days" in done.json["response"]["answer"]
    assert done.json["session_id"] == "on"


def test_chinese_and_bytes_that_are_no_text(shop):
    lines = "﻿签收后多久内可退货？\n那灯具呢？\n".encode() + b"\xff\xfe\xfa\n"
    done = shop("chat", stdin=lines)
    answers = [row["response"]["answer"] for row in rows(done)]
    assert "30天" in answers[0]
    assert "14天" in answers[1]
    assert len(answers) == 3


def test_commands(shop):
    lines = (
        "How long can a kettle be returned?\n/history\n/forget\n/history\n/help\n/wat\n/quit\nno\n"
    )
    done = shop("chat", "--session", "commands", stdin=lines.encode())
    assert done.code == 0
    assert len(rows(done)) == 1
    assert "> How long can a kettle be returned?" in done.err
    assert "deleted" in done.err
    assert "nothing to show" in done.err
    assert "/new" in done.err
    assert "no command /wat" in done.err


def test_what_is_forgotten_is_gone(shop):
    shop("chat", "--session", "gone", stdin=b"How long can a kettle be returned?\n/forget\n")
    done = shop("chat", "--session", "gone", stdin=b"/history\n")
    assert "nothing to show" in done.err
    content = b"".join(
        path.read_bytes() for path in (shop.folder / ".ragqa").glob("sessions.sqlite")
    )
    assert b"gone" not in content or b"kettle be returned?" not in content.split(b"gone")[-1]


@pytest.mark.parametrize("name", ["", " ", "x" * 300])
@pytest.mark.parametrize("verb", ["ask", "chat"])
def test_what_no_session_can_be_called(shop, verb, name):
    question = ["How long is delivery?"] if verb == "ask" else []
    done = shop(verb, *question, "--session", name, stdin=b"")
    assert done.code == 2
    assert "session" in done.err
    assert done.out == ""


def test_an_index_is_needed(shell):
    done = shell("chat", stdin=b"How long is delivery?\n")
    assert done.code == 4
    assert done.out == ""


def test_without_a_session_no_store_is_opened(shell):
    shell.write({"a.txt": "Standard delivery takes 3 to 5 working days.\n"})
    assert shell("ask", "How long is delivery?", "--docs", "a.txt").code == 0
    assert not (shell.folder / ".ragqa" / "sessions.sqlite").exists()
    assert shell("ask", "How long is delivery?", "--session", "s").code == 0
    assert (shell.folder / ".ragqa" / "sessions.sqlite").stat().st_mode & 0o077 == 0


def test_a_session_of_somebody_else(shop):
    from ragqa.ports import PastTurn
    from ragqa.sessions.embedded import EmbeddedSessions

    store = EmbeddedSessions(shop.folder / ".ragqa" / "sessions.sqlite", lifetime_s=1e6)
    store.remember("theirs", "somebody", PastTurn("r", "q"))
    store.close()
    for verb in (["ask", "How long is delivery?"], ["chat"]):
        done = shop(*verb, "--session", "theirs", stdin=b"q?\n")
        assert done.code == 8
        assert done.out == ""


def test_a_busy_session(shop):
    from ragqa.sessions.embedded import EmbeddedSessions

    store = EmbeddedSessions(shop.folder / ".ragqa" / "sessions.sqlite", lifetime_s=1e6)
    with store.hold("busy", "local", "r", 0):
        done = shop("ask", "How long is delivery?", "--session", "busy", RAGQA_SESSION_WAIT_S="0.2")
    store.close()
    assert done.code == 7
    assert done.out == ""
    assert "busy" in done.err


def test_a_redis_that_is_away(shop):
    url = f"redis://:pass-word-77@127.0.0.1:{free_port()}/0"
    done = shop("ask", "How long is delivery?", "--session", "s", RAGQA_REDIS_URL=url)
    assert done.code == 7
    assert done.out == ""
    assert "RAGQA_REDIS_URL" in done.err
    assert "pass-word-77" not in done.err


@pytest.mark.skipif(not is_there(), reason="there is no redis-server")
def test_a_redis_keeps_the_conversation(shop, tmp_path):
    with RedisServer(tmp_path, password="pass-word-78") as server:
        url = {"RAGQA_REDIS_URL": server.url}
        shop("ask", "How long can a kettle be returned?", "--session", "r", **url)
        done = shop("ask", "and the lamp?", "--session", "r", "--json", **url)
    assert "14 days" in done.json["response"]["answer"]


def test_a_killed_ask_frees_its_session(shop):
    with OpenAIServer(always=Reply("x", delay_s=60)) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "RAGQA_CHAT_MODEL": "m"}
        process = shop.start("ask", "How long is delivery?", "--session", "killed", env=env)
        _until(lambda: server.chats)
        process.kill()
        process.wait(WAIT_S)
    done = shop("ask", "How long is delivery?", "--session", "killed", "--json")
    assert done.code == 0
    done = shop("chat", "--session", "killed", stdin=b"/history\n")
    assert done.err.count("> How long is delivery?") == 1


class Terminal:
    """A person at a terminal."""

    def __init__(self, shell, *args, **env):
        self._outer, inner = pty.openpty()
        heeding = ["-c", HEED_INTERRUPTS, *command(*args)]
        self.process = subprocess.Popen(
            [command()[0], *heeding],
            cwd=shell.folder,
            env=environment(TERM="dumb", COLUMNS="80", **env),
            stdin=inner,
            stdout=inner,
            stderr=inner,
            start_new_session=True,
        )
        os.close(inner)
        self.shown = ""

    def type(self, text):
        os.write(self._outer, text.encode())

    def interrupt(self):
        time.sleep(0.3)  # readline prints its prompt a moment before it heeds signals
        self.process.send_signal(signal.SIGINT)

    def until(self, pattern):
        """Read until something is shown, and return all that came before it."""
        deadline_s = time.monotonic() + WAIT_S
        while not (match := re.search(pattern, self.shown)):
            assert time.monotonic() < deadline_s, f"no {pattern!r} in {self.shown!r}"
            ready, _, _ = select.select([self._outer], [], [], 0.1)
            if ready:
                try:
                    self.shown += os.read(self._outer, 65536).decode(errors="replace")
                except OSError:
                    assert re.search(pattern, self.shown), f"no {pattern!r} in {self.shown!r}"
        seen, self.shown = self.shown[: match.end()], self.shown[match.end() :]
        return seen

    def close(self):
        self.process.kill()
        self.process.wait(WAIT_S)
        os.close(self._outer)


@pytest.fixture
def at_terminal():
    opened = []

    def start(shell, *args, **env):
        opened.append(Terminal(shell, *args, **env))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def test_a_person_talks_and_leaves(shop, at_terminal):
    person = at_terminal(shop, "chat")
    session = re.search(r"Session (chat-\w+)", person.until("> "))[1]
    person.type("How long can a kettle be returned?\n")
    person.until("30 days(.|\n)*> ")
    person.type("and the lamp?\n")
    person.until("14 days(.|\n)*> ")
    person.interrupt()
    person.until("Ctrl-D or /quit(.|\n)*> ")
    person.type("\x04")
    person.until(f"ragqa chat --session {session}")
    assert person.process.wait(WAIT_S) == 0
    again = at_terminal(shop, "chat", "--session", session)
    again.until("2 earlier turns(.|\n)*> ")
    again.type("\x1b[A")  # the arrow brings the last question back
    again.until("and the lamp")


def test_ctrl_c_cancels_the_answer_under_way_and_the_talk_goes_on(shop, at_terminal):
    good = {
        "answer": "Standard delivery takes 3 to 5 working days.", "confidence": 0.9,
        "category": "policy", "sources": ["delivery.txt"], "follow_up": [], "needs_human": False,
    }  # fmt: skip
    script = [Reply(json.dumps(good), delay_s=60), json.dumps(good)]
    with OpenAIServer(script) as server:
        person = at_terminal(shop, "chat", OPENAI_BASE_URL=server.base_url, RAGQA_CHAT_MODEL="m")
        person.until("> ")
        person.type("How long is delivery, by the way?\n")
        _until(lambda: server.chats)
        person.interrupt()
        person.until("Cancelled(.|\n)*> ")
        person.type("How long is delivery?\n")
        person.until("working days(.|\n)*> ")
        person.type("/history\n")
        shown = person.until("> How long is delivery\\?(.|\n)*> ")
        assert "by the way" not in shown
        person.type("/quit\n")
        assert person.process.wait(WAIT_S) == 0


def _until(true):
    deadline_s = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)
