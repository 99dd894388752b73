"""Definitions of tools are checked when they are registered."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import InjectedToolArg, StructuredTool, tool

from ragqa.agent.tools.definitions import (
    MAX_NAME_CHARS,
    registered_name,
    registered_name_of,
    wire_name,
)
from ragqa.agent.tools.toolbox import toolbox
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
    assert registered_name("get_order", description, schema) == "get_order"


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
        registered_name(name, WHEN, SCHEMA)


@pytest.mark.parametrize(
    "description",
    [None, "", "  ", "TODO", "get order", "Get order.", "A tool.", "查询订单", "tool"],
)
def test_descriptions_have_to_say_when_to_use_it(description):
    with pytest.raises(ConfigError, match="when to use it"):
        registered_name("get_order", description, SCHEMA)


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
        registered_name("get_order", WHEN, schema)
    assert "'get_order'" in caught.value.message
    assert caught.value.hint


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(ConfigError) as caught:
        registered_name("getOrder", "", {"properties": {"a": {}}})
    assert all(word in caught.value.message for word in ("snake_case", "description", "no type"))


def test_two_tools_cannot_bear_one_name():
    one, other = _foreign("get-order"), _foreign("get_order")

    assert toolbox([other]).tools == {"get_order": other}
    for tools in ([one, other], [one, _foreign("get-order")], [one, one]):
        with pytest.raises(ConfigError, match="Two tools are called 'get_order'") as caught:
            toolbox(tools)
        assert f"({tools[0].name!r} and {tools[1].name!r})" in caught.value.message


def _foreign(name):
    return StructuredTool(name=name, description="Orders", args_schema=SCHEMA, func=lambda **_: "")


def test_tools_of_servers_get_names_that_services_take():
    schema = {"properties": {"a": {}}}

    assert registered_name("get-weather.v2", "Weather", schema, foreign=True) == "get_weather_v2"
    with pytest.raises(ConfigError, match="no description"):
        registered_name("get-weather", "", SCHEMA, foreign=True)
    assert wire_name("createHTTPRoute") == "create_http_route"


def test_langchain_tools_are_read_without_what_is_injected():
    @tool
    def cancel_order(
        order_id: str, key: Annotated[Any, InjectedToolArg], reason: Literal["late"] = "late"
    ) -> str:
        """Cancels an order that is not shipped yet, when the customer asks for it."""
        return order_id + reason + key

    assert registered_name_of(cancel_order) == "cancel_order"
    assert registered_name_of(_foreign("get-order")) == "get_order"


@needs_data
def test_definitions_of_real_tools_pass_under_a_wire_name():
    passed = 0
    for file in ("BFCL_v4_simple_python.json", "BFCL_v4_irrelevance.json"):
        for line in (TOOLS / file).read_text(encoding="utf-8").splitlines():
            for each in json.loads(line)["function"]:
                told = (each["description"], each["parameters"])
                registered_name(each["name"], *told, foreign=True)
                passed += 1
    assert passed == 640
