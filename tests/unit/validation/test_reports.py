"""Inputs made after public bug reports: replies, streams and search results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragqa.contract import response_type
from tests.unit.validation.replies import judge

CASES = Path(__file__).parents[4] / "shared/data/bug_reports/cases.jsonl"

pytestmark = pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not here")

EXPECTED = {
    "retry": {"text", "syntax", "schema"},
    "fallback": {"text"},
}
RULES_DECIDE = {"open-b-02", "open-h-01", "open-h-02", "open-h-03"}
"""Replies that fit the schema; what is wrong with them is for the later gates."""


def cases() -> list[Any]:
    if not CASES.exists():
        return [pytest.param({}, id="none")]
    found = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [
        pytest.param(case, id=case["id"])
        for case in found
        if case["kind"] in "abehi" and replies(case["input"]) and case["id"] not in RULES_DECIDE
    ]


def replies(given: dict[str, Any]) -> list[str]:
    if "raw" in given:
        return [given["raw"]]
    if "stream" in given:
        choices = [chunk["choices"] for chunk in given["stream"] if chunk["choices"]]
        return ["".join(choice[0]["delta"].get("content", "") for choice in choices)]
    return given.get("model_replies", [])


@pytest.mark.parametrize("case", cases())
def test_reported_reply_is_read_or_refused_as_it_should(case):
    given, expected = case["input"], case["expected_value"]
    schema = response_type(categories=tuple(given["categories"]))
    reason = "interrupted" if "closed" in given.get("stream_end", "") else None
    verdicts = [
        judge(raw, schema=schema, finish_reason=given.get("finish_reason", reason))
        for raw in replies(given)
    ]
    last = verdicts[-1]
    handling = {"retry", "fallback"}.intersection(expected)
    if handling or any("retry" in other for other in case.get("also_acceptable", ())):
        assert not last.accepted
        assert last.code.partition(".")[0] in EXPECTED[(*handling, "retry")[0]]
    else:
        value = expected.get("result", expected)
        assert last.response is not None, last.feedback
        assert last.response.model_dump() == value
        assert all(not verdict.accepted for verdict in verdicts[:-1])
