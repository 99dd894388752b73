"""Compare how malformed replies of public bug reports are read: right, refused or wrong in silence.

python -m tests.peers.compare_parsers [--out docs/benchmarks.md]
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

from tests.peers.compare import OWN_PYTHON
from tests.peers.material import ROOT

CASES = ROOT.parent / "shared" / "data" / "bug_reports" / "cases.jsonl"
PARSERS: dict[str, tuple[Path, str]] = {
    "ragqa": (OWN_PYTHON, "ours"),
    "langchain-core PydanticOutputParser": (
        ROOT / ".venv-peers-langchain/bin/python",
        "langchain_json",
    ),
    "json_repair": (ROOT / ".venv-peers-langchain/bin/python", "json_repair_model"),
    "instructor": (ROOT / ".venv-peers-instructor/bin/python", "instructor_json"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if not CASES.exists():
        raise SystemExit(f"The reports are not there: {CASES}")
    text = table(cases())
    print(text)
    if given.out:
        from tests.peers.page import put

        put(given.out, "parsers", text)


def cases() -> list[dict[str, Any]]:
    """Return the replies that are one text each, with what they should become."""
    lines = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [case for case in lines if case["kind"] == "a" and "raw" in case["input"]]


def table(found: list[dict[str, Any]]) -> str:
    lines = [
        f"{len(found)} replies; one that should be asked for again is right when it is refused.",
        "",
        "| parser | right | refused, though readable | wrong in silence |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, (python, module) in PARSERS.items():
        if python.exists():
            counts = _counted(found, _run(python, module, found))
            lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
    return "\n".join(lines) + "\n"


def _run(python: Path, module: str, found: list[dict[str, Any]]) -> list[Any]:
    given = [
        {
            "raw": case["input"]["raw"],
            "titles": case["input"].get("retrieved"),
            "finish_reason": case["input"].get("finish_reason"),
            "categories": case["input"]["categories"],
        }
        for case in found
    ]
    raws = given if module == "ours" else [one["raw"] for one in given]
    done = subprocess.run(
        [python, "-m", f"tests.peers.parsers.{module}"],
        cwd=ROOT,
        input=json.dumps(raws),
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    read: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return read


def _counted(found: list[dict[str, Any]], values: list[Any]) -> tuple[int, int, int]:
    right = refused = wrong = 0
    for case, value in zip(found, values, strict=True):
        expected = case["expected_value"]
        is_value = "answer" in expected
        if value is None:
            accepts_refusal = not is_value or bool(case.get("also_acceptable"))
            right += accepts_refusal
            refused += not accepts_refusal
        else:
            right += value == expected
            wrong += value != expected
    return right, refused, wrong


if __name__ == "__main__":
    main()
