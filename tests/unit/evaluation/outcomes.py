"""Outcomes to measure, made from real answers."""

from ragqa.contract import Answer, Attempt, Citation, Passage, QAResponse, Usage
from ragqa.evaluation import Outcome, question_of
from ragqa.evaluation.outcome import row_of

SETUP = {"chain": "test"}


def passage(id="a", page=None, text="Kettles: 30 days.", title=None):
    return Passage(id=id, title=title or f"{id}.md", path=f"docs/{id}.md", page=page, text=text)


def citation(id="a", page=None, quote="30 days", title=None):
    return Citation(
        title=title or f"{id}.md", id=id, path=f"docs/{id}.md", page=page,
        quote=quote, start=0, end=len(quote), verified=True,
    )  # fmt: skip


def outcome(record=None, *, text="30 days.", confidence=0.8, status="answered", number=1, **more):
    """Return what came of a question; by default a right answer."""
    record = {"question": "How long?", "answers": ["30 days"], "gold_doc": "a"} | (record or {})
    refused = status in {"abstained", "degraded"}
    answer = Answer(
        response=QAResponse(
            answer=text, confidence=confidence, category="other", sources=[], follow_up=[],
            needs_human=refused,
        ),
        status=status,
        chain="test",
        citations=tuple(more.get("citations", () if refused else (citation(),))),
        attempts=tuple(Attempt(**each) for each in more.get("attempts", ())),
        passages=tuple(more.get("passages", (passage(),))),
        usage=more.get("usage", Usage()),
        run_id="run",
    )  # fmt: skip
    question = question_of(record, number)
    row = row_of(
        question,
        setup=SETUP,
        retrieved=more.get("retrieved", (passage(),)),
        answer=answer,
        verbatim=more.get("verbatim", [True] * len(answer.citations)),
        latency_ms=more.get("latency_ms", 5.0),
    )
    return Outcome(question, row)


UNANSWERABLE = {"answers": [], "gold_doc": None}
