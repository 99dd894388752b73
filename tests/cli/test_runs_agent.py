"""``ragqa runs`` with runs of the agent: messages, tools, decisions in another process."""

import json

import pytest

from tests.cli import kettle
from tests.cli.kettle import GOOD, QUESTION
from tests.cli.screen import run_on_screen
from tests.wire.agent_play import acted, calls, final, search
from tests.wire.openai_server import OpenAIServer

ANSWER = GOOD["answer"]
TOOLS = '''
from pathlib import Path
from ragqa.agent.policy import ToolPolicy

def send_note(to: str, text: str) -> str:
    """Send a note to somebody; use it when asked to tell a person something."""
    with Path("sent.txt").open("a") as file:
        file.write(f"{to}: {text}\\n")
    return f"Sent to {to}."

def factory():
    return [send_note], {"send_note": ToolPolicy(approval=True, effect="sent")}
'''
NOTE = ("send_note", {"to": "ann@example.com", "text": "Kettles: 30 days."})


@pytest.fixture
def own(own):
    own.write({"note_tools.py": TOOLS})
    return own


def at(server, **environ):
    return kettle.at(server, RAGQA_CHAIN="agent", RAGQA_CACHE="off", **environ)


def test_the_messages_and_tools_of_a_run_are_shown(own):
    with OpenAIServer([search("return kettle"), final(ANSWER)]) as server:
        answer = own("ask", QUESTION, **at(server)).json
    assert answer["status"] == "answered"
    shown = own("runs", "show", "last").json
    (call,) = shown["calls"]
    assert "search_documents" in call["tools"]
    called = next(m["tool_calls"][0] for m in call["messages"] if "tool_calls" in m)
    results = [m for m in call["messages"] if m["role"] == "tool"]
    assert called["name"] == "search_documents"
    assert [m["tool_call_id"] for m in results] == [called["id"]]
    assert shown["answer"]["tools"][0]["state"] == answer["tools"][0]["state"]
    _, text = run_on_screen(own, "runs", "show", "last")
    assert "tools offered: search_documents" in text
    assert f"search_documents {called['id']}" in text.replace("\n", "")


def test_a_run_without_a_tool_call_says_so(own):
    lame = final("It is 30 days.", sources=["returns.md"])
    with OpenAIServer([lame, lame]) as server:
        own("ask", QUESTION, **at(server))
    assert own("runs", "show", "last").json["stage"] == "no tool call"


@pytest.mark.parametrize(("word", "state"), [("approve", "approved"), ("refuse", "refused")])
def test_a_decision_is_carried_out_in_another_process(own, word, state):
    sent = own.folder / "sent.txt"
    told = acted(
        "I have sent the note to Ann." if word == "approve" else "I did not send the note."
    )
    with OpenAIServer([calls(NOTE), told, told]) as server:
        env = at(server, RAGQA_TOOLS="note_tools:factory", PYTHONPATH=_with(own.folder))
        waiting = own("ask", "Tell Ann about kettles.", **env).json
        assert (waiting["status"], waiting["reason"]) == ("waiting", "approval")
        shown = own("runs", "show", waiting["run_id"], **env).json
        assert shown["state"] == "requires_action"
        assert shown["waiting"][0]["arguments"] == NOTE[1]  # whoever decides sees what is real
        assert "ann@example.com" not in json.dumps(shown["answer"])
        assert not sent.exists()
        done = own("runs", word, waiting["run_id"], **env)
        assert done.code == 0
        assert (done.json["decision"], done.json["resumed"]) == (state, True)
        assert sent.exists() == (word == "approve")
        after = own("runs", "show", waiting["run_id"]).json
        assert after["state"] in ("completed", "failed")
        assert own("runs", word, waiting["run_id"], **env).code == 2
    if word == "approve":
        assert sent.read_text() == "ann@example.com: Kettles: 30 days.\n"


def test_without_the_tools_the_decision_is_recorded_alone(own):
    with OpenAIServer([calls(NOTE)]) as server:
        env = at(server, PYTHONPATH=_with(own.folder))
        run_id = own("ask", "Tell Ann.", **env, RAGQA_TOOLS="note_tools:factory").json["run_id"]
        done = own("runs", "approve", run_id, **env)
    assert (done.code, done.json["resumed"], done.json["answer"]) == (0, False, None)
    assert "RAGQA_TOOLS" in done.err


def test_nothing_of_a_forgotten_run_that_waited_is_left(own):
    with OpenAIServer([calls(NOTE)]) as server:
        env = at(server, RAGQA_TOOLS="note_tools:factory", PYTHONPATH=_with(own.folder))
        run_id = own("ask", "Tell Ann about pelicans.", **env).json["run_id"]
        held = [path.name for path in _holding(own, b"pelicans")]
        assert {"agent_steps.sqlite", "runs.sqlite"} <= set(held)
        assert own("runs", "forget", run_id).json == {"forgotten": 1}
        assert own("runs", "approve", run_id, **env).code == 2
    assert _holding(own, b"pelicans") == []
    assert _holding(own, b"ann@example.com") == []


def _holding(own, text):
    files = [path for path in (own.folder / ".ragqa").rglob("*") if path.is_file()]
    return [path for path in files if text in path.read_bytes()]


def test_a_run_with_tools_is_not_replayed_and_it_says_so(own):
    with OpenAIServer([search(), final(ANSWER)]) as server:
        own("ask", QUESTION, **at(server))
    replay = own("runs", "show", "last", "--replay")
    assert (replay.code, replay.json["replayed"]) == (0, False)
    assert "tools" in replay.json["reason"]


def _with(folder):
    from tests.cli.conftest import ROOT

    return f"{ROOT}:{folder}"
