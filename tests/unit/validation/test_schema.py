"""Gate 2: the strict schema, and messages that a model can act on."""

from __future__ import annotations

import datetime
import enum
import json
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from ragqa.contract import QAResponse, QAResponseWithEntities, response_type
from ragqa.validation import CheckContext, Passed, Rejected
from ragqa.validation.schema import SchemaGate
from tests.unit.validation.replies import FIELDS


def faults(value: Any, schema: type[BaseModel] = QAResponse):
    outcome = SchemaGate().check(value, CheckContext(schema=schema))
    return outcome.faults if isinstance(outcome, Rejected) else ()


def only(value: Any, schema: type[BaseModel] = QAResponse):
    (fault,) = faults(value, schema)
    return fault


def test_fitting_object_becomes_an_instance():
    assert SchemaGate().check(FIELDS, CheckContext()) == Passed(QAResponse(**FIELDS))


@pytest.mark.parametrize(
    ("change", "code", "field", "feedback"),
    [
        (
            {"confidence": "92.5%"},
            "schema.type",
            "confidence",
            'confidence: must be a number from 0 to 1; you sent "92.5%"',
        ),
        (
            {"confidence": 92},
            "schema.range",
            "confidence",
            "confidence: must be a number from 0 to 1; you sent 92",
        ),
        ({"confidence": -0.1}, "schema.range", "confidence", "from 0 to 1; you sent -0.1"),
        ({"confidence": True}, "schema.type", "confidence", "you sent true"),
        ({"confidence": None}, "schema.type", "confidence", "you sent null"),
        (
            {"confidence": float("nan")},
            "schema.range",
            "confidence",
            "confidence: must be a finite number from 0 to 1; you sent NaN",
        ),
        ({"confidence": 10**400}, "schema.range", "confidence", "finite"),
        ({"answer": ""}, "schema.range", "answer", 'of 1 to 200 characters; you sent ""'),
        ({"answer": "  "}, "schema.range", "answer", "answer"),
        (
            {"answer": "x" * 312},
            "schema.range",
            "answer",
            "answer: must be text of 1 to 200 characters; you sent 312 characters",
        ),
        ({"answer": ["x"]}, "schema.type", "answer", "must be text of 1 to 200"),
        ({"answer": "x\ud800"}, "schema.type", "answer", "half a character"),
        (
            {"category": "politics"},
            "schema.range",
            "category",
            'must be one of "pricing", "policy", "product", "stock", "other"; you sent "politics"',
        ),
        ({"sources": "a.md"}, "schema.type", "sources", 'must be a list of texts; you sent "a.md"'),
        ({"sources": ["a", 3]}, "schema.type", "sources.1", "sources.1: must be text"),
        ({"sources": {"a": 1}}, "schema.type", "sources", "must be a list"),
        (
            {"follow_up": list("abcd")},
            "schema.range",
            "follow_up",
            "must be a list of texts of at most 3 entries; you sent 4 entries",
        ),
        ({"needs_human": 0}, "schema.type", "needs_human", "must be true or false; you sent 0"),
        ({"needs_human": "no"}, "schema.type", "needs_human", 'you sent "no"'),
        ({"reasoning": "x"}, "schema.extra", "reasoning", "reasoning: is no field; leave it out"),
    ],
)
def test_fault_names_field_rule_and_what_was_sent(change, code, field, feedback):
    fault = only({**FIELDS, **change})
    assert (fault.code, fault.field) == (code, field)
    assert feedback in fault.feedback
    assert fault.reason


def test_missing_field_is_named_with_its_rule():
    fault = only({key: item for key, item in FIELDS.items() if key != "sources"})
    assert (fault.code, fault.field) == ("schema.missing", "sources")
    assert fault.feedback == "sources: is missing; it must be a list of texts"


def test_all_faults_are_reported_the_worst_first():
    found = faults({"answer": 3, "confidence": 7, "category": "policy", "sources": [], "more": 1})
    assert [fault.code for fault in found] == [
        "schema.missing",
        "schema.missing",
        "schema.extra",
        "schema.type",
        "schema.range",
    ]


