from __future__ import annotations

import json
from typing import Any

import pytest

from ragqa.providers.event_text import events_in
from ragqa.providers.normal import (
    REFUSAL,
    FaultInReplyError,
    MalformedReplyError,
    NoServiceError,
    StreamShape,
    whole_reply,
)
from ragqa.providers.tool_calls import MARK, whole_calls

CALL = {"index": 0, "function": {"name": "r", "arguments": '{"a": 1}'}}


def _whole(message: Any, *, by_function: bool = False, **choice: Any) -> tuple[str, str]:
    data = {"choices": [{"message": message, **choice}]}
    shaped = whole_reply(data, by_function=by_function)["choices"][0]
    return shaped["message"]["content"], shaped["finish_reason"]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "x"}, "x"),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": 7}, ""),
        ({"content": [{"type": "text", "text": "x"}, {"type": "image"}, "y", None]}, "x"),
        ({"content": "x", "reasoning_content": "h", "reasoning": "h"}, "x"),
        ({"content": "x", "refusal": ""}, "x"),
        ({"content": {"type": "text", "text": "x"}}, "x"),
        ({"content": {"answer": "水"}}, '{"answer": "水"}'),
        ({"content": [{"type": "text", "text": {"value": "x", "annotations": []}}]}, "x"),
        ({"content": [{"type": "reasoning", "text": "{}"}, {"type": "text", "text": "x"}]}, "x"),
        ({"content": [{"type": "thinking", "text": "{}"}]}, ""),
        ({"content": {}}, ""),
    ],
)
def test_content_is_text(message: dict[str, Any], text: str) -> None:
    assert _whole(message) == (text, "stop")


@pytest.mark.parametrize(
    "message",
    [
        {"content": None, "tool_calls": [CALL]},
        {"content": "I call it.", "tool_calls": [CALL]},
        {"function_call": CALL["function"]},
        {"tool_calls": [{"function": {"name": "r", "arguments": {"a": 1}}}]},
    ],
)
def test_arguments_become_content(message: dict[str, Any]) -> None:
    assert _whole(message, by_function=True) == ('{"a": 1}', "stop")


def test_a_refusal_may_be_a_part() -> None:
    parts = [{"type": "text", "text": "x"}, {"type": "refusal", "refusal": "I cannot."}]
    assert _whole({"content": parts}) == ("I cannot.", REFUSAL)


def test_the_choice_of_the_lowest_number_is_read() -> None:
    choices = [{"index": number, "message": {"content": str(number)}} for number in (2, 0, 1)]
    shaped = whole_reply({"choices": choices}, by_function=False)["choices"][0]
    assert shaped["message"]["content"] == "0"


@pytest.mark.parametrize("said", [-1, True, "5", 1.5, None, 10**30])
def test_what_is_no_count_of_tokens_counts_nothing(said: Any) -> None:
    data = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": said}}
    assert whole_reply(data, by_function=False)["usage"]["total_tokens"] == 0


@pytest.mark.parametrize("calls", [[], None, [None], [{}], [{"function": None}], "x"])
def test_content_counts_where_no_arguments_came(calls: Any) -> None:
    message = {"content": "x", "tool_calls": calls}
    assert _whole(message, by_function=True) == ("x", "stop")


def test_tool_calls_that_were_not_asked_for_stay() -> None:
    data = {"choices": [{"message": {"tool_calls": [CALL]}, "finish_reason": "tool_calls"}]}
    choice = whole_reply(data, by_function=False)["choices"][0]
    assert choice["message"]["tool_calls"] == [CALL]
    assert choice["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("said", "by_function", "reason"),
    [
        ("stop", False, "stop"),
        ("length", False, "length"),
        ("content_filter", False, "content_filter"),
        ("tool_calls", False, "tool_calls"),
        ("tool_calls", True, "stop"),
        ("function_call", True, "stop"),
        ("length", True, "length"),
        ("STOP", False, "stop"),
        ("MAX_TOKENS", False, "length"),
        ("SAFETY", False, "content_filter"),
        ("eos_token", False, "stop"),
        (None, False, "stop"),
        ("", False, "stop"),
        (7, False, "stop"),
        ("insufficient_system_resource", False, "insufficient_system_resource"),
    ],
)
def test_finish_reasons(said: Any, reason: str, *, by_function: bool) -> None:
    assert _whole({"content": "x"}, by_function=by_function, finish_reason=said)[1] == reason


