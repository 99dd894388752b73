"""Definitions of tools are checked when they are registered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from langchain_core.tools import StructuredTool, tool

from ragqa.agent.tools.definitions import (
    MAX_NAME_CHARS,
    checked_definition,
    checked_definitions,
    definition_of,
    wire_name,
)
from ragqa.errors import ConfigError

TOOLS = Path(__file__).parents[4].parent / "shared" / "data" / "tool_calls"
needs_data = pytest.mark.skipif(not TOOLS.is_dir(), reason="the shared data is not here")

WHEN = "Looks up an order by its number. Use it whenever a state is asked for."
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "kind": {"enum": ["new", "old"]}},
    "required": ["order_id"],
}


@pytest.mark.parametrize("description", [WHEN, "查询订单的当前状态，用户问到订单时使用。"])
@pytest.mark.parametrize("schema", [SCHEMA, None, {"type": "dict", "properties": {}}])
def test_a_good_definition_passes(description, schema):
    definition = checked_definition("get_order", description, schema)

    assert definition.name == "get_order"
    assert definition.schema["type"] == "object"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getOrder", "'get_order'"),
        ("get-order", "'get_order'"),
        ("Get Order", "'get_order'"),
        ("查询订单", "snake_case"),
        ("", "snake_case"),
        ("2nd_order", "snake_case"),
        ("get__order", "'get_order'"),
        ("a" * (MAX_NAME_CHARS + 1), "64"),
        ("search_documents", "ragqa's own tool"),
        ("calculate", "ragqa's own tool"),
    ],
)
def test_bad_names_are_refused_with_a_better_one(name, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        checked_definition(name, WHEN, SCHEMA)


@pytest.mark.parametrize(
    "description",
    [None, "", "  ", "TODO", "get order", "Get order.", "A tool.", "查询订单", "tool"],
)
def test_descriptions_have_to_say_when_to_use_it(description):
    with pytest.raises(ConfigError, match="when to use it"):
        checked_definition("get_order", description, SCHEMA)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"properties": {"a": {}}}, "'a' has no type"),
        ({"properties": {"a": {"type": "object", "properties": {"b": {}}}}}, "'a.b' has no type"),
        ({"properties": {"a": {"type": "text"}}}, "no JSON schema"),
        ({"properties": {"a": {"type": "string", "enum": []}}}, "is empty"),
        ({"properties": {"a": {"type": "string", "enum": ["x", "x"]}}}, "twice"),
        ({"properties": {"a": {"type": "integer", "enum": ["x"]}}}, "'x', which is no integer"),
        ({"properties": {"a": {"type": "string"}}, "required": ["b"]}, "requires 'b'"),
        ({"properties": {"a b": {"type": "string"}}}, "'a b' has no name"),
        ({"properties": {"a": {"type": "string", "pattern": "("}}}, "pattern"),
        ({"type": "array", "items": {"type": "string"}}, "are an object"),
        ({"properties": ["a"]}, "no JSON schema"),
        (int, "no schema of arguments"),
        ("string", "no schema of arguments"),
    ],
)
def test_schemas_that_mislead_are_refused(schema, words):
    with pytest.raises(ConfigError, match=re.escape(words)) as caught:
        checked_definition("get_order", WHEN, schema)
    assert "'get_order'" in caught.value.message
    assert caught.value.hint


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(ConfigError) as caught:
        checked_definition("getOrder", "", {"properties": {"a": {}}})
    assert all(word in caught.value.message for word in ("snake_case", "description", "no type"))


def test_two_tools_cannot_bear_one_name():
    one = checked_definition("get-order", WHEN, SCHEMA, foreign=True)
    other = checked_definition("get_order", WHEN, SCHEMA)

    assert checked_definitions([other]) == {"get_order": other}
    with pytest.raises(ConfigError, match="'get-order' and 'get_order'"):
        checked_definitions([one, other])


def test_tools_of_servers_get_names_that_services_take():
    definition = checked_definition(
        "get-weather.v2", "Weather", {"properties": {"a": {}}}, foreign=True
    )

    assert definition.name == "get_weather_v2"
    assert definition.foreign_name == "get-weather.v2"
    with pytest.raises(ConfigError, match="no description"):
        checked_definition("get-weather", "", SCHEMA, foreign=True)
    assert wire_name("createHTTPRoute") == "create_http_route"


def test_langchain_tools_are_read_without_what_is_injected():
    @tool
    def cancel_order(order_id: str, reason: Literal["late", "broken"] = "late") -> str:
        """Cancels an order that is not shipped yet, when the customer asks for it."""
        return order_id + reason

    definition = definition_of(cancel_order)
    assert definition.schema["required"] == ["order_id"]
    foreign = StructuredTool(
        name="get-order", description="Orders", args_schema=SCHEMA, func=lambda **_: ""
    )
    assert definition_of(foreign).name == "get_order"


@needs_data
def test_definitions_of_real_tools_pass_under_a_wire_name():
    passed = 0
    for file in ("BFCL_v4_simple_python.json", "BFCL_v4_irrelevance.json"):
        for line in (TOOLS / file).read_text(encoding="utf-8").splitlines():
            for each in json.loads(line)["function"]:
                told = (each["description"], each["parameters"])
                checked_definition(each["name"], *told, foreign=True)
                passed += 1
    assert passed == 640
