"""Preset answers are valid for every schema, say why, and cite nothing."""

from __future__ import annotations

from typing import Literal

import pytest
from pydantic import field_validator

from ragqa.contract import CHINESE_CATEGORIES, QAResponse, Question, Turn, response_type
from ragqa.errors import OutputError
from ragqa.ports import Policy
from ragqa.stages.seal import abstained, degraded


class Ticket(QAResponse):
    priority: Literal["low", "high"]
    note: str | None


class Picky(QAResponse):
    code: str

    @field_validator("code")
    @classmethod
    def _starts_with_x(cls, code: str) -> str:
        if not code.startswith("X"):
            raise ValueError("must start with X")
        return code


def turn(text: str = "How long?", category: str | None = None) -> Turn:
    return Turn(question=Question(text), run_id="run_1", chain="stuff", category=category)


@pytest.mark.parametrize(
    "schema",
    [QAResponse, response_type(entities=True), response_type(max_answer_chars=20), Ticket],
)
def test_a_degraded_answer_is_valid_for_its_schema(schema):
    answer = degraded(turn(), Policy(schema=schema), "model_unavailable").answer
    schema.model_validate_json(answer.response.model_dump_json())
    assert (answer.status, answer.reason) == ("degraded", "model_unavailable")
    assert answer.response.sources == []
    assert answer.response.needs_human


def test_a_schema_that_no_empty_value_fits_gets_the_six_fields():
    answer = degraded(turn(), Policy(schema=Picky), "limit").answer
    fields = QAResponse.model_validate_json(answer.response.model_dump_json())
    assert not isinstance(answer.response, Picky)
    assert (fields.needs_human, fields.confidence, fields.sources) == (True, 0.0, [])


def test_the_language_follows_the_question():
    assert "联系" in degraded(turn("多久？"), Policy(), "limit").answer.response.answer
    assert "colleague" in degraded(turn(), Policy(), "limit").answer.response.answer


def test_an_abstained_answer_says_that_there_is_no_evidence():
    answer = abstained(turn(), Policy()).answer
    assert (answer.status, answer.reason) == ("abstained", "no_evidence")
    assert answer.response.confidence <= 0.5
    assert answer.citations == ()


def test_the_category_is_the_intents_or_the_last_resort():
    chinese = Policy(schema=response_type(categories=CHINESE_CATEGORIES))
    assert abstained(turn(category="售后政策"), chinese).answer.response.category == "售后政策"
    assert abstained(turn(category="policy"), chinese).answer.response.category == "其他"
    assert abstained(turn(category="policy"), Policy()).answer.response.category == "policy"


def test_an_exception_is_raised_where_it_is_asked_for():
    with pytest.raises(OutputError, match="refusal"):
        degraded(turn(), Policy(raise_degraded=True), "refusal")