def test_a_refusal_ends_with_its_own_reason() -> None:
    assert _whole({"content": None, "refusal": "No."}) == ("No.", REFUSAL)
    filtered = _whole({"content": None, "refusal": "No."}, finish_reason="content_filter")
    assert filtered == ("No.", "content_filter")


@pytest.mark.parametrize(
    "data",
    [None, [], {}, "[1]", '"x"', {"choices": None}, {"choices": {}}, {"choices": [None]},
     {"choices": [{}]}, {"choices": [{"message": None}]}],
)  # fmt: skip
def test_what_is_no_completion_is_malformed(data: Any) -> None:
    with pytest.raises(MalformedReplyError):
        whole_reply(data, by_function=False)


def test_text_is_no_service() -> None:
    for text in ("", "x", "<html>"):
        with pytest.raises(NoServiceError):
            whole_reply(text, by_function=False)


def test_a_fault_in_the_place_of_a_reply() -> None:
    body = {"error": {"message": "x", "code": 429}}
    with pytest.raises(FaultInReplyError) as raised:
        whole_reply(body, by_function=False)
    assert raised.value.body is body
    assert whole_reply({**body, "choices": [{"message": {}}]}, by_function=False)["choices"]


def _stream(chunks: list[Any], *, by_function: bool = False) -> tuple[str, list[str | None]]:
    shape = StreamShape(by_function=by_function)
    choices = [c for chunk in chunks for c in shape.chunk(chunk)["choices"]]
    text = "".join(choice["delta"]["content"] for choice in choices)
    return text, [choice["finish_reason"] for choice in choices if choice["finish_reason"]]


def _chunk(delta: Any, reason: Any = None) -> dict[str, Any]:
    return {"choices": [{"delta": delta, "finish_reason": reason}]}


def test_a_reason_comes_once() -> None:
    chunks = [_chunk({"content": "x"}, "stop"), _chunk({}, "stop"), _chunk({}, "length")]
    assert _stream(chunks) == ("x", ["stop"])


def test_a_filter_that_comes_after_the_end_counts_once() -> None:
    shape = StreamShape(by_function=False)
    reasons = ["stop", None, "content_filter", "content_filter", "stop"]
    chunks = [{"choices": [{"index": 0, "finish_reason": reason}]} for reason in reasons]
    shaped = [shape.chunk(chunk)["choices"][0]["finish_reason"] for chunk in chunks]
    assert shaped == ["stop", None, "content_filter", None, None]


def test_a_filtered_reply_may_come_without_a_message() -> None:
    assert _whole(None, finish_reason="content_filter") == ("", "content_filter")
    with pytest.raises(MalformedReplyError):
        _whole(None)


def test_no_reason_stays_none() -> None:
    assert _stream([_chunk({"content": "x"}), {"choices": []}, _chunk({})]) == ("x", [])


def test_a_refusal_is_held_back_to_the_end() -> None:
    shape = StreamShape(by_function=False)
    first = shape.chunk(_chunk({"refusal": "I can"}))["choices"][0]
    assert first["delta"]["content"] == ""
    assert shape.has_text
    shape.chunk(_chunk({"refusal": "not."}))
    last = shape.chunk(_chunk({}, "stop"))["choices"][0]
    assert (last["delta"]["content"], last["finish_reason"]) == ("I cannot.", REFUSAL)


