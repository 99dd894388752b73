"""Questions with the ranked sentences of what was retrieved for them, to fit on.

Half of the evidence is made: every answerable question is also asked of what is retrieved when the
documents that answer it are left out. That is what an unanswerable question looks like.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragqa.grounding.asked import asked
from ragqa.grounding.choice import Candidate, rank_sentences
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.stages.statements import quotable
from tests.quality.more_questions import more_rows
from tests.quality.qa import LANGUAGES, Row, corpus, passages, rows

_DEEP = 20
_WITHHELD = "unanswerable_withheld"


@dataclass(frozen=True)
class Case:
    """A question and the ranked sentences of what was retrieved for it.

    Attributes:
        row: The question.
        language: Its language.
        ranked: Every sentence, best first.
        withheld: Whether what answers it was left out.
    """

    row: Row
    language: str
    ranked: list[Candidate]
    withheld: bool = False

    @property
    def answerable(self) -> bool:
        return self.row.answerable and not self.withheld

    @property
    def group(self) -> tuple[str, str, bool]:
        """Return its language, its kind, and whether it is of the set in both languages."""
        kind = _WITHHELD if self.withheld else self.row.kind
        return self.language, kind, self.row.source != "cmrc2018"  # XQuAD is a part of SQuAD

    @property
    def quotable(self) -> list[Candidate]:
        question = asked(self.row.question)
        return [candidate for candidate in self.ranked if quotable(candidate, question)]

    def fold(self, folds: int) -> int:
        """Return the fold it belongs to: the same one as all questions about its documents."""
        about = min(self.row.documents, default=self.row.id)
        return hashlib.md5(f"fold {about}".encode()).digest()[0] % folds


def read_cases(half: str, k: int, more: Path | None) -> list[Case]:
    """Return the cases of a half of both languages, and of further questions."""
    told = []
    with tempfile.TemporaryDirectory() as home:
        for language in LANGUAGES:
            index = corpus(language, Path(home))
            asked_ = rows(language, half) + (more_rows(language, more) if more else [])
            told += list(_cases(asked_, language, index, k))
    return told


def _cases(asked_: Iterable[Row], language: str, index: EmbeddedIndex, k: int) -> Iterable[Case]:
    for row in asked_:
        found = passages(index, row, _DEEP)
        yield Case(row, language, rank_sentences(row.question, found[:k]))
        if row.answerable:
            left = [p for p in found if p.id not in row.documents and not row.holds_gold(p.text)]
            yield Case(row, language, rank_sentences(row.question, left[:k]), withheld=True)


def importance(told: Sequence[Case]) -> np.ndarray:
    """Return how much each case counts, so that they are composed as the two question sets are.

    The languages count alike, and in each the kinds of questions count as often as they occur.
    """
    wanted = Counter(
        Case(row, language, []).group for language in LANGUAGES for row in rows(language)
    )
    there = Counter(case.group for case in told)
    raw = np.array([wanted[case.group] / there[case.group] for case in told])
    return raw * len(told) / raw.sum()
