"""Any result of a tool becomes one bounded text."""

import dataclasses
import itertools
import json
from datetime import date
from decimal import Decimal
from enum import Enum
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.messages import ToolMessage
from mcp.types import (
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel

from ragqa.agent.results.faults import request_id_in, says_error
from ragqa.agent.results.text import bounded, error_text, text_of


class Ticket(BaseModel):
    id: int
    title: str


@dataclasses.dataclass
class Point:
    x: int
    y: object


class Colour(Enum):
    RED = 1


class Hostile:
    """An object whose every method breaks."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __str__(self):
        raise RuntimeError("str")

    __repr__ = __str__


CIRCLE: list = []
CIRCLE.append(CIRCLE)
DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]

RESULTS = [
    ("plain", "plain"),
    ("", ""),
    (None, ""),
    (5, "5"),
    (True, "true"),
    (0.5, "0.5"),
    ({"a": 1, "zh": "你好"}, '{"a": 1, "zh": "你好"}'),
    ([1, "two", None], '[1, "two", null]'),
    ((1, 2), "[1, 2]"),
    ({1}, "[1]"),
    (b"caf\xc3\xa9", "café"),
    (b"\xff\xfe\x00", "<3 bytes that are no text>"),
    (Ticket(id=1, title="t"), '{"id": 1, "title": "t"}'),
    ([Ticket(id=1, title="t")], '[{"id": 1, "title": "t"}]'),
    (Point(1, Ticket(id=1, title="t")), '{"x": 1, "y": {"id": 1, "title": "t"}}'),
    (date(2026, 1, 2), "2026-01-02"),
    (Decimal("1.50"), "1.50"),
    (Path("a/b"), "a/b"),
    (Colour.RED, "Colour.RED"),
    ((n for n in range(3)), "[0, 1, 2]"),
    (Document(page_content="text", metadata={"t": 1}), '{"text": "text", "metadata": {"t": 1}}'),
    (ValueError("no"), "ValueError: no"),
    ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
    (
        [{"type": "image", "base64": "AAAA", "mime_type": "image/png"}],
        "[image: image/png, 3 bytes]",
    ),
    (ToolMessage("said", tool_call_id="1"), "said"),
    (ToolMessage("", tool_call_id="1", artifact={"structured_content": {"a": 1}}), None),
    (CallToolResult(content=[TextContent(type="text", text="hi")]), "hi"),
    (CallToolResult(content=[], structuredContent={"a": 1}), '{"a": 1}'),
    (
        CallToolResult(content=[ImageContent(type="image", data="AAAA", mimeType="image/png")]),
        "[image: image/png, 3 bytes]",
    ),
    (
        CallToolResult(
            content=[
                EmbeddedResource(
                    type="resource", resource=TextResourceContents(uri="file:///a", text="inside")
                )
            ]
        ),
        "inside",
    ),
]


@pytest.mark.parametrize(("result", "text"), RESULTS, ids=lambda value: type(value).__name__)
def test_results_of_all_kinds_are_texts(result, text):
    assert text_of(result, 1000) == (
        text if text is not None else '{"structured_content": {"a": 1}}'
    )


@pytest.mark.parametrize(
    "result",
    [
        *(
            Hostile(),
            CIRCLE,
            DEEP,
            {Hostile(): 1},
            {(1, 2): 3},
            "\ud800",
            object(),
            print,
            Ticket,
            1j,
        ),
        *(
            float("nan"),
            itertools.count(),
            range(10**9),
            {"a": Hostile()},
            [b"\xff"] * 3,
            iter(DEEP),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_result_is_too_odd(result):
    text = text_of(result, 500)
    assert len(text) <= 500
    text.encode()


@pytest.mark.parametrize(
    "result",
    ["x" * 10**7, ["x" * 100] * 10**5, {str(n): n for n in range(10**5)}, b"x" * 10**7],
    ids=["text", "list", "dict", "bytes"],
)
def test_huge_results_are_cut_and_say_so(result):
    text = text_of(result, 200)
    assert len(text) == 200
    assert text.endswith("[…]")


def test_a_cut_never_leaves_half_a_character():
    assert bounded("😀" * 300, 100).encode()


def test_what_an_error_says_is_short_and_masked():
    text = error_text(RuntimeError("password=hunter22 " + "x" * 10**6))
    assert "hunter22" not in text
    assert len(text) <= 1000


def test_an_exception_that_cannot_say_anything_is_named():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError

    assert error_text(Mute()) == "Mute"


@pytest.mark.parametrize(
    ("result", "found"),
    [
        ({"request_id": "r-1"}, "r-1"),
        ('{"job_id": 7}', "7"),
        (ToolMessage('{"requestId": "q"}', tool_call_id="1"), "q"),
        ([{"type": "text", "text": '{"operation_id": "o"}'}], "o"),
        ({"id": 5}, None),
        ({"request_id": None}, None),
        ("no json", None),
        (None, None),
    ],
)
def test_the_services_id_is_found(result, found):
    assert request_id_in(result) == found


def test_mcps_mark_counts_whatever_the_text_says():
    assert says_error(CallToolResult(content=[TextContent(type="text", text="ok")], isError=True))
    assert not says_error(CallToolResult(content=[TextContent(type="text", text="error")]))
    assert not says_error(Hostile())


def test_text_that_is_json_stays_as_it_is():
    text = json.dumps({"a": [1, 2]})
    assert text_of(text, 100) == text
