"""What a model is told of a call: in both languages, for every state, and never too much."""

import re

import pytest

import prompts
from ragqa.agent.ledger.record import Approval, ToolRecord
from ragqa.agent.ledger.states import MOVES
from ragqa.agent.results.phrases import phrase, state_phrase

PARTS = [part for part, _ in prompts.load("tool_results", "en").parts]


def record(state, **more):
    return ToolRecord(id="r", run_id="run", call_id="1", name="send_mail", state=state, **more)


def test_both_languages_have_the_same_parts():
    assert [part for part, _ in prompts.load("tool_results", "zh").parts] == PARTS


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("part", PARTS)
def test_every_part_names_what_it_is_about(language, part):
    text = phrase(language, part, "send_mail", "the detail")
    assert "{{" not in text
    assert "send_mail" in text or part in {"repeated", "no_time", "no_wait"}
    assert bool(re.search(r"[\u4e00-\u9fff]", text)) is (language == "zh")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("state", [state for state in MOVES if state != "requested"])
def test_only_what_is_done_or_accepted_is_no_error(language, state):
    text, is_error = state_phrase(language, record(state, attempt=1, result="fine"), 100)
    assert text
    assert is_error is (state not in {"succeeded", "verified"})


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (record("running", asynchronous=True, result="job-1"), "not finished"),
        (record("running", owner="1-a"), "running for the same operation"),
        (record("unknown", error="no reply"), "not known whether"),
        (record("succeeded", completes="verified"), "has not confirmed"),
        (record("succeeded"), "returned nothing"),
        (record("failed", error="no such user"), "not run"),
        (record("failed", error="no such user", attempt=1), "failed: no such user"),
        (record("failed", attempt=1, verification={"finding": "not_found"}), "did not take effect"),
        (record("failed", attempt=1, verification={"finding": "mismatch"}), "not what was asked"),
        (record("failed", approval=Approval(0, 1, "refused", "ann")), "refused to let"),
        (record("failed", approval=Approval(0, 1)), "nobody approved"),
    ],
)
def test_a_model_is_told_what_is_so(said, told):
    assert told in state_phrase("en", said, 100)[0]


@pytest.mark.parametrize("state", ["running", "unknown", "failed"])
def test_a_model_is_never_told_that_something_is_done_that_is_not(state):
    text, _ = state_phrase("en", record(state, result="Ticket 5 was created."), 100)
    assert "was created" not in text


def test_what_is_told_is_bounded_and_masked():
    text, _ = state_phrase("en", record("unknown", error="password=hunter22 " + "x" * 10**5), 100)
    assert "hunter22" not in text
    assert len(text) < 2000
