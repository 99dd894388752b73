"""A gate, rule or check that fails itself: logged, raised, and never blamed on the model."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from pydantic import field_validator

from ragqa.contract import QAResponse
from ragqa.errors import OutputError, PermissionDenied
from ragqa.ports import ModelReply, ModelRequest
from ragqa.validation.checking import check
from ragqa.validation.defaults import default_gates
from ragqa.validation.fix_retry import AskModel, Degrade, FixAndRetry
from ragqa.validation.gate import CheckContext, Outcome
from ragqa.validation.gates import Gates
from ragqa.validation.grounded.gate import ContextGate
from ragqa.validation.parser import QAOutputParser
from ragqa.validation.rules.gate import RulesGate

FIELDS = {
    "answer": "Kettles can be returned.",
    "confidence": 0.4,
    "category": "policy",
    "sources": [],
    "follow_up": [],
    "needs_human": False,
}
RAW = json.dumps(FIELDS)
KEY = "sk-planted0123456789abcdef"


class Failing:
    """A caller's rule, check or gate with a mistake in it."""

    def __init__(self, name: str = "tone") -> None:
        self.name = name

    def check(self, value: Any, context: CheckContext) -> Outcome:
        raise KeyError(f"no such tone, key {KEY}")


def _gates(place: str, handling: dict[str, str] | None = None) -> Gates:
    gates = default_gates(handling=handling)
    if place == "rules":
        return gates.replaced(RulesGate().added(Failing()))
    if place == "context":
        return gates.replaced(ContextGate().added(Failing()))
    return gates.inserted(Failing())


PLACES = {
    "rules": ("rules.error", "the rule tone failed with KeyError"),
    "context": ("context.error", "the check tone failed with KeyError"),
    "own": ("tone.error", "the gate tone failed with KeyError"),
}


@pytest.mark.parametrize("place", PLACES)
def test_it_is_refused_raised_and_not_told_to_the_model(place: str) -> None:
    code, reason = PLACES[place]
    verdict = check(RAW, gates=_gates(place))
    assert (verdict.accepted, verdict.code, verdict.handling) == (False, code, "raise")
    assert "none of yours" in verdict.feedback
    assert "tone" not in verdict.feedback
    assert verdict.faults[0].reason == reason
    assert verdict.gates[-1].outcome == "rejected"


@pytest.mark.parametrize("place", PLACES)
def test_it_is_logged_by_name_and_its_traceback_is_masked(
    place: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "ragqa"):
        check(RAW, gates=_gates(place))
    (record,) = caplog.records
    assert "tone failed with KeyError" in record.getMessage()
    assert "Traceback" not in caplog.text
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "ragqa"):
        check(RAW, gates=_gates(place))
    assert "Traceback" in caplog.text
    assert "no such tone" in caplog.text
    assert KEY not in caplog.text


def _writing(gates: Gates) -> FixAndRetry:
    def repair(*_: Any) -> ModelRequest:
        raise AssertionError("the model must not be asked to mend it")

    return FixAndRetry(gates, CheckContext(), first=ModelRequest(()), repair=repair)


@pytest.mark.parametrize("place", PLACES)
def test_the_ask_ends_with_one_structured_error(place: str) -> None:
    with pytest.raises(OutputError, match="tone failed with KeyError"):
        _writing(_gates(place)).feed(ModelReply(RAW))


def test_a_permission_that_cannot_be_looked_up_is_denied() -> None:
    gates = default_gates().replaced(ContextGate().added(Failing("permission")))
    with pytest.raises(PermissionDenied):
        _writing(gates).feed(ModelReply(RAW))


def test_it_comes_before_what_the_model_could_mend() -> None:
    raw = json.dumps({**FIELDS, "confidence": 0.99})  # without any source
    verdict = check(raw, [], gates=_gates("rules"))
    assert verdict.code == verdict.faults[0].code == "rules.error"
    assert len(verdict.faults) > 1
    assert verdict.handling == "raise"


def test_only_its_own_code_changes_the_handling() -> None:
    assert check(RAW, gates=_gates("rules", {"rules": "retry"})).handling == "raise"
    assert check(RAW, gates=_gates("rules", {"rules.error": "log"})).accepted
    fallback = _writing(_gates("rules", {"rules.error": "fallback"})).feed(ModelReply(RAW))
    assert fallback == Degrade("invalid_output")
    assert not isinstance(fallback, AskModel)


class Mistaken(QAResponse):
    """A caller's schema with a mistake in its validator."""

    @field_validator("answer")
    @classmethod
    def _looked_up(cls, answer: str) -> str:
        return {}[answer]  # type: ignore[no-any-return]


def test_a_schema_that_fails_is_no_fault_of_the_model(caplog: pytest.LogCaptureFixture) -> None:
    verdict = check(RAW, schema=Mistaken)
    assert (verdict.code, verdict.handling) == ("schema.error", "raise")
    assert "The schema Mistaken failed with KeyError" in caplog.text


def test_a_parser_does_not_send_it_to_the_model() -> None:
    from langchain_core.exceptions import OutputParserException

    with pytest.raises(OutputParserException, match=r"schema\.error") as raised:
        QAOutputParser(response_schema=Mistaken).parse(RAW)
    assert raised.value.send_to_llm is False
