"""Compare keyword retrieval at 10,000 and 100,000 English passages of real sentences.

    python -m tests.peers.compare_retrieval [--sizes 10000,100000] [--out docs/benchmarks.md]

Every retriever runs in a process of its own; the slow ones are asked fewer questions.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.peers.compare import OWN_PYTHON
from tests.peers.material import DATA, ROOT, material

RETRIEVERS: dict[str, tuple[Path, str, int]] = {
    "ragqa embedded index": (OWN_PYTHON, "ours", 200),
    "bm25s": (ROOT / ".venv-peers-langchain/bin/python", "bm25s_index", 200),
    "LlamaIndex BM25Retriever": (ROOT / ".venv-peers-llamaindex/bin/python", "llamaindex_bm25", 50),
    "LangChain BM25Retriever": (ROOT / ".venv-peers-langchain/bin/python", "langchain_bm25", 20),
    "Haystack InMemoryBM25Retriever": (
        ROOT / ".venv-peers-haystack/bin/python",
        "haystack_bm25",
        15,
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"The question set is not there: {DATA}")
    rows = {int(size): measured(int(size)) for size in given.sizes.split(",")}
    text = table(rows)
    print(text)
    if given.out:
        from tests.peers.page import put

        put(given.out, "retrieval", text)


def measured(size: int) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory() as folder:
        passages, questions = Path(folder) / "passages.jsonl", Path(folder) / "questions.json"
        _write(passages, questions, size)
        found = {}
        for name, (python, module, most) in RETRIEVERS.items():
            if python.exists():
                found[name] = _run(python, module, passages, questions, most)
        return found


def _write(passages: Path, questions: Path, size: int) -> None:
    """Put two to six real sentences together to a passage."""
    held = material()
    chance = random.Random(1)
    pieces = [
        piece for one in held.documents for piece in re.split(r"(?<=[.!?])\s+", one.text) if piece
    ]
    titles = [one.title for one in held.documents]
    with passages.open("w", encoding="utf-8") as out:
        for number in range(size):
            text = " ".join(chance.choices(pieces, k=chance.randint(2, 6)))
            record = {"id": str(number), "title": chance.choice(titles), "text": text}
            out.write(f"{json.dumps(record)}\n")
    questions.write_text(json.dumps([one.question for one in held.questions]), encoding="utf-8")


def _run(python: Path, module: str, passages: Path, questions: Path, most: int) -> dict[str, float]:
    done = subprocess.run(
        [python, "-m", f"tests.peers.retrievers.{module}", passages, questions, str(most)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    held: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return held


def table(rows: dict[int, dict[str, dict[str, Any]]]) -> str:
    lines = [
        "| retriever | passages | query p50 | p95 | filling | memory |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for size, found in rows.items():
        for name, row in sorted(found.items(), key=lambda item: item[1]["p50_ms"]):
            lines.append(
                f"| {name} | {size:,} | {row['p50_ms']:.2f} ms | {row['p95_ms']:.2f} ms "
                f"| {row['fill_s']:.1f} s | {row['memory_mb']:.0f} MB |"
            )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
