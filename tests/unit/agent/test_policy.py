"""Policies that contradict themselves, and keys of operations."""

import re

import pytest

from ragqa.agent.execution.operation_key import operation_key
from ragqa.agent.policy import UNDECLARED, ToolPolicy
from ragqa.agent.verification import Operation, Verification, judged
from ragqa.errors import ConfigError
from ragqa.masking import mask


def look_up(operation):
    return None


@pytest.mark.parametrize(
    "changes",
    [
        {"timeout_s": 0},
        {"timeout_s": float("nan")},
        {"settle_s": -1},
        {"retries": -1},
        {"key_lifetime_s": 0},
        {"approval_lifetime_s": 0},
        {"max_result_chars": 0},
        {"read_only": True, "effect": "sent mail"},
        {"read_only": True, "claims": ("sent",)},
        {"read_only": True, "key": ("to",)},
        {"read_only": True, "key_parameter": "key"},
        {"read_only": True, "verifier": look_up},
        {"read_only": True, "asynchronous": True},
        {"asynchronous": True},
        {"completes": "verified"},
        {"repeatable": True, "key": ("to",)},
        {"retries": 1},
        {"retries": 1, "verifier": look_up},
        {"retries": 1, "key_parameter": "key"},
    ],
    ids=",".join,
)
def test_a_policy_that_cannot_hold_is_refused(changes):
    with pytest.raises(ConfigError, match="cannot hold"):
        ToolPolicy(**changes)


def test_a_tool_without_a_policy_is_an_effect():
    assert not UNDECLARED.read_only
    assert not UNDECLARED.approval
    assert UNDECLARED.retries == 0


def test_one_name_will_do_where_several_may_stand():
    policy = ToolPolicy(claims="sent", key="to", compares="to", groups=["staff"])
    assert (policy.claims, policy.key, policy.compared) == (("sent",), ("to",), {"to": "to"})
    assert policy.groups == ("staff",)


def test_a_policy_is_a_value():
    with pytest.raises(AttributeError):
        ToolPolicy().retries = 3
    assert ToolPolicy(key="to") == ToolPolicy(key=("to",))


def key_of(arguments, tool="send", run_id="run", session_id=None, **changes):
    policy = ToolPolicy(**{"key": ("to", "text"), **changes})
    return operation_key(tool, policy, arguments, run_id=run_id, session_id=session_id)


def test_the_key_is_that_of_the_operation():
    one = key_of({"to": "ann", "text": "hi", "urgent": True})
    assert one == key_of({"urgent": False, "text": "hi", "to": "ann"}, run_id="other")
    assert one != key_of({"to": "ann", "text": "hi!"})
    assert one != key_of({"to": "ann", "text": "hi"}, tool="post")
    assert key_of({"to": "a", "text": "b c"}) != key_of({"to": "a b", "text": "c"})
    assert key_of({"to": 1}) != key_of({"to": "1"})
    assert key_of({"to": True}) != key_of({"to": 1})


def test_a_scope_bounds_where_a_key_is_the_same():
    arguments = {"to": "ann", "text": "hi"}
    assert key_of(arguments, key_scope="run") != key_of(arguments, key_scope="run", run_id="b")
    first = key_of(arguments, key_scope="session", session_id="s")
    assert first == key_of(arguments, key_scope="session", session_id="s", run_id="b")
    assert first != key_of(arguments, key_scope="session", session_id="t")
    made = key_of(arguments, key=lambda a: "mine", key_scope="run")
    assert made != key_of(arguments, key=lambda a: "mine", key_scope="run", run_id="b")


def test_a_key_shows_nothing_of_the_arguments_and_is_never_masked():
    for number in range(300):
        key = key_of({"to": f"ann{number}@example.com", "text": "13812345678"})
        assert re.fullmatch(r"send-[a-p]{26}", key)
        assert mask(key) == key


@pytest.mark.parametrize(
    ("said", "finding"),
    [
        (None, "not_found"),
        (False, "not_found"),
        (True, "found"),
        ({"title": "a", "nested": {"n": 5.0}}, "found"),
        ({"title": " a ", "nested": {"n": 5}}, "found"),
        ({"title": "b", "nested": {"n": 5}}, "mismatch"),
        ({"title": "a", "nested": {"n": True}}, "mismatch"),
        ({"title": "a"}, "mismatch"),
        ({}, "mismatch"),
        (Verification("pending"), "pending"),
        ("yes", "error"),
        ([], "error"),
    ],
    ids=str,
)
def test_what_is_found_is_compared_with_what_was_asked(said, finding):
    operation = Operation("make", "k", {"title": "a", "count": 5})
    compares = {"title": "title", "count": "nested.n", "absent": "absent"}
    assert judged(said, operation, compares).finding == finding