def test_fragments_of_the_first_function_only() -> None:
    second = {"index": 1, "function": {"name": "s", "arguments": "XX"}}
    chunks = [
        _chunk({"tool_calls": [{"index": 0, "function": {"name": "r", "arguments": ""}}]}),
        _chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]}),
        _chunk({"tool_calls": [second]}),
        _chunk({"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]}),
        _chunk({}, "tool_calls"),
    ]
    assert _stream(chunks, by_function=True) == ('{"a": 1}', ["stop"])


def test_calls_of_the_callers_tools_stream_on() -> None:
    shape = StreamShape(by_function=False)
    choice = shape.chunk(_chunk({"tool_calls": [CALL]}))["choices"][0]
    assert choice["delta"]["tool_calls"] == [CALL]
    assert shape.has_text


@pytest.mark.parametrize("chunk", [None, "x", [1], 7])
def test_what_is_no_chunk_is_malformed(chunk: Any) -> None:
    with pytest.raises(MalformedReplyError):
        StreamShape(by_function=False).chunk(chunk)


@pytest.mark.parametrize(
    "chunk",
    [{}, {"choices": None}, {"choices": [None]}, {"choices": ["x"]}, {"choices": [{"index": 0}]},
     {"choices": [{"delta": None}]}, {"choices": [{"delta": "x"}]}],
)  # fmt: skip
def test_empty_chunks_are_passed_over(chunk: dict[str, Any]) -> None:
    assert _stream([chunk]) == ("", [])


def test_usage_is_kept_for_the_end() -> None:
    shape = StreamShape(by_function=False)
    for tokens in (1, 2, 3):
        shaped = shape.chunk({"choices": [], "usage": {"completion_tokens": tokens}})
        assert shaped["usage"] is None
    shape.chunk({"choices": [], "usage": None})
    usage = shape.last_chunk()["usage"]
    assert usage is not None
    assert usage["completion_tokens"] == 3


@pytest.mark.parametrize("count", [None, "5", 2.5, True, -1, [], float("nan")])
def test_only_whole_counts_count(count: Any) -> None:
    usage = {
        "prompt_tokens": count,
        "completion_tokens": 2,
        "prompt_tokens_details": {"cached_tokens": count},
    }
    data = {"choices": [], "usage": usage}
    shaped = whole_reply(data, by_function=False)["usage"]
    assert shaped["prompt_tokens"] == shaped["prompt_tokens_details"]["cached_tokens"] == 0
    assert shaped["total_tokens"] == 2


@pytest.mark.parametrize("is_streamed", [False, True])
def test_ids_and_names_of_calls_are_texts(is_streamed: bool) -> None:
    call = {"index": 0, "id": 7, "function": {"name": 5, "arguments": "{}"}}
    choice = {"delta" if is_streamed else "message": {"tool_calls": [call]}}
    data = {"choices": [choice]}
    if is_streamed:
        said = StreamShape(by_function=False).chunk(data)["choices"][0]["delta"]
    else:
        said = whole_reply(data, by_function=False)["choices"][0]["message"]
    (call,) = said["tool_calls"]
    assert (call["id"], call["function"]["name"]) == ("7", "5")


FIRST = '{"a": 1}'


def _call(index: int | None, call_id: str | None, name: str | None, arguments: Any) -> Any:
    place = {} if index is None else {"index": index}
    return {**place, "id": call_id, "function": {"name": name, "arguments": arguments}}


def _streamed_calls(chunks: list[list[Any]]) -> list[tuple[str, str, str]]:
    """Return id, name and arguments of each call, joined by number as LangChain does."""
    shape = StreamShape(by_function=False)
    found: dict[int, list[str]] = {}
    for said in chunks:
        for choice in shape.chunk(_chunk({"tool_calls": said}))["choices"]:
            for piece in choice["delta"].get("tool_calls", ()):
                call = found.setdefault(piece["index"], ["", "", ""])
                call[0] = call[0] or piece.get("id") or ""
                call[1] = call[1] or piece["function"].get("name") or ""
                call[2] += piece["function"].get("arguments") or ""
    return [(call_id, name, arguments) for call_id, name, arguments in found.values()]


@pytest.mark.parametrize(
    "chunks",
    [
        [[_call(0, "x", "f", FIRST)], [_call(0, "y", "g", "{}")]],
        [[_call(0, "x", "f", FIRST), _call(0, "y", "g", "{}")]],
        [[_call(0, "x", "f", "")], [_call(0, None, None, FIRST)], [_call(0, "y", "g", "")],
         [_call(0, None, None, "{}")]],
        [[_call(0, "x", "f", {"a": 1})], [_call(0, "y", "g", {})]],
        [[_call(3, "x", "f", FIRST)], [_call(1, "y", "g", "{}")]],
        [[_call(None, "x", "f", '{"a"')], [_call(None, "x", "f", ": 1}")],
         [_call(None, "y", "g", "{}")]],
        [[_call(0, "x", "f", '{"a"')], [_call(0, "x2", "f", ": 1}")], [_call(0, "y", "g", "{}")]],
        [[_call(0, "x", "f", '{"a"')], [_call(0, None, None, ": 1}")],
         [_call(0, "x", "f", FIRST), _call(1, "y", "g", "{}")]],
        [[_call(0, "x", "f", FIRST)], [_call(0, None, "f", "")], [_call(1, "y", "g", "{}")]],
    ],
    ids=["one number", "one chunk", "fragments", "objects", "any number", "no number",
         "ids of fragments", "whole once more", "name once more"],
)  # fmt: skip
def test_streamed_calls_are_told_apart(chunks: list[list[Any]]) -> None:
    assert _streamed_calls(chunks) == [("x", "f", FIRST), ("y", "g", "{}")]


def test_calls_without_ids_and_arguments_are_told_apart_by_name() -> None:
    assert _streamed_calls([[_call(0, "", "f", FIRST)], [_call(0, "", "f", '{"a": 2}')]]) == [
        ("", "f", FIRST),
        ("", "f", '{"a": 2}'),
    ]
    assert _streamed_calls([[_call(0, "x", "f", "")], [_call(0, "y", "g", "")]]) == [
        ("x", "f", ""),
        ("y", "g", ""),
    ]


def test_one_choice_of_a_stream_is_read() -> None:
    pieces = [(1, "x", None), (0, "a", None), (0, "b", "stop"), (1, "y", "length")]
    choices = [
        {"index": index, "delta": {"content": text}, "finish_reason": reason}
        for index, text, reason in pieces
    ]
    assert _stream([{"choices": [choice]} for choice in choices]) == ("xy", ["length"])
    first, *others = [{"choices": choices[:2]}, *({"choices": [each]} for each in choices[2:])]
    assert _stream([first, *others]) == ("ab", ["stop"])


def test_a_whole_message_may_come_in_the_place_of_pieces() -> None:
    whole = {"choices": [{"index": 0, "message": {"content": "ab"}, "finish_reason": "stop"}]}
    assert _stream([whole]) == ("ab", ["stop"])
    assert _stream([_chunk({"content": "ab"}), whole]) == ("ab", ["stop"])


def _as_events(chunks: list[Any]) -> str:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def test_a_stream_where_a_whole_reply_was_due() -> None:
    fragments = [_call(0, "x", "f", '{"a"'), _call(0, None, None, ": 1}")]
    chunks = [_chunk({"content": "a"}), _chunk({"content": "b"}, "stop"), {"usage": USAGE}]
    reply = whole_reply(_as_events(chunks), by_function=False)
    assert reply["choices"][0]["message"] == {"role": "assistant", "content": "ab"}
    assert reply["usage"]["completion_tokens"] == 2
    chunks = [_chunk({"tool_calls": [each]}) for each in fragments] + [_chunk({}, "tool_calls")]
    (call,) = whole_reply(_as_events(chunks), by_function=False)["choices"][0]["message"][
        "tool_calls"
    ]
    assert (call["id"], call["function"]) == ("x", {"name": "f", "arguments": FIRST})
    said = whole_reply(_as_events(chunks), by_function=True)["choices"][0]
    assert (said["message"]["content"], said["finish_reason"]) == (FIRST, "stop")
    with pytest.raises(MalformedReplyError):
        whole_reply(_as_events(chunks[:-1]), by_function=False)


USAGE = {"prompt_tokens": 1, "completion_tokens": 2}
LEGACY = {"name": "f", "arguments": FIRST}


def test_a_function_that_is_called_the_old_way_is_a_call() -> None:
    said = {"role": "assistant", "content": None, "function_call": LEGACY}
    reply = whole_reply({"choices": [{"message": said}]}, by_function=False)
    (call,) = reply["choices"][0]["message"]["tool_calls"]
    assert call["function"] == LEGACY
    shape = StreamShape(by_function=False)
    arguments = ""
    for piece in ({"name": "f", "arguments": ""}, {"arguments": '{"a"'}, {"arguments": ": 1}"}):
        delta = shape.chunk(_chunk({"function_call": piece}))["choices"][0]["delta"]
        arguments += delta["tool_calls"][0]["function"]["arguments"]
    assert arguments == FIRST


@pytest.mark.parametrize(("index", "calls"), [(0, 1), (1, 0)])
def test_calls_beside_the_text_are_of_the_same_reply(index: int, calls: int) -> None:
    text = {"index": 0, "message": {"content": "I look."}, "finish_reason": "tool_calls"}
    beside = {"index": index, "message": {"tool_calls": [CALL]}}
    reply = whole_reply({"choices": [text, beside]}, by_function=False)
    assert len(reply["choices"][0]["message"].get("tool_calls", ())) == calls
    assert reply["choices"][0]["message"]["content"] == "I look."


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (None, "{}"),
        ("null", "{}"),
        ("[]", "{}"),
        ("", "{}"),
        ('"{\\"a\\": 1}"', FIRST),
        (FIRST, FIRST),
        ({"a": 1}, FIRST),
        ("0", f"0{MARK}"),
        (["x"], f'["x"]{MARK}'),
        ("{", "{" + MARK),
    ],
)
def test_arguments_are_json_only_where_they_are_an_object(sent: Any, read: str) -> None:
    (call,) = whole_calls([_call(None, "x", "f", sent)])
    assert call["function"]["arguments"] == read


