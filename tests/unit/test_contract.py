"""The contract: strict, extensible, and nothing of a subclass is lost."""

from __future__ import annotations

import gc
import json
import weakref
from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from ragqa.contract import (
    CHINESE_CATEGORIES,
    Answer,
    Attempt,
    Caller,
    Passage,
    QAResponse,
    Question,
    Usage,
    response_type,
)

GOOD = {
    "answer": "Thirty days.",
    "confidence": 0.9,
    "category": "policy",
    "sources": ["returns.md"],
    "follow_up": [],
    "needs_human": False,
}


def test_a_good_object_passes_and_keeps_its_values():
    assert QAResponse.model_validate(GOOD).model_dump() == GOOD


@pytest.mark.parametrize("field", list(GOOD))
def test_every_field_is_required(field):
    with pytest.raises(ValidationError, match="Field required"):
        QAResponse.model_validate({key: value for key, value in GOOD.items() if key != field})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("answer", "x" * 201),
        ("answer", "  \n"),
        ("answer", 5),
        ("answer", "half \ud83d"),
        ("confidence", "0.9"),
        ("confidence", "92.5%"),
        ("confidence", 1.01),
        ("confidence", -0.01),
        ("confidence", float("nan")),
        ("confidence", float("inf")),
        ("confidence", True),
        ("category", "weather"),
        ("category", "Policy"),
        ("sources", "returns.md"),
        ("sources", None),
        ("sources", [1]),
        ("sources", [""]),
        ("follow_up", ["a", "b", "c", "d"]),
        ("needs_human", "false"),
        ("needs_human", 0),
    ],
)
def test_nothing_is_coerced(field, value):
    with pytest.raises(ValidationError):
        QAResponse.model_validate({**GOOD, field: value})


def test_unknown_fields_are_rejected():
    with pytest.raises(ValidationError, match="Extra inputs"):
        QAResponse.model_validate({**GOOD, "reasoning": "because"})


def test_200_characters_of_any_script_fit():
    for char in "x换😀":
        assert QAResponse.model_validate({**GOOD, "answer": char * 200}).answer == char * 200


def test_categories_and_length_are_configured_without_forking():
    kind = response_type(categories=CHINESE_CATEGORIES, max_answer_chars=400)
    kind.model_validate({**GOOD, "category": "价格咨询", "answer": "x" * 400})
    with pytest.raises(ValidationError):
        kind.model_validate(GOOD)
    properties = kind.model_json_schema()["properties"]
    assert properties["category"]["enum"] == list(CHINESE_CATEGORIES)
    assert properties["answer"]["maxLength"] == 400


def test_a_class_that_is_not_asked_for_any_more_is_let_go():
    kept = weakref.ref(response_type(categories=("of a caller",)))
    assert response_type(categories=("of a caller",)) is kept()
    for number in range(response_type.cache_info().maxsize):
        response_type(categories=(f"of caller {number}",))
    gc.collect()
    assert kept() is None


def test_a_subclass_may_redeclare_fields_the_pydantic_way():
    class Support(QAResponse):
        category: Literal["billing", "other"]
        answer: Annotated[str, Field(max_length=300)]
        ticket: str | None = None

    value = Support.model_validate({**GOOD, "category": "billing", "answer": "x" * 300})
    assert Support.categories == ("billing", "other")
    assert value.ticket is None
    with pytest.raises(ValidationError):
        Support.model_validate({**GOOD, "category": "policy"})


def test_a_subclass_keeps_its_fields_in_the_answers_json():
    class Support(QAResponse):
        ticket: str

    answer = Answer(
        response=Support.model_validate({**GOOD, "ticket": "T-1"}),
        status="answered",
        chain="stuff",
        run_id="run_1",
    )
    assert json.loads(answer.model_dump_json())["response"]["ticket"] == "T-1"


def test_entities_are_optional_and_strict():
    kind = response_type(entities=True)
    entity = {"name": "K2", "entity_id": "K2-W", "price": 49.0}
    assert kind.model_validate({**GOOD, "entities": [entity]}).entities[0].price == 49.0
    for bad in ({**entity, "price": "49"}, {**entity, "colour": "red"}, {"name": "K2"}):
        with pytest.raises(ValidationError):
            kind.model_validate({**GOOD, "entities": [bad]})


def test_every_field_tells_the_model_its_rule():
    for name, field in response_type(entities=True).model_json_schema()["properties"].items():
        assert field.get("description"), name


def test_a_passages_json_holds_no_text():
    passage = Passage(id="a", title="a.md", text="secret text", score=1.5, score_kind="bm25")
    assert passage.model_dump(mode="json") == {
        "id": "a",
        "title": "a.md",
        "score": 1.5,
        "score_kind": "bm25",
    }


def test_an_answers_json_can_be_read_back():
    passage = Passage(id="a", title="a.md", text="secret text", score=1.5, score_kind="bm25")
    answer = Answer(
        response=QAResponse(**GOOD),
        status="answered",
        chain="stuff",
        run_id="run_1",
        passages=(passage,),
        attempts=(Attempt(verdict="accepted", code="ok", gate="context"),),
    )
    said = answer.model_dump_json()
    assert Answer.model_validate_json(said).model_dump_json() == said


@pytest.mark.parametrize(
    ("raw", "tidy"),
    [
        ("  How long?\r\n", "How long?"),
        ("\ufeffHow\u200b long\u00ad?", "How long?"),
        ("a\tb\u3000c", "a b c"),
        ("\u202eevil\u202c", "evil"),
        ("👩‍👩‍👧 family", "👩‍👩‍👧 family"),
        ("null\x00byte", "nullbyte"),
        ("half \ud83d", "half"),
    ],
)
def test_questions_are_tidied(raw, tidy):
    assert Question.of(raw).text == tidy


@pytest.mark.parametrize("raw", ["", "  \n\t", "\u200b\ufeff", "x" * 4001])
def test_empty_and_overlong_questions_are_refused(raw):
    with pytest.raises(ValueError, match="question"):
        Question.of(raw)


def test_who_may_see_what():
    nobody, staff = Caller(), Caller(groups=("staff",))
    assert nobody.may_see(("*",))
    assert not nobody.may_see(("staff",))
    assert not nobody.may_see(())
    assert staff.may_see(("hr", "staff"))
    assert not staff.may_see(("hr",))


def test_a_token_is_not_printed():
    assert "s3cret" not in repr(Caller(token="s3cret"))


def test_usages_add_up():
    total = Usage(calls=1, prompt_tokens=5) + Usage(calls=1, completion_tokens=2, cost=0.5)
    assert total == Usage(calls=2, prompt_tokens=5, completion_tokens=2, cost=0.5)
    assert (Usage() + Usage()).cost is None
