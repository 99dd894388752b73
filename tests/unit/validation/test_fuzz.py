"""A small seeded run of the mutation fuzzer; ``make fuzz`` is the large one."""

from __future__ import annotations

import random

from ragqa.contract import QAResponse
from tests.quality.fuzz_outputs import Output, invented, mutated, outputs, response, run, violation


def test_mutated_outputs_break_nothing():
    codes, violations = run(3_000, seed=20)
    assert violations == []
    assert codes["ok"] > 300
    assert codes["text.truncated"] > 300


def test_outputs_are_the_same_for_the_same_seed():
    assert [o.raw for o in outputs(3, 50)] == [o.raw for o in outputs(3, 50)]
    assert [o.raw for o in outputs(3, 50)] != [o.raw for o in outputs(4, 50)]


def test_the_fuzzer_would_notice_an_invention():
    good = QAResponse(**response(random.Random(1), QAResponse))
    raw = good.model_dump_json()
    assert invented(good, raw) is None
    assert invented(good.model_copy(update={"answer": "made up"}), raw) == "made up"
    assert invented(good.model_copy(update={"confidence": 0.777}), raw) == 0.777


def test_the_fuzzer_would_notice_a_wrong_rejection_and_a_wrong_value():
    written = response(random.Random(1), QAResponse)
    readable = Output("no object", written, 0, QAResponse)
    assert "rejected" in violation(readable, random.Random(1))[0]
    other = {**written, "needs_human": not written["needs_human"]}
    swapped = Output(QAResponse(**other).model_dump_json(), written, 0, QAResponse)
    assert "not what was written" in violation(swapped, random.Random(1))[0]
    cut = Output(QAResponse(**other).model_dump_json(), written, 0, QAResponse, is_cut=True)
    assert "cut off" in violation(cut, random.Random(1))[0]


def test_mutations_change_texts():
    rng = random.Random(5)
    raws = {mutated("abcdefghij", rng) for _ in range(200)}
    assert len(raws) > 100
