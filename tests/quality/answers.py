"""Measure retrieval, context and quoted answers on the question sets, half by half.

    python -m tests.quality.answers [--lang en|zh] [--half tuned|other|both] [--k 5] [--show]

The weights and thresholds were fitted on the half ``tuned`` (tests/quality/fit.py); the half
``other`` says how they do elsewhere. Answers come from the extractive chain, gates included.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from chains.extractive import pipeline
from ragqa import context
from ragqa.contract import (
    CHINESE_CATEGORIES,
    DEFAULT_CATEGORIES,
    Answer,
    Passage,
    Question,
    Turn,
    response_type,
)
from ragqa.flow import invoke
from ragqa.ports import Parts, Policy
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.quality.qa import LANGUAGES, Row, corpus, passages, rows

CATEGORIES = {"en": DEFAULT_CATEGORIES, "zh": CHINESE_CATEGORIES}


def measure(language: str, half: str, index: EmbeddedIndex, k: int, show: bool) -> None:
    asked = rows(language, half)
    print(f"\n{language}, half {half}: {len(asked)} questions, {k} passages each")
    found = [passages(index, row, max(k, 10)) for row in asked]
    _retrieval(asked, found)
    _context(asked, found, k)
    began_s = time.perf_counter()
    answers = [_answer(row, index, k, language) for row in asked]
    spent_ms = (time.perf_counter() - began_s) / len(asked) * 1000
    _answers(asked, answers)
    print(f"  milliseconds a question, whole chain    {spent_ms:.1f}")
    for row, answer in zip(asked, answers, strict=True) if show else ():
        right = row.holds_gold(answer.response.answer) if row.answerable else None
        print(right, answer.status, answer.response.confidence, row.question, row.answers[:1])
        print("    ", answer.response.answer)


def _answer(row: Row, index: EmbeddedIndex, k: int, language: str) -> Answer:
    policy = Policy(schema=response_type(categories=CATEGORIES[language]), top_k=k)
    turn = Turn(Question.of(row.question), "quality", chain="extractive")
    answer = invoke(pipeline(Parts(retriever=index, policy=policy)), turn).answer
    assert answer is not None
    return answer


def _retrieval(asked: Sequence[Row], found: Sequence[Sequence[Passage]]) -> None:
    ranks = [r.rank(f) or 10**9 for r, f in zip(asked, found, strict=True) if r.answerable]
    recall = (f"@{n} {_share([rank <= n for rank in ranks]):.3f}" for n in (1, 5, 10))
    print(f"  keyword recall                          {', '.join(recall)}")
    print(f"  MRR                                     {_share([1 / rank for rank in ranks]):.3f}")


def _context(asked: Sequence[Row], found: Sequence[Sequence[Passage]], k: int) -> None:
    holds, sizes = [], []
    for row, passages_ in zip(asked, found, strict=True):
        if row.answerable:
            blocks = context.fit(row.question, passages_[:k])
            holds.append(any(row.holds_gold(block.text) for block in blocks))
            sizes.append(len(context.render(blocks)))
    print(f"  gold in the context of 1,200 characters {_share(holds):.3f} (longest {max(sizes)})")


def _answers(asked: Sequence[Row], answers: Sequence[Answer]) -> None:
    pairs = list(zip(asked, answers, strict=True))
    able = [(row, answer) for row, answer in pairs if row.answerable]
    right = [row.holds_gold(answer.response.answer) for row, answer in able]
    lengths = [len(answer.response.answer) for _, answer in able]
    refused = [answer.status == "abstained" for row, answer in pairs if not row.answerable]
    lost = [answer.status == "abstained" for _, answer in able]
    cited = [citation for _, answer in pairs for citation in answer.citations]
    rejected = [a for _, answer in pairs for a in answer.attempts if a.verdict == "rejected"]
    print(f"  answer holds gold                       {_share(right):.3f}")
    print(f"  mean answer length                      {_share(lengths):.0f} characters")
    print(f"  unanswerable refused                    {_share(refused):.3f}")
    print(f"  answerable refused                      {_share(lost):.3f}")
    print(f"  citations verified                      {_share([c.verified for c in cited]):.3f}")
    print(f"  drafts rejected by the gates            {len(rejected)}")
    print(f"  ECE of answered                         {_ece(pairs):.3f}")


def _ece(pairs: Sequence[tuple[Row, Answer]], bins: int = 10) -> float:
    """Return the expected calibration error, https://arxiv.org/abs/1706.04599."""
    sure = [
        (answer.response.confidence, row.answerable and row.holds_gold(answer.response.answer))
        for row, answer in pairs
        if answer.status == "answered"
    ]
    error = 0.0
    for n in range(bins):
        inside = [(c, r) for c, r in sure if n / bins <= c < (n + 1) / bins or c == n + 1 == bins]
        if inside:
            apart = _share([c for c, _ in inside]) - _share([r for _, r in inside])
            error += abs(apart) * len(inside) / len(sure)
    return error


def _share(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lang", choices=LANGUAGES)
    parser.add_argument("--half", choices=["tuned", "other", "both"])
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print every question and answer")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for language in [options.lang] if options.lang else LANGUAGES:
            index = corpus(language, Path(home))
            for half in [options.half] if options.half else ["tuned", "other", "both"]:
                measure(language, half, index, options.k, options.show)


if __name__ == "__main__":
    main()
