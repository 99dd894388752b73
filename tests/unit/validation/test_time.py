"""The time to judge a reply grows with its length, whatever is in it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ragqa.validation.stream import PartialAnswer
from tests.unit.validation.replies import VALID, judge

SIZE = 100_000

PATTERNS = [
    *json.loads(Path(__file__).with_name("patterns.json").read_text(encoding="utf-8")),
    VALID,
    f"[{VALID}]",
    f"{VALID},",
]
"""Pieces that, repeated, keep a careless reader busy."""


def seconds(raw: str) -> float:
    start = time.process_time()
    judge(raw)
    return time.process_time() - start


def filled(place: str, pattern: str, size: int) -> str:
    filler = pattern * (size // len(pattern))
    return {
        "alone": filler,
        "before": filler + VALID,
        "behind": VALID + filler,
        "inside": '{"answer": "' + filler,
    }[place]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_time_grows_with_the_length_alone(pattern):
    judge(VALID)  # schemas and patterns are compiled once
    for place in ("alone", "before", "behind", "inside"):
        taken = min(seconds(filled(place, pattern, SIZE)) for _ in range(2))
        # A tenth of a megabyte, on a busy machine; the benchmarks hold a megabyte to 100 ms.
        assert taken < 0.5, place
        if taken > 0.05:
            longer = min(seconds(filled(place, pattern, 5 * SIZE)) for _ in range(2))
            assert longer < 12 * taken, place


@pytest.mark.parametrize("begun", ["{", '{"answer": "x"', '{"answer": "x",'])
def test_blanks_without_end_are_followed_in_time_as_they_stream_in(begun):
    def taken(pieces: int) -> float:
        reveal, start = PartialAnswer(), time.process_time()
        for piece in (begun, *[" \n"] * pieces):
            reveal.feed(piece)
        return time.process_time() - start

    assert taken(40_000) < 2  # with each piece read anew, half a minute
