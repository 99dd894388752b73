"""Replies of public bug reports whose shape is right and whose content is not: all gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragqa.contract import Passage, response_type
from ragqa.validation import CheckContext, Verdict, default_gates

CASES = Path(__file__).parents[4] / "shared/data/bug_reports/cases.jsonl"

pytestmark = pytest.mark.skipif(not CASES.exists(), reason="../shared/data is not here")


def case(name: str) -> dict[str, Any]:
    lines = CASES.read_text(encoding="utf-8").splitlines()
    return next(found for found in map(json.loads, lines) if found["id"] == name)


def judge(given: dict[str, Any], raw: str) -> Verdict:
    titles = tuple(given["retrieved"])
    text = (
        "Unopened items can be returned within 30 days of delivery. Delivery: 3 to 5 working days."
    )
    context = CheckContext(
        schema=response_type(categories=tuple(given["categories"])),
        question=given.get("question", ""),
        titles=titles,
        passages=tuple(Passage(id=title, title=title, text=text) for title in titles),
    )
    return default_gates().judge(raw, context)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("open-b-01", None),
        ("open-b-02", "rules.search_dump"),
        ("open-h-01", "context.unknown_source"),
        ("open-i-03", None),
    ],
)
def test_the_first_reply_is_refused_and_the_second_is_the_result(
    name: str, code: str | None
) -> None:
    found = case(name)
    first, second = (judge(found["input"], raw) for raw in found["input"]["model_replies"])
    assert not first.accepted
    assert first.handling == "retry"
    assert code in (None, first.code)
    assert second.accepted, second.feedback
    assert second.response is not None
    assert second.response.model_dump() == found["expected_value"]["result"]


def test_the_feedback_names_the_invented_source_and_the_allowed_titles() -> None:
    given = case("open-h-01")["input"]
    feedback = judge(given, given["model_replies"][0]).feedback
    assert "warranty-terms-2024.pdf" in feedback
    assert all(title in feedback for title in given["retrieved"])


@pytest.mark.parametrize("name", ["open-h-02", "open-h-03"])
def test_sources_are_mended_without_a_call(name: str) -> None:
    found = case(name)
    verdict = judge(found["input"], found["input"]["raw"])
    assert verdict.accepted, verdict.feedback
    assert verdict.response is not None
    assert verdict.response.model_dump() == found["expected_value"]
    assert verdict.repairs
    assert {citation.title for citation in verdict.citations} == set(verdict.response.sources)


def test_notes_are_refused() -> None:
    given = case("open-b-03")["input"]
    assert not judge(given, given["raw"]).accepted
