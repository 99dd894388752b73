"""Arguments of tool calls: what a tool accepts passes, anything else is told in words."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from ragqa.agent.arguments.check import ArgumentsGate, plain
from ragqa.errors import ConfigError
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.gates import Gates
from ragqa.validation.grounded import ContextGate
from ragqa.validation.rules import Default, Normalise, RulesGate

TOOLS = Path(__file__).parents[4].parent / "shared" / "data" / "tool_calls"
needs_data = pytest.mark.skipif(not TOOLS.is_dir(), reason="the shared data is not here")

ORDER = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 2},
        "nights": {"type": "integer", "minimum": 1, "maximum": 30},
        "price": {"type": "number"},
        "room": {"enum": ["single", "double"]},
        "guest": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name"],
        },
        "extras": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
        "note": {"type": ["string", "null"]},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-\\d+$"},
        "breakfast": {"type": "boolean"},
    },
    "required": ["city", "nights"],
}


@dataclass
class Checked:
    """What a gate says of arguments."""

    outcome: Outcome

    @property
    def ok(self) -> bool:
        return isinstance(self.outcome, Passed)

    @property
    def arguments(self) -> dict[str, Any]:
        return plain(self.outcome.value)

    @property
    def faults(self) -> tuple[Fault, ...]:
        return () if isinstance(self.outcome, Passed) else self.outcome.faults

    @property
    def feedback(self) -> str:
        return "\n".join(fault.feedback for fault in self.faults)


def check(schema: Any, arguments: Any) -> Checked:
    return Checked(ArgumentsGate(schema).check(arguments, CheckContext()))


FINE: dict[str, Any] = {"city": "Delft", "nights": 2}


class Guest(BaseModel):
    name: str
    age: int | None = None


class Booking(BaseModel):
    city: str = Field(min_length=2)
    nights: int = Field(ge=1, le=30)
    price: float = 0.0
    room: Literal["single", "double"] = "single"
    guest: Guest | None = None
    day: date | None = None


@pytest.mark.parametrize("schema", [ORDER, Booking])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"price": 80},
        {"price": 80.5},
        {"room": "double"},
        {"guest": {"name": "Ada", "age": 36}},
    ],
)
def test_what_the_tool_accepts_passes_unchanged(schema: Any, more: dict[str, Any]) -> None:
    sent = {**FINE, **more}

    for form in (sent, json.dumps(sent)):
        found = check(schema, form)

        assert found.ok
        assert found.arguments == sent


@pytest.mark.parametrize("schema", [ORDER, Booking])
@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ({"city": None}, "schema.type", ["city", "text", "null"]),
        ({"city": 5}, "schema.type", ["city", "text", "5"]),
        ({"city": "D"}, "schema.range", ["city", '"D"']),
        ({"nights": "2"}, "schema.type", ["nights", "whole number", '"2"']),
        ({"nights": 2.5}, "schema.type", ["nights", "whole number", "2.5"]),
        ({"nights": True}, "schema.type", ["nights", "whole number", "true"]),
        ({"nights": 31}, "schema.range", ["nights", "30", "31"]),
        ({"price": "80"}, "schema.type", ["price", "number", '"80"']),
        ({"room": "suite"}, "schema.range", ["room", '"single"', '"double"', '"suite"']),
        ({"room": "Double"}, "schema.range", ["room", '"double"']),
        ({"guest": "Ada"}, "schema.type", ["guest", "object"]),
        ({"guest": {"age": 3}}, "schema.missing", ["guest.name", "text"]),
        ({"guest": {"name": "A", "age": "3"}}, "schema.type", ["guest.age", '"3"']),
        ({"guest": {"name": "A", "shoe": 3}}, "schema.extra", ["guest.shoe"]),
        ({"citty": "Delft"}, "schema.extra", ["citty"]),
        ({"prise": 5}, "schema.extra", ["prise"]),
    ],
)
def test_what_it_does_not_accept_is_told_in_words(
    schema: Any, more: dict[str, Any], code: str, words: list[str]
) -> None:
    found = check(schema, {**FINE, **more})

    assert code in [fault.code for fault in found.faults]
    assert all(word in found.feedback for word in words), found.feedback


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"extras": "towel"}, ["extras", "list of texts"]),
        ({"extras": ["towel", 3]}, ["extras.1", "text", "3"]),
        ({"extras": ["a"] * 4}, ["extras", "at most 3"]),
        ({"note": 3}, ["note", "text or null"]),
        ({"code": "ab-1"}, ["code", "[A-Z]{2}"]),
        ({"breakfast": "yes"}, ["breakfast", "true or false"]),
        ({"breakfast": 1}, ["breakfast", "true or false"]),
        ({"room": ["double"]}, ["room", '"double"']),
    ],
)
def test_rules_of_a_json_schema_hold(more: dict[str, Any], words: list[str]) -> None:
    found = check(ORDER, {**FINE, **more})

    assert not found.ok
    assert all(word in found.feedback for word in words), found.feedback


def test_every_fault_is_told_the_worst_first() -> None:
    found = check(ORDER, {"city": 5, "nigts": 2, "room": "suite"})

    codes = [fault.code for fault in found.faults]
    assert codes == ["schema.missing", "schema.extra", "schema.type", "schema.range"]
    assert "did you mean nights?" in found.feedback


@pytest.mark.parametrize("schema", [ORDER, Booking])
def test_a_whole_number_with_a_point_is_a_whole_number(schema: Any) -> None:
    found = check(schema, '{"city": "Delft", "nights": 2.0, "price": 80.0}')

    assert found.arguments == {"city": "Delft", "nights": 2, "price": 80.0}
    assert type(found.arguments["nights"]) is int
    assert type(found.arguments["price"]) is float
    assert found.outcome.repairs == ("whole_number",)
    assert not check(schema, {**FINE, "nights": 1e300}).ok


@pytest.mark.parametrize(
    "text",
    ['{"city": "Del', "Delft", "[]", '"Delft"', "{'city': 'Delft'}", '{"city":"A1","city":"B1"}'],
)
def test_texts_that_are_no_object_are_refused(text: str) -> None:
    found = check(ORDER, text)

    assert [fault.code.partition(".")[0] for fault in found.faults] in (["syntax"], ["schema"])
    assert "JSON" in found.feedback


@pytest.mark.parametrize("nothing", [None, "", "  ", "{}", {}])
def test_a_tool_without_arguments_is_called_with_none(nothing: Any) -> None:
    assert check(None, nothing).ok
    assert check({"type": "object"}, nothing).arguments == {}
    assert not check(None, {"city": "Delft"}).ok
    assert not check(ORDER, nothing).ok


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "\ud800", {"a": {1}}, 10**400, b"x", {1: 2}]
)
def test_values_that_no_json_holds_are_refused(value: Any) -> None:
    schema: dict[str, Any] = {"properties": {"x": {}}}

    assert not check(schema, {"x": value}).ok


def test_names_of_other_languages_types_are_understood() -> None:
    schema = {
        "type": "dict",
        "properties": {
            "at": {"type": "tuple", "items": {"type": "float"}},
            "info": {"type": "dict", "properties": {"n": {"type": "int"}}},
            "free": {"type": "dict"},
            "any": {"type": "any"},
            "maybe": {"type": "string", "nullable": True},
        },
    }
    fine = {"at": [1, 2.5], "info": {"n": 1}, "free": {"x": [1]}, "any": [None], "maybe": None}

    assert check(schema, fine).arguments == fine
    assert not check(schema, {**fine, "at": ["1"]}).ok
    assert not check(schema, {**fine, "info": {"n": 1, "m": 2}}).ok
    assert not check(schema, {**fine, "free": []}).ok


def test_alternatives_are_judged_by_the_one_that_was_meant() -> None:
    schema = {
        "$defs": {
            "Card": {
                "type": "object",
                "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
                "required": ["kind", "number"],
            },
            "Cash": {
                "type": "object",
                "properties": {"kind": {"const": "cash"}},
                "required": ["kind"],
            },
        },
        "properties": {"by": {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}]}},
    }

    assert check(schema, {"by": {"kind": "cash"}}).ok
    assert check(schema, {"by": {"kind": "card", "number": "12"}}).ok
    assert (
        check(schema, {"by": {"kind": "card"}}).feedback == "by.number: is missing; it must be text"
    )
    assert not check(schema, {"by": {"kind": "cash", "number": "12"}}).ok
    assert not check(schema, {"by": {"kind": "gold"}}).ok


def test_joined_schemas_share_their_names() -> None:
    schema: dict[str, Any] = {
        "allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {}}}],
        "properties": {"c": {}},
    }

    assert check(schema, {"a": 1, "b": 2, "c": 3}).ok
    assert "d: is no parameter" in check(schema, {"a": 1, "d": 3}).feedback


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}},
        {"properties": {"a": {"$ref": "#/$defs/none"}}},
        {"properties": {"a": {"type": "string", "pattern": "("}}},
    ],
)
def test_a_schema_that_cannot_be_used_is_an_error_of_whoever_wrote_it(schema: Any) -> None:
    with pytest.raises(ConfigError):
        check(schema, {"a": "x"})


def test_patterns_take_linear_time() -> None:
    schema = {"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    started = time.perf_counter()

    assert not check(schema, {"a": "a" * 5000 + "!"}).ok
    assert time.perf_counter() - started < 1


def test_the_gate_stands_before_rules_and_context() -> None:
    rules = RulesGate((Normalise("city", str.title, "city"), Default("room", "single")))
    gates = Gates((ArgumentsGate(ORDER), rules, ContextGate()))

    fine = gates.judge('{"city": "delft", "nights": 2.0}', CheckContext())
    assert fine.accepted
    assert fine.repairs == ("whole_number", "city", "default")
    assert plain(fine.response) == {"city": "Delft", "nights": 2, "room": "single"}

    wrong = gates.judge({**FINE, "nights": "2"}, CheckContext())
    assert wrong.code == "schema.type"
    attack = gates.judge({**FINE, "guest": {"name": "x'; DROP TABLE guests; --"}}, CheckContext())
    assert attack.code == "context.suspicious"


def test_a_rule_cannot_put_in_what_the_schema_forbids() -> None:
    gates = Gates((ArgumentsGate(ORDER), RulesGate((Default("room", "suite"),))))

    verdict = gates.judge(FINE, CheckContext())

    assert not verdict.accepted
    assert '"single"' in verdict.feedback


def test_parameters_with_names_of_methods_are_kept() -> None:
    schema = {"properties": {name: {"type": "string"} for name in ("copy", "_id", "json", "a-b")}}
    sent = {"copy": "1", "_id": "2", "json": "3", "a-b": "../../etc/passwd"}

    outcome = ArgumentsGate(schema).check(sent, CheckContext())

    assert isinstance(outcome, Passed)
    assert plain(outcome.value) == sent
    assert isinstance(ContextGate().check(outcome.value, CheckContext()), Rejected)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=8,
    )
)
@settings(max_examples=150)
def test_nothing_raises_and_what_passes_is_what_was_sent(value: Any) -> None:
    for schema in (ORDER, Booking):
        found = check(schema, {**FINE, "guest": value})
        assert found.ok == bool(not found.faults)
        if found.ok and found.arguments != {**FINE, "guest": value}:
            assert found.outcome.repairs


# --- real tools ---------------------------------------------------------------------------------


def _tasks() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    lines = (TOOLS / "BFCL_v4_simple_python.json").read_text(encoding="utf-8").splitlines()
    answers = (TOOLS / "simple_python_possible_answers.json").read_text(encoding="utf-8")
    tasks = []
    for line, told in zip(lines, answers.splitlines(), strict=True):
        task, answer = json.loads(line), json.loads(told)
        parameters = task["function"][0]["parameters"]
        (accepted,) = answer["ground_truth"][0].values()
        tasks.append((task["id"], parameters, _accepted(parameters, accepted)))
    return tasks


def _accepted(parameters: dict[str, Any], accepted: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the first accepted value of each parameter; an empty text says to leave it out."""
    chosen: dict[str, Any] = {}
    for name, values in accepted.items():
        if values[0] != "":
            chosen[name] = _plain(values[0])
        elif name in parameters["required"]:
            chosen[name] = _plain(next(value for value in values if value != ""))
    return chosen


