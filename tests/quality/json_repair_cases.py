"""Compare with a tolerant parser's own test cases: what we read alike, refuse, or read otherwise.

    python -m tests.quality.json_repair_cases [--all]

It is not a norm: that parser always returns something. Where it closes what was cut off, drops
words or makes up values, we refuse. The cases are data of tests (`../shared/data/json_repair`).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from ragqa.validation.shape import flaw_in, shape_of
from ragqa.validation.syntax.outcome import Budget
from ragqa.validation.syntax.search import find_objects

CASES = Path(__file__).parents[3] / "shared/data/json_repair/cases_json_repair_py.jsonl"


class Anything(BaseModel):
    """A schema without fields: every object is as good as any other."""


class Row(NamedTuple):
    outcome: str  # alike, refused, otherwise, no object
    reason: str
    text: str
    expected: Any
    got: Any


def rows() -> Iterator[Row]:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        yield _row(case["input"], case.get("expected"), case["options"])


def _row(text: str, expected: Any, options: dict[str, Any]) -> Row:
    if not isinstance(expected, dict) and not _is_list_of_one(expected):
        return Row("no object", f"expects {_kind(expected)}", text, expected, None)
    finds = find_objects(text.strip(), shape_of(Anything), Budget.of(text))
    usable = [f for f in finds.found if not f.flaw and not f.duplicates and not flaw_in(f.value)]
    if finds.fatal is None and len(usable) == 1 and not finds.broken:
        same = usable[0].value == expected
        reason = ", ".join(usable[0].repairs) or "plain JSON"
        if not same and options.get("schema"):
            reason = "the parser converts or fills values by a schema"
        return Row("alike" if same else "otherwise", reason, text, expected, usable[0].value)
    return Row("refused", _why(finds), text, expected, None)


def _why(finds: Any) -> str:
    broken = finds.fatal or (finds.broken[-1] if finds.broken else None)
    if broken is not None:
        return broken.reason.partition(", near")[0].partition(" is no JSON value")[0][:60]
    if len(finds.found) > 1:
        return "more than one object"
    if finds.found:
        return finds.found[0].flaw or f"duplicate keys {finds.found[0].duplicates}"
    return "no object"


def _is_list_of_one(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)


def _kind(value: Any) -> str:
    return "null" if value is None else type(value).__name__


def main(show_all: bool) -> None:
    table = list(rows())
    print(f"{len(table)} cases:", dict(Counter(row.outcome for row in table)))
    shown = ("refused", "otherwise") if not show_all else ("alike", "refused", "otherwise")
    for outcome in shown:
        print(f"\n{outcome}\n")
        for row in sorted((r for r in table if r.outcome == outcome), key=lambda r: r.reason):
            got = "" if row.got is None else f" we: {json.dumps(row.got, ensure_ascii=False)[:60]}"
            wanted = json.dumps(row.expected, ensure_ascii=False)[:60]
            print(f"  {row.reason:50} {row.text[:70]!r} it: {wanted}{got}")


if __name__ == "__main__":
    main("--all" in sys.argv)