@pytest.mark.parametrize(
    ("key", "hint"),
    [("followUp", "did you mean follow_up?"), ("follow-up", "follow_up?"), ("folow_up", "up?")],
)
def test_misspelled_key_gets_a_hint(key, hint):
    fields = {**FIELDS, key: []}
    del fields["follow_up"]
    feedback = "\n".join(fault.feedback for fault in faults(fields))
    assert hint in feedback


def test_key_with_foreign_letters_is_spelled_out():
    fields = {**FIELDS, "аnswer": "x"}
    del fields["answer"]
    feedback = "\n".join(fault.feedback for fault in faults(fields))
    assert "\\u0430" in feedback


def test_feedback_is_bounded_whatever_was_sent():
    value = {**FIELDS, "answer": "x" * 100_000, "sources": ["y" * 100_000] * 50 + [3] * 500}
    value |= {f"key{n}" * 50: 1 for n in range(500)}
    assert sum(len(fault.feedback) for fault in faults(value)) < 10_000


def test_nested_faults_have_dotted_paths():
    entity = {"name": "K2", "entity_id": None, "price": "19 €"}
    fault = only({**FIELDS, "entities": [entity]}, QAResponseWithEntities)
    assert fault.field == "entities.0.price"
    assert fault.feedback == 'entities.0.price: must be a number or null; you sent "19 €"'


def test_limits_of_other_classes_are_told():
    chinese = response_type(categories=("价格咨询", "其他"), max_answer_chars=20)
    found = faults({**FIELDS, "category": "policy", "answer": "x" * 21}, chinese)
    feedback = "\n".join(fault.feedback for fault in found)
    assert '"价格咨询", "其他"' in feedback
    assert "of 1 to 20 characters" in feedback


SCHEMA = QAResponse.model_json_schema()
DESCRIPTIONS = {name: field.description for name, field in QAResponse.model_fields.items()}


@pytest.mark.parametrize(
    "value",
    [
        SCHEMA,
        {"properties": SCHEMA["properties"]},
        {"name": "QAResponse", "schema": SCHEMA, "strict": True},
        {"type": "json_schema", "json_schema": {"name": "QAResponse", "schema": SCHEMA}},
        {"type": "function", "function": {"name": "QAResponse", "parameters": SCHEMA}},
        SCHEMA["properties"],
        {"answer": "string", "confidence": "number", "category": "string", "sources": ["string"]},
        {name: {"type": "string"} for name in FIELDS},
        DESCRIPTIONS,
        {**FIELDS, "answer": DESCRIPTIONS["answer"]},
    ],
)
def test_echoed_schema_is_named(value):
    assert only(value).code == "schema.echoed"


def test_words_like_string_are_no_echo():
    assert not faults({**FIELDS, "answer": "A string of 20 lights."})


class Column(BaseModel):
    """Arguments of a tool that takes types and schemas."""

    dtype: str
    properties: dict[str, Any]


def test_tool_may_take_types_and_schemas():
    value = {"dtype": "string", "properties": {"dtype": {"type": "string"}}}
    assert not faults(value, Column)


class Level(enum.Enum):
    LOW = "low"


class Booking(BaseModel):
    """Arguments of a tool, with types that JSON writes as text."""

    day: datetime.date
    level: Level = Level.LOW
    price: Decimal | None = None
    tags: set[str] = set()
    pair: tuple[int, str] = (0, "")
    kind: Annotated[Literal["a", "b"], Field(validation_alias=AliasChoices("kind", "sort"))] = "a"


