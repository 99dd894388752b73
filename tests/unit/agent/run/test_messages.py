"""Replies are read strictly, and every history is one that services take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage

from ragqa.agent.run.messages import (
    Gathered,
    is_cut_off,
    repaired,
    reply_message,
    unparsable_in,
    with_new_ids,
)

WHOLE = {"finish_reason": "tool_calls"}


def reply(*calls: tuple[str, str, str], reason: str | None = "tool_calls", text: str = "") -> Any:
    return reply_message(text, calls, {"finish_reason": reason}, None)


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        *(("{}", {}), ("", {}), ("  ", {}), ("null", {}), ("[]", {}), ('""', {})),
        *(('{"a": 1}', {"a": 1}), ('"{\\"a\\": 1}"', {"a": 1})),
    ],
)
def test_objects_are_arguments(raw, arguments):
    message = reply(("1", "f", raw))
    assert message.tool_calls[0]["args"] == arguments
    assert not unparsable_in(message)


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": 1, "a": 2}',
        '"{\\"a\\": 1, \\"a\\": 1}"',
        '{"a": 1',
        "[1]",
        "5",
        '"text"',
        "0",
        "false",
        "{'a': 1}",
        "a=1",
        "[" * 5000,
        '{"a": 1}}',
    ],
)
def test_anything_else_is_kept_as_it_came(raw):
    message = reply(("1", "f", raw))
    assert message.tool_calls[0]["args"] == {}
    assert unparsable_in(message) == {"1": raw}


@pytest.mark.parametrize("reason", [None, "length", "content_filter", "refusal"])
def test_calls_of_a_reply_that_did_not_end_are_none(reason):
    message = reply(("1", "f", "{}"), reason=reason, text="so far")
    assert message.tool_calls == []
    assert message.content == "so far"
    assert is_cut_off(message) == (reason in (None, "length"))


def test_ids_are_filled_and_made_unique():
    message = reply(("", "f", "{}"), ("a", "f", "{}"), ("a", "g", "[1]"))
    ids = [call["id"] for call in message.tool_calls]
    assert len(set(ids)) == 3
    assert all(ids)
    assert list(unparsable_in(message)) == [ids[2]]
    renamed = with_new_ids(message, set(ids))
    assert not set(ids) & {call["id"] for call in renamed.tool_calls}
    assert list(unparsable_in(renamed)) == [renamed.tool_calls[2]["id"]]
    assert with_new_ids(message, ()) is message


@given(
    st.lists(
        st.tuples(st.text("abc", min_size=1, max_size=3), st.dictionaries(st.text(), st.text())),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 7),
)
def test_fragments_give_the_same_as_the_whole(calls, size):
    gathered = Gathered()
    for number, (name, arguments) in enumerate(calls):
        raw = json.dumps(arguments)
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        head = {"name": name, "args": "", "id": f"c{number}", "index": number}
        tails = ({"name": None, "args": piece, "id": None, "index": number} for piece in pieces)
        for piece in (head, *tails):
            gathered.take(AIMessageChunk("", tool_call_chunks=[piece]))
    gathered.take(AIMessageChunk("", response_metadata=WHOLE))
    found = [(call["name"], call["args"]) for call in gathered.message().tool_calls]
    assert found == calls


def test_a_history_is_put_in_order():
    first = reply(("1", "f", "{}"), ("2", "g", "{}"), ("3", "h", "{}"))
    messages = [
        HumanMessage("?"),
        ToolMessage("stray", tool_call_id="9"),
        first,
        ToolMessage("two", tool_call_id="2"),
        ToolMessage("one", tool_call_id="1"),
        ToolMessage("two again", tool_call_id="2"),
        AIMessage(""),
        AIMessage("done"),
    ]
    told = repaired(messages)
    assert [type(message).__name__ for message in told] == [
        "HumanMessage",
        "AIMessage",
        "ToolMessage",
        "ToolMessage",
        "ToolMessage",
        "AIMessage",
    ]
    assert [m.content for m in told[2:4]] == ["one", "two"]
    assert told[4].tool_call_id == "3"
    assert told[4].status == "error"
    assert repaired(told) == told
