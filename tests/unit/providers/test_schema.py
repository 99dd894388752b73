from __future__ import annotations

import json
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from ragqa.contract import QAResponse, QAResponseWithEntities, response_type
from ragqa.providers.schema import response_format, wire_schema
from tests.wire.openai_strict import check_strict


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Part(BaseModel):
    """A part of something.

    A second paragraph that no model needs.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=2, max_length=20, pattern="^[a-z]+$", description="Its name.")
    weight: float | None = Field(None, ge=0, lt=100)
    made: date | None = None


class Rich(QAResponse):
    """A response with everything that a caller may add."""

    ticket: str | None = Field(None, description="The ticket, else null.")
    priority: Literal[1, 2, 3] = 2
    mixed: Literal["a", 1, None] = "a"
    size: Size = Size.SMALL
    main: Part = Field(description="The main part.")
    spare: Part | None = None
    parts: Annotated[list[Part], Field(min_length=1, max_length=5, description="All parts.")]
    only: Literal["x"] = "x"


class Node(BaseModel):
    label: str
    children: list[Node] = Field(default_factory=list, description="Below it.")
    parent: Node | None = Field(None, description="Above it.")


class Tree(BaseModel):
    root: Node = Field(description="The root.")


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(9, multiple_of=1)


class Dog(BaseModel):
    kind: Literal["dog"]
    tricks: list[str] = Field([], max_length=3)


class Pet(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


STRICT = [
    QAResponse,
    QAResponseWithEntities,
    response_type(categories=("价格咨询", "其他"), max_answer_chars=80, entities=True),
    Rich,
    Part,
    Node,
    Tree,
    Pet,
]


@pytest.mark.parametrize("model", STRICT)
def test_strict_modes_take_the_schema(model: type[BaseModel]) -> None:
    schema, strict = wire_schema(model)
    assert strict
    check_strict(schema, "refused", "response_format")


@pytest.mark.parametrize("model", STRICT)
def test_nothing_that_is_required_or_allowed_is_lost(model: type[BaseModel]) -> None:
    schema, _ = wire_schema(model)
    properties = schema["properties"] if "properties" in schema else schema["$defs"]
    assert set(properties) >= set(model.model_fields) or "Node" in properties


def test_limits_are_said_where_they_are_taken_out() -> None:
    schema, _ = wire_schema(QAResponse)
    answer = schema["properties"]["answer"]
    assert answer["description"].startswith(QAResponse.model_fields["answer"].description or "")
    assert "at most 200" in answer["description"]
    assert "At most 3 items." in schema["properties"]["follow_up"]["description"]
    assert schema["properties"]["category"]["enum"] == list(QAResponse.categories)
    name = wire_schema(Part)[0]["properties"]["name"]
    assert name == {
        "type": "string",
        "description": (
            "Its name. Length: at least 2. Length: at most 20. "
            "Matches the regular expression ^[a-z]+$"
        ),
    }


def test_nullable_and_default_fields_are_required() -> None:
    schema, _ = wire_schema(Rich)
    assert schema["required"] == list(schema["properties"])
    assert schema["properties"]["ticket"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert schema["properties"]["priority"]["enum"] == [1, 2, 3]
    assert schema["properties"]["mixed"]["type"] == ["integer", "null", "string"]
    assert schema["properties"]["only"]["enum"] == ["x"]
    assert "default" not in json.dumps(schema)


def test_a_described_reference_is_put_in_place() -> None:
    main = wire_schema(Rich)[0]["properties"]["main"]
    assert main["description"] == "The main part."
    assert "name" in main["properties"]


def test_recursive_classes_keep_their_references() -> None:
    schema, strict = wire_schema(Node)
    assert strict
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert schema["$defs"].keys() == {"Node"}


def test_only_the_first_paragraph_of_a_docstring_is_sent() -> None:
    schema, _ = wire_schema(Part)
    assert schema["description"] == "A part of something."
    assert "SupportResponse" not in json.dumps(wire_schema(QAResponse)[0])


@pytest.mark.parametrize(
    "kind", [dict[str, int], dict[str, Any], Any, tuple[int, str], list[Any], list[dict[str, str]]]
)
def test_what_strict_modes_cannot_express_is_asked_for_loosely(kind: Any) -> None:
    model = type("Loose", (BaseModel,), {"__annotations__": {"value": kind}})
    format_ = response_format(model)
    assert format_["json_schema"]["strict"] is False
    assert format_["json_schema"]["schema"]["required"] == ["value"]


@pytest.mark.parametrize(
    ("name", "sent"),
    [("QAResponse", "QAResponse"), ("A[b]", "A_b"), ("客服", "response"), ("x" * 99, "x" * 64)],
)
def test_names_are_what_services_take(name: str, sent: str) -> None:
    assert response_format(type(name, (QAResponse,), {}))["json_schema"]["name"] == sent


def test_it_is_made_once() -> None:
    assert response_format(QAResponse) is response_format(QAResponse)