def test_json_decides_what_is_strict_not_python():
    value = {"day": "2026-03-01", "level": "low", "price": "1.5", "tags": ["x"], "pair": [1, "a"]}
    (passed,) = [SchemaGate().check(value, CheckContext(schema=Booking))]
    assert isinstance(passed, Passed)
    assert passed.value == Booking.model_validate_json(json.dumps(value), strict=True)
    assert only({"day": datetime.date(2026, 3, 1)}, Booking).code == "schema.type"
    assert only({"day": "soon"}, Booking).code == "schema.type"
    assert only({"day": "2026-03-01", "pair": (1, "a")}, Booking).code == "schema.type"
    assert only({"day": "2026-03-01", "level": "high"}, Booking).code == "schema.range"


def test_unknown_keys_are_refused_unless_the_schema_says_otherwise():
    class Silent(BaseModel):
        a: int

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        a: int

    assert only({"a": 1, "b": 2}, Silent).code == "schema.extra"
    assert not faults({"a": 1, "b": 2}, Open)


class Picky(BaseModel):
    """A schema with validators that raise."""

    a: int

    @field_validator("a")
    @classmethod
    def _check(cls, a: int) -> int:
        if a == 1:
            raise ValueError("one is taken")
        if a == 2:
            raise KeyError("two")
        if a == 3:
            raise RecursionError
        return a


def test_whatever_a_validator_raises_is_a_fault():
    fault = only({"a": 1}, Picky)
    assert (fault.code, fault.field) == ("schema.range", "a")
    assert "one is taken" in fault.feedback
    assert only({"a": 2}, Picky).code == "schema.error"
    assert only({"a": 3}, Picky).code == "schema.error"
    assert not faults({"a": 4}, Picky)


def test_instance_is_validated_anew():
    good = QAResponse(**FIELDS)
    assert SchemaGate().check(good, CheckContext()) == Passed(good)
    bad = QAResponse.model_construct(**{**FIELDS, "confidence": 7.0})
    assert only(bad).code == "schema.range"


def circular() -> dict[str, Any]:
    value: dict[str, Any] = {**FIELDS}
    value["answer"] = [value, value, value]
    return value


def deep() -> dict[str, Any]:
    value: Any = "x"
    for _ in range(5_000):
        value = [value]
    return {**FIELDS, "answer": value}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "{}",
        b"{}",
        3,
        [],
        [FIELDS],
        object(),
        QAResponse,
        circular(),
        deep(),
        {1: 2},
        {**FIELDS, ("a",): 1},
        {**FIELDS, "answer": b"x"},
        {**FIELDS, "sources": ("a",)},
        {**FIELDS, "sources": {"a"}},
        {**FIELDS, "answer": object()},
        {**FIELDS, "x\ud800": 1},
    ],
)
def test_other_values_are_rejected_not_raised(value):
    found = faults(value)
    assert found
    assert all(fault.code.startswith("schema.") and fault.feedback for fault in found)
    for fault in found:
        fault.feedback.encode()
        fault.field.encode()


class Appointment(BaseModel):
    due: datetime.date
    code: Annotated[str, Field(pattern=r"^T-\d+$")]
    minutes: Annotated[int, Field(multiple_of=5)]
    span: tuple[int, int]


def test_formats_patterns_and_places_are_told():
    told = {
        fault.field: fault.feedback
        for fault in faults({"due": "5 Jan", "code": "17", "minutes": 7, "span": [1]}, Appointment)
    }

    assert told == {
        "due": 'due: must be a date like 2026-01-31; you sent "5 Jan"',
        "code": r'code: must be text matching the pattern ^T-\d+$; you sent "17"',
        "minutes": "minutes: must be a whole number, a multiple of 5; you sent 7",
        "span.1": "span.1: is missing; it must be a whole number",
    }


class Order(BaseModel):
    number: int = Field(ge=1234567, le=99999999)
    batch: int = Field(multiple_of=1000001)


def test_large_bounds_are_told_in_full():
    told = [fault.feedback for fault in faults({"number": 1, "batch": 1}, Order)]

    assert told == [
        "number: must be a whole number from 1234567 to 99999999; you sent 1",
        "batch: must be a whole number, a multiple of 1000001; you sent 1",
    ]