@pytest.mark.parametrize(
    ("body", "held"),
    [
        ('data: {"a": 1}\n\ndata: {}\n\ndata: [DONE]\n\ndata: {}\n\n', ['{"a": 1}', "{}"]),
        ("\ufeff: ping\r\n\r\nid: 1\r\ndata:{}\r\n\r\ndata: ping\r\n\r\n", ["{}"]),
        ('event: x\rdata: {"a":\rdata: 1}\r\r', ['{"a":\n1}']),
        ('data: {"a": "\u2028"}', ['{"a": "\u2028"}']),
        ('{"data:": 1}', []),
        ("<html>", []),
        ("", []),
    ],
)
def test_events_are_read_as_they_are_written(body: str, held: list[str]) -> None:
    assert events_in(body) == held


@pytest.mark.parametrize("said", [None, [], [None], "x", {"index": 0}])
def test_a_reply_without_executed_tools_tells_of_none(said: Any) -> None:
    data = {"choices": [{"message": {"content": "x", "executed_tools": said}}]}
    assert "executed_tools" not in whole_reply(data, by_function=False)["choices"][0]["message"]


def test_pages_are_told_once_and_where_no_tool_is_listed() -> None:
    page = {"type": "url_citation", "url_citation": {"title": "T", "url": "https://a.example"}}
    message = {"content": "x", "annotations": [page, page, {"type": "other"}, None]}
    for listed, told in (
        (None, [{"name": "web_search", "arguments": "", "output": "T https://a.example"}]),
        ([{"type": "search"}], [{"name": "search", "arguments": "", "output": ""}]),
    ):
        data = {"choices": [{"message": {**message, "executed_tools": listed}}]}
        (choice,) = whole_reply(data, by_function=False)["choices"]
        assert choice["message"]["executed_tools"] == told


