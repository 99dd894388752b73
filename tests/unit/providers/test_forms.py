from __future__ import annotations

import json
from typing import Any

import pytest

from ragqa.contract import QAResponse
from ragqa.providers.forms import DEFAULT_ORDER, USER_AFTER_TOOL, form_of
from ragqa.providers.schema import response_format

FORMAT = response_format(QAResponse)
PAYLOAD: dict[str, Any] = {
    "model": "m",
    "messages": [{"role": "user", "content": "Reply in JSON."}],
    "temperature": 0.2,
    "max_completion_tokens": 300,
    "response_format": FORMAT,
}


def test_the_richest_form_comes_first() -> None:
    form = form_of(PAYLOAD, ())
    assert form.features == {"json_schema", "temperature", "max_tokens"}
    assert form.body["response_format"] is FORMAT
    assert form.body["max_tokens"] == 300
    assert "max_completion_tokens" not in form.body
    assert not form.by_function


def test_the_payload_is_left_alone() -> None:
    before = dict(PAYLOAD)
    form_of(PAYLOAD, {"json_schema", "temperature", "max_tokens"})
    assert before == PAYLOAD


def test_a_function_carries_the_schema() -> None:
    form = form_of(PAYLOAD, {"json_schema"})
    function = form.body["tools"][0]["function"]
    assert form.by_function
    assert function["parameters"] is FORMAT["json_schema"]["schema"]
    assert function["strict"] is True
    assert form.body["tool_choice"] == {"type": "function", "function": {"name": "QAResponse"}}
    assert "response_format" not in form.body


def test_the_callers_own_tools_stay() -> None:
    tools = [{"type": "function", "function": {"name": "look_up"}}]
    form = form_of({**PAYLOAD, "tools": tools}, {"json_schema"})
    assert form.body["tools"] is tools
    assert form.features == {"json_mode", "temperature", "max_tokens", "tools"}


def test_json_mode_needs_the_word() -> None:
    silent = {**PAYLOAD, "messages": [{"role": "user", "content": "Hello."}]}
    assert "response_format" not in form_of(silent, (), order=("json_mode",)).body
    form = form_of(PAYLOAD, (), order=("json_mode",))
    assert form.body["response_format"] == {"type": "json_object"}


def test_everything_can_be_refused() -> None:
    refused = {*DEFAULT_ORDER, "temperature", "max_tokens", "max_completion_tokens"}
    form = form_of(PAYLOAD, refused)
    assert form.body.keys() == {"model", "messages"}
    assert form.features == frozenset()


@pytest.mark.parametrize(
    ("refused", "preferred", "name"),
    [
        ((), "max_tokens", "max_tokens"),
        ((), "max_completion_tokens", "max_completion_tokens"),
        ({"max_tokens"}, "max_tokens", "max_completion_tokens"),
        ({"max_completion_tokens"}, "max_completion_tokens", "max_tokens"),
    ],
)
def test_the_limit_has_two_names(refused: Any, preferred: str, name: str) -> None:
    form = form_of(PAYLOAD, refused, limit_name=preferred)
    assert form.body[name] == 300
    assert name in form.features


def test_another_format_passes_as_it_is() -> None:
    wanted = {"type": "json_object"}
    assert form_of({**PAYLOAD, "response_format": wanted}, ()).body["response_format"] is wanted


def test_empty_arguments_are_not_sent() -> None:
    assert "dimensions" not in form_of({"model": "e", "dimensions": None}, ()).body


def test_halves_of_characters_are_replaced_wherever_texts_stand() -> None:
    call = {"id": "1", "function": {"name": "look", "arguments": '{"item": "\ud83d"}'}}
    said = [{"role": "assistant", "content": "一半 \udc4d", "tool_calls": [call]}]
    body = form_of({**PAYLOAD, "messages": said, "input": ["\ud83d", "完整 👍"]}, ()).body
    assert body["messages"][0]["content"] == "一半 \ufffd"
    sent_call = body["messages"][0]["tool_calls"][0]
    assert sent_call["function"]["arguments"] == '{"item": "\ufffd"}'
    assert body["input"] == ["\ufffd", "完整 👍"]
    json.dumps(body, ensure_ascii=False).encode()


def test_what_is_said_after_results_is_said_beforehand_where_that_is_refused() -> None:
    said = [("system", "S"), ("user", "Q"), ("assistant", ""), ("tool", "R"), ("user", "F")]
    messages = [{"role": role, "content": content} for role, content in said]
    payload = {"model": "m", "messages": messages}
    form = form_of(payload, ())
    assert (form.features, form.body["messages"]) == ({USER_AFTER_TOOL}, messages)
    form = form_of(payload, {USER_AFTER_TOOL})
    assert form.features == frozenset()
    sent = [(message["role"], message["content"]) for message in form.body["messages"]]
    assert sent == [("system", "S\n\nF"), *said[1:4]]
    form = form_of({**payload, "messages": messages[1:]}, {USER_AFTER_TOOL})
    assert form.body["messages"][0] == {"role": "system", "content": "F"}
    assert form_of({**payload, "messages": messages[:4]}, ()).features == frozenset()
