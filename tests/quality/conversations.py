"""Measure how follow-up questions are resolved by rule: what is carried over, what is not.

    python -m tests.quality.conversations

Follow-ups about each of twenty products are looked up resolved, bare, and written out; and
questions that stand alone are put behind others, which must change nothing.
"""

from __future__ import annotations

import csv
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ragqa.ingest import sync
from ragqa.ports import PastTurn, SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.stages.conversation.rules import resolved

DATA = Path(__file__).parents[2].parent / "shared" / "data"
FIRST = ("Tell me about the {}.", "How much is the {}?", "Is the {} in stock?")
FOLLOW_UPS = (
    "How much does it weigh?",
    "What is its warranty?",
    "How do I clean it?",
    "Can I return it?",
    "What are the dimensions?",
    "Is it waterproof?",
    "What material is it made of?",
    "what about the warranty?",
    "And how do I set it up?",
    "What colours are available?",
)


def products() -> list[str]:
    """Return the products' names."""
    with (DATA / "contoso" / "product_info" / "products.csv").open(encoding="utf-8") as file:
        return [row["name"] for row in csv.DictReader(file)]


def follow_ups() -> Iterator[tuple[str, str, str]]:
    """Yield a product, a question that names it, and a follow-up."""
    for number, name in enumerate(products()):
        for other, question in enumerate(FOLLOW_UPS):
            yield name, FIRST[(number + other) % len(FIRST)].format(name), question


def carried_over() -> None:
    """Print how often the first passage is of the product that is meant."""
    with tempfile.TemporaryDirectory() as folder:
        index = EmbeddedIndex(Path(folder) / "index")
        sync([str(DATA / "contoso" / "manuals")], index, project=DATA, home=Path(folder))

        def title(text: str) -> str:
            found = index.retrieve(SearchQuery(text, k=1))
            return found[0].title if found else ""

        asked, right, bare = 0, 0, 0
        for name, first, question in follow_ups():
            whole = resolved(question, [PastTurn("r", first)]) or question
            asked += 1
            right += title(whole) == title(name)
            bare += title(question) == title(name)
    print(f"{asked} follow-ups: product's passage first {right}, asked as typed {bare}")


def dragged_along(language: str) -> tuple[int, int]:
    """Return how many questions there are, and how many another question before them changes."""
    path = DATA / "qa" / language / "questions.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line)["question"] for line in lines]
    draw = random.Random(1)
    changed = 0
    for question in questions:
        whole = resolved(question, [PastTurn("r", draw.choice(questions))])
        changed += whole is not None and whole != question
    return len(questions), changed


if __name__ == "__main__":
    carried_over()
    for language in ("en", "zh"):
        count, changed = dragged_along(language)
        print(f"{language}: {count} questions that stand alone, {changed} changed")
