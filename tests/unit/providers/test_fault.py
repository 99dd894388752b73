from __future__ import annotations

from typing import Any

import pytest

from ragqa.providers.fault import MAX_MESSAGE_CHARS, Fault, read_fault

PROMPT = "the secret recipe"
FASTAPI = [{"loc": ["body", "tools", 0, "x"], "msg": "Extra inputs", "input": PROMPT}]


@pytest.mark.parametrize(
    ("body", "message", "param"),
    [
        ({"error": {"message": "m", "param": "tools", "code": "c"}}, "m", "tools"),
        ({"message": "m", "param": "tools"}, "m", "tools"),
        ({"error": "m"}, "m", ""),
        ("m", "m", ""),
        ({"object": "error", "message": "m", "code": 400, "param": None}, "m", ""),
        ({"detail": FASTAPI}, "Extra inputs", "tools.0.x"),
        ({"detail": "Not Found"}, "Not Found", ""),
        ({"message": {"detail": FASTAPI}}, "Extra inputs", "tools.0.x"),
        ({"object": "error", "message": str(FASTAPI)}, None, "tools"),
        ({"error": {"message": None}}, "", ""),
        ({"error": None}, "", ""),
        (None, "", ""),
        ([1], "", ""),
        ({}, "", ""),
        (7, "", ""),
        ({"detail": [1, None, {}]}, "", ""),
    ],
)
def test_every_shape_is_read(body: Any, message: str | None, param: str) -> None:
    fault = read_fault(400, body)
    assert fault.status == 400
    assert fault.param == param
    if message is not None:
        assert fault.message == message
    assert PROMPT not in fault.message


def test_codes_are_joined_for_matching() -> None:
    body = {"error": {"code": "a", "type": "b", "innererror": {"code": "c"}, "message": ""}}
    assert read_fault(400, body).code == "a b c"


@pytest.mark.parametrize("page", ["<html>x", " <!DOCTYPE html>", "<head><title>Gateway</title>"])
def test_pages_are_told_apart(page: str) -> None:
    assert read_fault(502, page) == Fault(502, is_html=True)


def test_messages_are_cut() -> None:
    assert len(read_fault(400, {"message": "x" * 9999}).message) == MAX_MESSAGE_CHARS + 1
