"""What a user may pass in, and what is refused before any work."""

from __future__ import annotations

import pytest

from ragqa.contract import Caller, Question, Turn
from ragqa.errors import ConfigError
from ragqa.ports import Parts, Policy
from ragqa.stages.begin import begin, new_run_id

PARTS = Parts(retriever=None, policy=Policy(timeout_s=7.0), clock=lambda: 100.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["Q?", {"question": "Q?"}, {"query": "Q?"}, {"input": " Q?\n"}])
def test_strings_and_dicts_are_taken(given):
    turn = begin(PARTS, "stuff")(given)
    assert turn.question.text == "Q?"
    assert turn.chain == "stuff"
    assert turn.deadline_s == 107.0


def test_a_turn_is_taken_as_it_is():
    turn = Turn(question=Question("Q?"), run_id="run_1")
    assert begin(PARTS, "stuff")(turn) is turn


def test_the_caller_is_taken_from_a_dict():
    first = begin(PARTS, "stuff")
    assert first({"question": "Q?", "groups": ["a", "b"], "principal": "eva"}).caller == Caller(
        "eva", ("a", "b")
    )
    assert first({"question": "Q?", "groups": "staff"}).caller.groups == ("staff",)
    assert first({"question": "Q?", "groups": [7]}).caller.groups == ("7",)
    caller = Caller("eva", token="t")
    assert first({"question": "Q?", "caller": caller}).caller is caller


@pytest.mark.parametrize("given", ["", " \u200b", "x" * 5000, {}, {"question": 5}, 5, None])
def test_what_is_no_question_is_refused(given):
    with pytest.raises(ConfigError, match=r"question|Question"):
        begin(PARTS, "stuff")(given)


def test_run_ids_differ_and_sort_by_time():
    ids = [new_run_id() for _ in range(100)]
    assert len(set(ids)) == 100
    assert [one[:15] for one in ids] == sorted(one[:15] for one in ids)
