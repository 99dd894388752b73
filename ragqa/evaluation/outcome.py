"""What came of one question: what was found and answered, and how right that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragqa.contract import Answer, Attempt, Passage, Usage
from ragqa.errors import RagqaError
from ragqa.evaluation.questions import EvalQuestion, Place
from ragqa.evaluation.texts import holds_any, token_f1
from ragqa.masking import mask

Row = dict[str, Any]
"""What is kept of a question between runs: JSON, without any grading."""

_REFUSING = frozenset({"abstained", "degraded", "waiting", "failed"})
"""Nothing is claimed in answers of these states."""


def row_of(
    question: EvalQuestion,
    *,
    setup: Mapping[str, Any],
    retrieved: Sequence[Passage],
    answer: Answer,
    verbatim: Sequence[bool | None],
    latency_ms: float,
) -> Row:
    """Return what is kept of a question that was asked.

    Args:
        question: What was asked.
        setup: What answered: rows of different setups do not go into one measurement.
        retrieved: What the retriever found, best first.
        answer: What the chain answered.
        verbatim: Of each citation, whether the document holds it there; None where unknown.
        latency_ms: How long the chain took.
    """
    return {
        "number": question.number,
        "id": question.id,
        "question": question.text,
        "setup": dict(setup),
        "latency_ms": round(latency_ms, 2),
        "retrieved": [_found(passage) for passage in retrieved],
        "passages": [{**_found(passage), "text": passage.text} for passage in answer.passages],
        "verbatim": list(verbatim),
        "refusals": [_refusal(each) for each in answer.attempts if each.verdict == "rejected"],
        "answer": answer.model_dump(mode="json", exclude={"passages"}),
    }


def failed_row(question: EvalQuestion, setup: Mapping[str, Any], error: RagqaError) -> Row:
    """Return what is counted of a question that got no answer but an error."""
    return {
        "number": question.number,
        "id": question.id,
        "question": question.text,
        "setup": dict(setup),
        "latency_ms": None,
        "retrieved": [],
        "passages": [],
        "verbatim": [],
        "refusals": [],
        "answer": {
            "status": "failed",
            "reason": error.code,
            "message": mask(str(error)),
            "response": {"answer": "", "confidence": 0.0, "sources": [], "needs_human": True},
            "citations": [],
            "attempts": [],
            "usage": Usage().model_dump(mode="json"),
        },
    }


def _refusal(attempt: Attempt) -> dict[str, Any]:
    faults = [list(fault) for fault in attempt.faults]
    return {"code": attempt.code, "gate": attempt.gate, "faults": faults}


def _found(passage: Passage) -> dict[str, Any]:
    return passage.model_dump(mode="json") | {"path": passage.path, "page": passage.page}


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question with what came of it.

    Attributes:
        question: What was asked, and what is right.
        row: What was found and answered.
    """

    question: EvalQuestion
    row: Row

    @property
    def status(self) -> str:
        """Return the state of the answer."""
        return str(self.row["answer"]["status"])

    @property
    def refused(self) -> bool:
        """Tell whether the answer claims nothing."""
        return self.status in _REFUSING

    @property
    def confidence(self) -> float:
        """Return how sure the answer says it is."""
        return float(self.row["answer"]["response"]["confidence"])

    @property
    def text(self) -> str:
        """Return the answer's text."""
        return str(self.row["answer"]["response"]["answer"])

    @property
    def right(self) -> bool | None:
        """Tell whether it is right: it holds a short right answer, or refuses where none is.

        None where the question has no short right answer.
        """
        if not self.question.answerable:
            return self.refused
        if not self.question.answers:
            return None
        return not self.refused and holds_any(self.text, self.question.answers)

    @property
    def f1(self) -> float | None:
        """Return how alike the answer and the most alike right answer are, from 0 to 1."""
        golds = self.question.answers or tuple(filter(None, [self.question.reference]))
        if not golds:
            return None
        return 0.0 if self.refused else max(token_f1(self.text, gold) for gold in golds)

    @property
    def rank(self) -> int | None:
        """Return the place of the first retrieved passage that is right, from 1."""
        return next((n for n, is_right in enumerate(self.retrieved_right, 1) if is_right), None)

    @property
    def retrieved_right(self) -> list[bool]:
        """Tell of each retrieved passage whether it is from a right place."""
        return [self.is_right_place(passage) for passage in self.row["retrieved"]]

    @property
    def cited_right(self) -> list[bool]:
        """Tell of each citation whether it is from a right place."""
        return [self.is_right_place(citation) for citation in self.citations]

    @property
    def citations(self) -> list[dict[str, Any]]:
        """Return the citations as JSON."""
        return list(self.row["answer"]["citations"])

    @property
    def citation_precision(self) -> float | None:
        """Return the share of citations from right places; None where nothing was cited."""
        right = self.cited_right
        return sum(right) / len(right) if right and self.question.places else None

    @property
    def citation_recall(self) -> float | None:
        """Return the share of the right places that are cited; one is all where one is enough."""
        if not self.question.places:
            return None
        cited = [self._cites(place) for place in self.question.places]
        return float(any(cited)) if self.question.alternatives else sum(cited) / len(cited)

    def _cites(self, place: Place) -> bool:
        return any(place.is_in(_names(each), each["page"]) for each in self.citations)

    def is_right_place(self, found: Mapping[str, Any]) -> bool:
        """Tell whether a passage or citation is from a right place."""
        return any(p.is_in(_names(found), found["page"]) for p in self.question.places)


def _names(found: Mapping[str, Any]) -> tuple[str | None, ...]:
    return found["id"], found["title"], found["path"]


def worst_first(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Order by how much harm an answer does: wrong and sure of it first, right last."""
    return sorted(outcomes, key=_harm, reverse=True)


def _harm(outcome: Outcome) -> tuple[int, float]:
    if outcome.status in {"failed", "degraded"}:
        return 3, 0.0
    right = outcome.right
    if right is None:  # only a longer text to compare with
        return (1, 1.0) if outcome.refused else (2, 1.0 - (outcome.f1 or 0.0))
    if right:
        return 0, 1.0 - (outcome.f1 or 0.0)
    return (1, 1.0) if outcome.refused else (2, 1.0 + outcome.confidence)
