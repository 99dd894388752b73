"""The same documents and questions for everybody: real ones where they are at hand.

Reads the English question set beside the repository; without it, the sample shop. A question is
taken with the sentence that holds its answer, so that a server can reply what every check accepts.
Standard library only: every peer's environment imports it.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "qa" / "en"
SAMPLES = ROOT / "ragqa" / "samples" / "shop" / "en"
MAX_ANSWER_CHARS = 200


@dataclass(frozen=True)
class Document:
    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Asked:
    question: str
    answer: str
    title: str


@dataclass(frozen=True)
class Material:
    documents: list[Document]
    questions: list[Asked]

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Material:
        held = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            [Document(**one) for one in held["documents"]],
            [Asked(**one) for one in held["questions"]],
        )


def material() -> Material:
    """Return the documents, and questions whose answer stands in one sentence of theirs."""
    if DATA.is_dir():
        return _of_question_set()
    documents = [
        Document(path.name, path.name, path.read_text(encoding="utf-8"))
        for path in sorted(SAMPLES.glob("*.md"))
    ]
    return Material(documents, [_first_sentence(document) for document in documents])


def _of_question_set() -> Material:
    documents = [
        Document(record["id"], record["title"], record["text"])
        for record in _lines(DATA / "corpus.jsonl")
    ]
    by_id = {document.id: document for document in documents}
    questions = []
    for record in _lines(DATA / "questions.jsonl"):
        gold = by_id.get(record.get("gold_doc") or "")
        sentence = _holding(gold, record["answers"]) if gold and record["answers"] else None
        if gold and sentence:
            questions.append(Asked(record["question"], sentence, gold.title))
    return Material(documents, questions)


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _holding(document: Document, answers: list[str]) -> str | None:
    """Return a whole sentence, short enough for an answer, that holds one of the answers."""
    for sentence in re.split(r"(?<=[.!?])\s+", document.text):
        if len(sentence) <= MAX_ANSWER_CHARS and any(answer in sentence for answer in answers):
            return sentence
    return None


def _first_sentence(document: Document) -> Asked:
    prose = " ".join(line for line in document.text.splitlines() if line and line[0] not in "#|-")
    sentence = re.split(r"(?<=[.!?])\s+", prose)[0][:MAX_ANSWER_CHARS]
    return Asked(f"{document.title}: {sentence[:60]}?", sentence, document.title)
