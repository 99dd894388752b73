"""Fill a retriever and time its searches: the same in every environment."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Search = Callable[[str], list[str]]
"""Takes a question and returns the ids of the passages found, best first."""

Fill = Callable[[list[dict[str, Any]]], Search]


def measure(fill: Fill) -> None:
    """Print what filling and searching took, for the passages and questions on the command line."""
    passages, questions, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    records = [json.loads(line) for line in passages.read_text("utf-8").splitlines()]
    asked = json.loads(questions.read_text("utf-8"))[:most]
    began_s = time.perf_counter()
    search = fill(records)
    filled_s = time.perf_counter() - began_s
    del records
    search(asked[0])
    spent = []
    for question in asked:
        began_s = time.perf_counter()
        search(question)
        spent.append(time.perf_counter() - began_s)
    spent.sort()
    print(
        json.dumps(
            {
                "fill_s": filled_s,
                "p50_ms": statistics.median(spent) * 1000,
                "p95_ms": spent[int(len(spent) * 0.95)] * 1000,
                "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
    )
