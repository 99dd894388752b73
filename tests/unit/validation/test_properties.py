"""What must hold for any reply at all."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ragqa.contract import QAResponse
from ragqa.validation import CheckContext, Passed, Rejected
from ragqa.validation.schema import SchemaGate
from ragqa.validation.stream import PartialAnswer
from ragqa.validation.syntax import SyntaxGate
from ragqa.validation.text import TextGate
from tests.quality.fuzz_outputs import invented
from tests.unit.validation.replies import GATES, VALID, judge

TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=60)
SAID = TEXT.filter(str.strip)
RESPONSES = st.fixed_dictionaries(
    {
        "answer": SAID,
        "confidence": st.floats(0, 1) | st.sampled_from([0, 1]),
        "category": st.sampled_from(QAResponse.categories),
        "sources": st.lists(SAID, max_size=4),
        "follow_up": st.lists(SAID, max_size=3),
        "needs_human": st.booleans(),
    }
)
# Texts made of what the gates look for, so that random ones reach their corners.
HOSTILE = st.lists(
    st.sampled_from(
        [
            *"{}[]()\"'“”‘’＂:,，：｛｝`~#/*<>|\\&;. \n\t0123456789eE+-",
            *(
                '{"answer": "',
                '"confidence": 0.5',
                "null",
                "True",
                "NaN",
                '\\"',
                "\\u00",
                "\\ud83d",
            ),
            *("<think>", "</think>", "```json\n", "//", "/*", "*/", "&quot;", '"""', "\ufeff"),
            *("<|channel|>final", "<|message|>", "Action Input: ", "[TOOL_CALLS]", "\u200b"),
            *('{"name": "QAResponse", "arguments": ', "\ud800", "\x00", VALID, VALID[:-1]),
            *(json.dumps(VALID), "assistantfinal"),
        ]
    ),
    max_size=40,
).map("".join)
ANYTHING = st.text() | HOSTILE | st.text(string.printable)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=20,
)
MORE = settings(max_examples=250)


@MORE
@given(ANYTHING)
def test_any_text_is_judged_and_nothing_is_raised_or_invented(raw):
    verdict = judge(raw)
    if verdict.accepted:
        response = verdict.response
        assert QAResponse.model_validate_json(response.model_dump_json(), strict=True) == response
        assert invented(response, raw) is None
    else:
        assert verdict.code != "ok"
        assert verdict.feedback


@MORE
@given(ANYTHING, st.text(max_size=12))
def test_any_ending_is_judged(raw, reason):
    assert judge(raw, finish_reason=reason).code


@MORE
@given(st.one_of(ANYTHING, JSON_VALUES, st.binary(), st.dates(), st.tuples(st.integers())))
def test_every_gate_alone_takes_any_value(value):
    for gate in (TextGate(), SyntaxGate(), SchemaGate()):
        outcome = gate.check(value, CheckContext())
        assert isinstance(outcome, Passed | Rejected)
        if isinstance(outcome, Rejected):
            assert outcome.faults
            assert all(fault.code and fault.reason and fault.feedback for fault in outcome.faults)
        GATES.reordered("schema", "text", "syntax").judge(value, CheckContext())


WAYS: dict[str, Any] = {
    "json": json.dumps,
    "unicode": lambda fields: json.dumps(fields, ensure_ascii=False),
    "indented": lambda fields: json.dumps(fields, indent=2),
    "fence": lambda fields: f"Here:\n```json\n{json.dumps(fields)}\n```\nBye.",
    "string": lambda fields: json.dumps(json.dumps(fields)),
    "list": lambda fields: f"[{json.dumps(fields)}]",
    "reasoning": lambda fields: f"<think>{{x}}</think>{json.dumps(fields)}",
    "call": lambda fields: (
        f'{{"name": "QAResponse", "arguments": {json.dumps(json.dumps(fields))}}}'
    ),
    "samples": lambda fields: f'{{order_id}} {{"id": 1}}\n{json.dumps(fields)}',
}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=120)
@given(fields=RESPONSES)
def test_every_valid_response_comes_back_as_it_was(way, fields):
    verdict = judge(WAYS[way](fields))
    assert verdict.accepted, verdict.feedback
    assert verdict.response.model_dump() == fields


@settings(max_examples=300)
@given(RESPONSES)
def test_python_literals_come_back_as_they_were(fields):
    verdict = judge(repr(fields))
    # \xc3\xa9 in Python's writing may be bytes of UTF-8, \x1f and the like no JSON at all.
    if verdict.accepted:
        assert verdict.response.model_dump() == fields
    else:
        assert verdict.code == "syntax.invalid"
        assert "\\" in verdict.feedback


@settings(max_examples=300)
@given(RESPONSES, st.data())
def test_cut_off_replies_are_never_accepted(fields, data):
    raw = json.dumps(fields, ensure_ascii=False)
    at = data.draw(st.integers(0, len(raw) - 1))
    assert not judge(raw[:at]).accepted


@MORE
@given(st.dictionaries(st.sampled_from([*QAResponse.model_fields, "x"]), JSON_VALUES))
def test_schema_gate_accepts_what_strict_validation_of_the_json_accepts(value):
    passed = isinstance(SchemaGate().check(value, CheckContext()), Passed)
    try:
        QAResponse.model_validate_json(json.dumps(value), strict=True)
    except ValidationError:
        assert not passed
    else:
        assert passed


@settings(max_examples=200)
@given(RESPONSES, st.lists(st.integers(1, 9), min_size=1, max_size=50))
def test_stream_shows_the_answer_however_it_is_split(fields, sizes):
    raw, reveal, at, shown = json.dumps(fields), PartialAnswer(), 0, ""
    while at < len(raw):
        size = sizes[at % len(sizes)]
        shown += reveal.feed(raw[at : at + size])
        at += size
    assert shown == fields["answer"]


@MORE
@given(ANYTHING, st.integers(1, 9))
def test_stream_shows_the_same_however_it_is_split(raw, size):
    whole, pieces = PartialAnswer(), PartialAnswer()
    split = "".join(pieces.feed(raw[at : at + size]) for at in range(0, len(raw), size))
    assert split == whole.feed(raw)