def _plain(value: Any) -> Any:
    """Return an accepted value; the members of an object list what is accepted there."""
    if isinstance(value, dict):
        return {key: _plain(values[0]) for key, values in value.items() if values[0] != ""}
    return [_plain(each) for each in value] if isinstance(value, list) else value


@needs_data
def test_accepted_arguments_of_real_tools_are_accepted() -> None:
    tasks = _tasks()
    refused = {name: check(schema, sent).feedback for name, schema, sent in tasks}

    assert len(tasks) == 400
    assert {name: told for name, told in refused.items() if told} == {}


@needs_data
def test_mutated_arguments_of_real_tools_are_refused() -> None:
    tried = 0
    for name, schema, sent in _tasks()[::2]:
        gate = ArgumentsGate(schema)
        for what, mutated in _mutants(schema, sent):
            tried += 1
            found = Checked(gate.check(mutated, CheckContext()))
            assert not found.ok, (name, what, mutated)
            assert what in found.feedback, (name, what, found.feedback)
    assert tried > 1500


_WRONG: dict[str, list[Any]] = {
    "string": [7, True, None, ["a"], {"a": "b"}],
    "integer": ["7", 7.5, True, None, [7]],
    "float": ["7.5", False, None, [7.5]],
    "boolean": ["true", 1, 0, None],
    "array": ["a", {"a": 1}, 7, None],
    "tuple": ["1, 2", {"a": 1}],
    "dict": ["a", ["a"], 7],
}


def _mutants(schema: dict[str, Any], sent: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "no_such_parameter", {**sent, "no_such_parameter": 1}
    for name in schema["required"]:
        yield name, {key: value for key, value in sent.items() if key != name}
    for name, node in schema["properties"].items():
        for wrong in _WRONG.get(node["type"], []):
            yield name, {**sent, name: wrong}
        if "enum" in node:
            yield name, {**sent, name: "no such value"}
        entries = node.get("items", {}).get("type")
        if isinstance(sent.get(name), list) and entries in _WRONG:
            yield f"{name}.0", {**sent, name: [_WRONG[entries][0], *sent[name]]}
        for member, inner in node.get("properties", {}).items():
            if isinstance(sent.get(name), dict):
                wrong = {**sent[name], member: _WRONG[inner["type"]][0]}
                yield f"{name}.{member}", {**sent, name: wrong}
                yield f"{name}.other", {**sent, name: {**sent[name], "other": 1}}
