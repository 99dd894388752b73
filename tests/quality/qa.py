"""The question sets, their two halves, and what is retrieved for each question."""

from __future__ import annotations

import hashlib
import json
import tempfile
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ragqa.contract import Passage
from ragqa.ports import Chunk, SearchQuery, StoredFile
from ragqa.retrieval.embedded import EmbeddedIndex

DATA = Path(__file__).parents[2].parent / "shared" / "data"
LANGUAGES = ("en", "zh")
Half = Literal["tuned", "other"]


@dataclass(frozen=True)
class Asked:
    """A question of a set, with what was retrieved for it, best first."""

    id: str
    question: str
    answers: tuple[str, ...]
    documents: frozenset[str]
    passages: tuple[Passage, ...]

    @property
    def answerable(self) -> bool:
        return bool(self.answers)

    @property
    def half(self) -> Half:
        """Say which half it belongs to: the same one in both languages."""
        return "tuned" if hashlib.md5(self.id.encode()).digest()[0] % 2 == 0 else "other"

    def rank(self) -> int | None:
        """Return the place of the first passage from a right document, from 1."""
        ids = [passage.id for passage in self.passages]
        return next((n for n, doc in enumerate(ids, 1) if doc in self.documents), None)

    def holds_gold(self, text: str) -> bool:
        """Tell whether a text holds one of the right answers."""
        plain = normalised(text)
        return any(normalised(answer) in plain for answer in self.answers)


def normalised(text: str) -> str:
    """Drop case, blanks and punctuation."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(c for c in folded if not c.isspace() and unicodedata.category(c)[0] != "P")


def load(language: str, k: int = 10) -> list[Asked]:
    """Index the corpus of a language and retrieve ``k`` passages for each of its questions."""
    folder = DATA / "qa" / language
    records = _lines(folder / "corpus.jsonl")
    with tempfile.TemporaryDirectory() as home:
        index = EmbeddedIndex(Path(home) / "index")
        chunks = [Chunk(r["id"], r["title"], r["text"], 0, len(r["text"])) for r in records]
        with index.writer() as writer:
            file = StoredFile("corpus.jsonl", "0", "corpus.jsonl", "corpus.jsonl", len(records))
            writer.replace(file, chunks)
        return [
            Asked(
                id=row["id"],
                question=row["question"],
                answers=tuple(row["answers"]),
                documents=frozenset({row["gold_doc"], *row["alt_docs"]} - {None}),
                passages=tuple(index.retrieve(SearchQuery(row["question"], k=k))),
            )
            for row in _lines(folder / "questions.jsonl")
        ]


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
