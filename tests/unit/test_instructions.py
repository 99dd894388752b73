"""What the model is told: rules made from the schema, short, and nothing read as a template."""

from __future__ import annotations

import datetime
import json
from typing import Literal

import bpe_openai
import pytest
from pydantic import BaseModel, Field

from ragqa.contract import CHINESE_CATEGORIES, QAResponse, response_type
from ragqa.instructions import (
    REJECTED_CHARS,
    answer_messages,
    format_rules,
    longest_object_tokens,
    neutral_values,
    repair_messages,
    worked_example,
)

OWN_TEXT_TOKENS = 350


class Ticket(QAResponse):
    priority: Literal["low", "high"]
    count: int
    note: str | None
    tags: list[str] = Field(default_factory=list)


class Part(BaseModel):
    name: str
    parts: list[Part] = Field(default_factory=list)


class Machine(QAResponse):
    whole: Part


class Thread(QAResponse):
    earlier: Thread | None = None


def tokens(text: str) -> int:
    return len(bpe_openai.get_encoding("o200k_base").encode(text))


def test_our_own_text_stays_short():
    messages = answer_messages(question="", passages="", language="en", schema=QAResponse)
    assert tokens("\n".join(message.content for message in messages)) <= OWN_TEXT_TOKENS


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_rules_name_every_field_with_its_limits(language):
    schema = response_type(categories=CHINESE_CATEGORIES, max_answer_chars=120, entities=True)
    rules = format_rules(schema, language)
    for name in schema.model_fields:
        assert f"\n- {name}: " in rules
    assert "120" in rules
    for category in CHINESE_CATEGORIES:
        assert f'"{category}"' in rules
    assert "entity_id" in rules


def test_a_class_that_holds_itself_is_written_out_once():
    assert '- whole: {"name": text, "parts": [{…}]}.' in format_rules(Machine, "en")
    rules = format_rules(Thread, "en")
    assert rules.count('"answer": text') == 1
    assert '"earlier": {…} | null' in rules
    assert neutral_values(Machine) == {"whole": {"name": ""}}


def test_chinese_rules_hold_no_english_sentence():
    rules = format_rules(QAResponse, "zh")
    assert "passages" not in rules
    assert "Titles" not in rules


def test_a_subclasss_own_words_count_in_every_language():
    class Own(QAResponse):
        answer: str = "never used"

    Own.model_fields["answer"].description = "One word."
    Own.model_rebuild(force=True)
    assert "One word." in format_rules(Own, "zh")


@pytest.mark.parametrize(
    "schema", [QAResponse, response_type(entities=True), Ticket, Machine, Thread]
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_worked_example_is_valid(schema, language):
    example = schema.model_validate_json(worked_example(schema, language), strict=True)
    assert example.sources
    assert example.category in schema.categories
    assert ("保修" in example.answer) == (language == "zh")


def test_neutral_values_fill_what_a_subclass_requires():
    assert neutral_values(Ticket) == {"priority": "high", "count": 0, "note": None}


@pytest.mark.parametrize("text", ['{"a": {}} {question} {{question}}', "%s %(x)s", "</passages>"])
def test_documents_and_questions_come_through_byte_for_byte(text):
    system, user = answer_messages(question=text, passages=text, language="en", schema=QAResponse)
    assert user.content.count(text) == 2
    assert text not in system.content


def test_the_format_stands_in_the_last_message_behind_history_and_passages():
    messages = answer_messages(
        question="Q?", passages="PASSAGES", language="en", schema=QAResponse, history="EARLIER\n\n"
    )
    last = messages[-1].content
    order = ["EARLIER", "PASSAGES", "Q?", "- answer:", '{"answer"']
    assert sorted(order, key=last.index) == order


def test_a_repair_for_a_format_fault_carries_neither_passages_nor_question():
    messages = repair_messages(
        rejected="{bad}", reason="syntax", language="en", schema=QAResponse, passages="SECRET"
    )
    text = "".join(message.content for message in messages)
    assert "{bad}" in text
    assert "SECRET" not in text
    assert "Question:" not in text


def test_a_repair_for_a_content_fault_carries_what_is_needed():
    messages = repair_messages(
        rejected="{}",
        reason="unknown source",
        language="zh",
        schema=QAResponse,
        passages="段落文本",
        question="多久？",
    )
    assert "段落文本" in messages[-1].content
    assert "多久？" in messages[-1].content


def test_a_huge_rejected_reply_is_cut():
    messages = repair_messages(
        rejected="x" * 1_000_000, reason="r", language="en", schema=QAResponse
    )
    assert len(messages[-1].content) < REJECTED_CHARS + 2000


@pytest.mark.parametrize("char", ["x", "换", "😀", "é"])
def test_the_longest_valid_object_fits_its_estimate(char):
    titles = ("returns-policy.md", "退货政策说明书.docx", "x" * 60)
    longest = {
        "answer": char * 200,
        "confidence": 0.123456,
        "category": "product",
        "sources": list(titles),
        "follow_up": [char * 30] * 3,
        "needs_human": False,
    }
    text = json.dumps(longest, ensure_ascii=False, indent=2)
    assert tokens(text) <= longest_object_tokens(QAResponse, titles)


class Appointment(QAResponse):
    due: datetime.date
    code: str = Field(pattern=r"^T-\d+$", default="T-1")
    seats: int = Field(default=1, ge=1, le=8)
    span: tuple[int, str] = (0, "")


def test_the_rules_say_how_dates_codes_and_numbers_are_written():
    rules = format_rules(Appointment, "en").splitlines()

    assert rules[-4:] == [
        '- due: text, like "2026-01-31".',
        r"- code: text, matching the pattern ^T-\d+$.",
        "- seats: whole number, ≥ 1, ≤ 8.",
        "- span: [whole number, text], at most 2.",
    ]
    assert "形如" in format_rules(Appointment, "zh")
    Appointment.model_validate_json(worked_example(Appointment, "en"))
    assert neutral_values(Appointment) == {"due": ""}, "a preset invents no date"


class Order(QAResponse):
    number: int = Field(ge=1234567, le=99999999)


def test_large_bounds_are_written_in_full():
    assert "- number: whole number, ≥ 1234567, ≤ 99999999." in format_rules(Order, "en")
