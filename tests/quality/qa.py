"""The question sets, their two halves, and an index of their corpus."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ragqa.contract import Passage
from ragqa.ingest import sync
from ragqa.ports import SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex

DATA = Path(__file__).parents[2].parent / "shared" / "data"
LANGUAGES = ("en", "zh")
Half = Literal["tuned", "other"]


def half_of(question_id: str) -> Half:
    """Say which half a question belongs to."""
    return "tuned" if hashlib.md5(question_id.encode()).digest()[0] % 2 == 0 else "other"


@dataclass(frozen=True)
class Row:
    """A question of a set. Without answers, the corpus does not answer it."""

    id: str
    question: str
    answers: tuple[str, ...]
    documents: frozenset[str]
    source: str = ""
    kind: str = ""

    @property
    def answerable(self) -> bool:
        return bool(self.answers)

    @property
    def half(self) -> Half:
        """Say which half it belongs to: the same one in both languages."""
        return half_of(self.id)

    def rank(self, passages: Sequence[Passage]) -> int | None:
        """Return the place of the first passage from a right document, from 1."""
        ids = [passage.id for passage in passages]
        return next((n for n, doc in enumerate(ids, 1) if doc in self.documents), None)

    def holds_gold(self, text: str) -> bool:
        """Tell whether a text holds one of the right answers."""
        plain = normalised(text)
        return any(normalised(answer) in plain for answer in self.answers)


def normalised(text: str) -> str:
    """Drop case, blanks and punctuation."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(c for c in folded if not c.isspace() and unicodedata.category(c)[0] != "P")


def rows(language: str, half: str = "both") -> list[Row]:
    """Read the questions of a language."""
    read = (
        Row(
            id=line["id"],
            question=line["question"],
            answers=tuple(line["answers"]),
            documents=frozenset({line["gold_doc"], *line["alt_docs"]} - {None}),
            source=line["source"],
            kind=line["kind"],
        )
        for line in _lines(DATA / "qa" / language / "questions.jsonl")
    )
    return [row for row in read if half in {"both", row.half}]


def corpus(language: str, home: Path) -> EmbeddedIndex:
    """Index the corpus of a language in a folder, as the command line does."""
    index = EmbeddedIndex(home / language)
    path = DATA / "qa" / language / "corpus.jsonl"
    sync([str(path)], index, project=DATA, home=home)
    return index


def passages(index: EmbeddedIndex, row: Row, k: int) -> list[Passage]:
    """Retrieve for a question."""
    return index.retrieve(SearchQuery(row.question, k=k))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
