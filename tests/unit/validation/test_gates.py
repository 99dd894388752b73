"""Gates put together by configuration, their logs, and the table of handlings."""

from __future__ import annotations

import pytest

from ragqa.errors import ConfigError, UnknownNameError
from ragqa.validation import CheckContext, Fault, Gates, Passed, Rejected
from ragqa.validation.handling import checked_overrides, handling_of


class Append:
    """A gate that appends its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def check(self, value, context):
        return Passed(f"{value} {self.name}", repairs=(f"append_{self.name}",))


class Refuse:
    """A gate that refuses with a code."""

    def __init__(self, *codes: str) -> None:
        self.name, self.codes = "refuse", codes

    def check(self, value, context):
        faults = tuple(Fault(code, f"why {code}", f"mend {code}") for code in self.codes)
        return Rejected(faults, value, repairs=("tried",))


ABC = Gates((Append("a"), Append("b"), Append("c")))


def result(gates: Gates) -> str:
    return gates.judge("raw", CheckContext()).response


def test_gates_are_added_removed_replaced_and_reordered_by_name():
    assert result(ABC) == "raw a b c"
    assert result(ABC.without("b")) == "raw a c"
    assert result(ABC.reordered("c", "a")) == "raw c a"
    assert result(ABC.inserted(Append("x"), before="a")) == "raw x a b c"
    assert result(ABC.inserted(Append("x"))) == "raw a b c x"
    with pytest.raises(UnknownNameError, match="a, b, c"):
        ABC.without("d")


def test_repairs_are_gathered_in_order():
    assert ABC.judge("raw", CheckContext()).repairs == ("append_a", "append_b", "append_c")


def test_a_refusal_ends_the_judgement_and_says_all_that_is_wrong():
    verdict = ABC.inserted(Refuse("rules.x", "rules.y"), before="b").judge("raw", CheckContext())
    assert not verdict.accepted
    assert verdict.response is None
    assert (verdict.code, verdict.handling) == ("rules.x", "retry")
    assert verdict.feedback == "mend rules.x\nmend rules.y"
    assert [log.gate for log in verdict.gates] == ["a", "refuse"]
    assert verdict.gates[1].detail == "rules.x: why rules.x; rules.y: why rules.y"


def test_a_fault_handled_by_logging_goes_on():
    gates = Gates((Refuse("rules.x"), Append("a")), {"rules.x": "log"})
    verdict = gates.judge("raw", CheckContext())
    assert verdict.accepted
    assert [log.outcome for log in verdict.gates] == ["rejected", "repaired"]
    mixed = Gates((Refuse("rules.x", "rules.y"),), {"rules.x": "log"}).judge("raw", CheckContext())
    assert mixed.code == "rules.y"


def test_logs_are_short_and_masked():
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"
    log = ABC.judge(f"{'x' * 250} {secret} {'y' * 10_000}", CheckContext()).gates[0]
    assert len(log.input) <= 300
    assert secret[:12] not in log.input + log.output
    named = Gates((Refuse(f"rules.{secret}"),)).judge("raw", CheckContext())
    assert secret not in named.gates[0].detail


@pytest.mark.parametrize(
    ("code", "handling"),
    [
        ("text.empty", "retry"),
        ("text.truncated", "retry"),
        ("text.refusal", "fallback"),
        ("text.content_filter", "fallback"),
        ("syntax.invalid", "retry"),
        ("schema.range", "retry"),
        ("rules.anything", "retry"),
        ("context.unknown_source", "retry"),
        ("context.permission", "raise"),
        ("context.state", "raise"),
        ("own.code", "retry"),
    ],
)
def test_the_default_table(code, handling):
    assert handling_of(code) == handling


def test_the_exact_code_counts_before_its_family():
    table = {"rules": "raise", "rules.x": "fallback"}
    assert handling_of("rules.x", table) == "fallback"
    assert handling_of("rules.y", table) == "raise"
    assert handling_of("text.refusal", {"text": "retry"}) == "retry"


@pytest.mark.parametrize("table", [{"rules": "ignore"}, {"schema": "log"}, {"text.empty": "log"}])
def test_a_handling_that_cannot_be_is_refused(table):
    with pytest.raises(ConfigError):
        checked_overrides(table)