def test_no_more_executed_tools_are_taken_than_a_service_may_run() -> None:
    said = [{"index": number, "type": "search"} for number in range(5000)]
    data = {"choices": [{"message": {"content": "x", "executed_tools": said}}]}
    (choice,) = whole_reply(data, by_function=False)["choices"]
    assert len(choice["message"]["executed_tools"]) == 100


def test_executed_tools_of_a_stream_come_whole_and_once() -> None:
    shape = StreamShape(by_function=False)
    deltas = [
        {"executed_tools": [{"index": 0, "type": "search", "arguments": '{"query": "a"}'}]},
        {"executed_tools": [{"index": 1, "type": "python", "arguments": "2 + 2"}]},
        {"executed_tools": [{"index": 0, "type": "search", "arguments": None, "output": "A"}]},
        {"content": "x"},
    ]
    choices = [{"index": 0, "delta": delta} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    shaped = [shape.chunk({"choices": [choice]})["choices"][0]["delta"] for choice in choices]
    assert [delta.get("executed_tools") for delta in shaped[:-1]] == [None] * 4
    assert shaped[-1]["executed_tools"] == [
        {"name": "search", "arguments": '{"query": "a"}', "output": "A"},
        {"name": "python", "arguments": "2 + 2", "output": ""},
    ]
