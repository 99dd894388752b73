"""How long judging takes: a valid reply by each gate, mended ones, and hostile megabytes."""

from __future__ import annotations

import json

import pytest

from ragqa.validation import CheckContext
from ragqa.validation.stream import PartialAnswer
from tests.unit.validation.replies import FIELDS, GATES, VALID, judge
from tests.unit.validation.test_time import PATTERNS

CONTEXT = CheckContext()


@pytest.mark.benchmark(group="gates")
@pytest.mark.parametrize("name", ["text", "syntax", "schema"])
def test_gate_on_a_valid_reply(benchmark, name):
    value = VALID
    for gate in GATES.gates:
        if gate.name == name:
            break
        value = gate.check(value, CONTEXT).value
    benchmark(gate.check, value, CONTEXT)


@pytest.mark.benchmark(group="gates")
def test_three_gates_on_a_valid_reply(benchmark):
    verdict = benchmark(GATES.judge, VALID, CONTEXT)
    assert verdict.accepted


@pytest.mark.benchmark(group="mended")
@pytest.mark.parametrize(
    "raw",
    [
        f"Sure:\n```json\n{json.dumps(FIELDS, indent=2)}\n```",
        repr(FIELDS),
        f"<think>{VALID}</think>{VALID}",
        json.dumps(VALID),
    ],
    ids=["fence", "python", "reasoning", "doubled"],
)
def test_mended_reply(benchmark, raw):
    assert benchmark(judge, raw).accepted


@pytest.mark.benchmark(group="megabytes")
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: repr(pattern)[:30])
def test_megabyte(benchmark, pattern):
    raw = pattern * (1_000_000 // len(pattern))
    benchmark.pedantic(judge, (raw,), rounds=3)
    assert benchmark.stats.stats.min < 0.1


@pytest.mark.benchmark(group="stream")
def test_stream(benchmark):
    def stream() -> str:
        reveal = PartialAnswer()
        return "".join(reveal.feed(VALID[at : at + 4]) for at in range(0, len(VALID), 4))

    assert benchmark(stream) == FIELDS["answer"]
