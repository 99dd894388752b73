"""Ask the questions of an evaluation: retrieval by itself, and the whole chain."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragqa.app import Asker
from ragqa.contract import Answer, Passage, Turn
from ragqa.errors import AuthError, ConfigError, RagqaError, RetrievalError
from ragqa.evaluation.metrics import DEPTH
from ragqa.evaluation.outcome import Outcome, Row, failed_row, row_of
from ragqa.evaluation.questions import EvalQuestion
from ragqa.evaluation.sources import is_verbatim
from ragqa.language import looked_up
from ragqa.ports import SearchQuery

_HOPELESS = (AuthError, RetrievalError, ConfigError)
"""What befalls one question befalls them all."""


@dataclass(frozen=True)
class Trial:
    """A chain that is put to the test.

    Attributes:
        asker: The chain with its parts.
        groups: What the caller belongs to.
        project: The folder that relative paths of documents start from.
    """

    asker: Asker
    groups: tuple[str, ...] = ()
    project: Path = Path()

    @property
    def setup(self) -> dict[str, Any]:
        """Say what answers: rows of another setup do not go into the same measurement."""
        parts = self.asker.parts
        return {
            "chain": self.asker.name,
            "model": getattr(parts.model, "name", None) if parts.model else None,
            "k": parts.policy.top_k,
            "groups": sorted(self.groups),
            "index": parts.retriever.version(),
        }

    def row(self, question: EvalQuestion, setup: Mapping[str, Any]) -> Row:
        """Ask a question and return what came of it; a failure of this question alone counts too.

        Raises:
            RagqaError: If the next questions could not do better.
        """
        try:
            turn = self.asker.turn(question.text, groups=self.groups)
            retrieved = self._retrieved(turn)
            began_s = time.perf_counter()
            answer = self._answer(turn)
            latency_ms = (time.perf_counter() - began_s) * 1000
        except _HOPELESS:
            raise
        except RagqaError as exc:
            return failed_row(question, setup, exc)
        return row_of(
            question,
            setup=setup,
            retrieved=retrieved,
            answer=answer,
            verbatim=[is_verbatim(each, self.project) for each in answer.citations],
            latency_ms=latency_ms,
        )

    def _answer(self, turn: Turn) -> Answer:
        if hasattr(self.asker.module, "pipeline"):
            return self.asker.ask(turn)
        result = self.asker.module.build(self.asker.parts).invoke(turn.question.text)
        answer = result.get("answer") if isinstance(result, dict) else result
        if not isinstance(answer, Answer):
            raise ConfigError(
                f"The chain {self.asker.name!r} gives no Answer but {type(result).__name__}.",
                hint="What is measured are the fields of ragqa.Answer.",
            )
        return answer

    def _retrieved(self, turn: Turn) -> Sequence[Passage]:
        """Return what the retriever finds at the depth that is measured, as the chain asks it."""
        from ragqa.stages.retrieve import categorised

        parts = self.asker.parts
        query = SearchQuery(
            text=looked_up(turn.question.text),
            k=max(DEPTH, parts.policy.top_k),
            caller=turn.caller,
            strategy=categorised(turn, parts.policy).strategy,
            timeout_s=parts.policy.timeout_s,
        )
        found = parts.retriever.retrieve(query)
        return [passage for passage in found if turn.caller.may_see(passage.groups)]


def trial_of(asker: Asker, *, groups: Sequence[str] = (), project: Path | None = None) -> Trial:
    """Return a trial of a chain in which every question is really answered.

    Nothing is reused, no conversation is kept, and no record: the questions are not a user's.
    """
    parts = replace(asker.parts, sessions=None, answers=None, runs=None)
    return Trial(replace(asker, parts=parts), tuple(groups), project or Path.cwd())


def run(
    trial: Trial, questions: Sequence[EvalQuestion], *, concurrency: int = 1
) -> Iterator[Outcome]:
    """Yield what came of each question, in their order; only a few are under way at a time.

    Args:
        trial: What answers.
        questions: What is asked.
        concurrency: How many are asked at a time. Without a model more than one would only make
            each of them slower.

    Raises:
        RagqaError: If the next questions could not do better.
    """
    setup = trial.setup
    if trial.asker.parts.model is None or concurrency == 1:
        for question in questions:
            yield Outcome(question, trial.row(question, setup))
        return
    waiting: deque[tuple[EvalQuestion, Future[Row]]] = deque()
    pool = ThreadPoolExecutor(concurrency)
    try:
        for question in questions:
            if len(waiting) >= concurrency:
                yield _outcome(*waiting.popleft())
            waiting.append((question, pool.submit(trial.row, question, setup)))
        while waiting:
            yield _outcome(*waiting.popleft())
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _outcome(question: EvalQuestion, future: Future[Row]) -> Outcome:
    return Outcome(question, future.result())
