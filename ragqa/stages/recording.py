"""What is noted of one ask while it runs, and the record that is made of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragqa.contract import Answer, Attempt, Passage, Turn, Usage
from ragqa.errors import RagqaError
from ragqa.flow import Ask, Effect, answer_of
from ragqa.flow.pipeline import Note
from ragqa.ports import ENDED, History, KeptText, ModelReply, Parts, Run, RunState
from ragqa.records.text import kept
from ragqa.stages.breaking import breaking_stage
from ragqa.stages.facts import Facts, digest, record_of
from ragqa.stages.noted import NotedCall, Recorder, judged, noted

_LIMITS = ("limit", "budget")
"""Reasons of an answer that ended before it was complete."""


@dataclass(slots=True)
class _Heard:
    """A call of a model, with the text of its reply for a replay."""

    call: NotedCall
    is_answer: bool
    started_s: float
    instructions: str
    reply: ModelReply | None = None
    ms: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the call as a record keeps it."""
        shown = {
            **self.call.as_json(),
            "is_disobedient": self.call.is_disobedient,
            "ms": self.ms,
            "prompt": digest(self.instructions) if self.is_answer else "",
        }
        if self.reply is not None:
            shown["reply"] = self.reply.text
            shown["refusal"] = self.reply.refusal
            shown["usage"] = self.reply.usage.model_dump()
            shown["served_by"] = self.reply.model
        return shown


class Recording:
    """Notes of one ask.

    Args:
        turn: The ask at its beginning.
        parts: What it works with.
        keeps: What is kept of texts.
    """

    def __init__(self, turn: Turn, parts: Parts, keeps: KeptText) -> None:
        self._turn = turn
        self._parts = parts
        self._keeps = keeps
        self._recorder = Recorder()
        self._replies: list[_Heard] = []
        self._passages: tuple[Passage, ...] = ()
        self._source_groups: set[tuple[str, ...]] = set()
        self._events: Counter[str] = Counter()
        self._started_s = time.time()
        self._before: Run | None = None

    def run(self) -> Run:
        """Return the run as it begins."""
        return self._run("in_progress")

    def began(self, before: Run | None) -> None:
        """Take in what was kept of the run before, where it goes on."""
        self._before = before

    def happened(self, event: str) -> None:
        """Count a try that failed on its way to a service."""
        self._events[event] += 1

    def asked(self, effect: Effect) -> Note:
        """Note an effect; what is returned takes its outcome in."""
        if isinstance(effect, Ask):
            call = self._recorder.begin(effect.model.name, effect.request)
            request = effect.request
            heard = _Heard(
                call,
                request.schema is not None,
                self._parts.clock(),
                next((m.content for m in request.messages if m.role == "system"), ""),
            )
            self._replies.append(heard)
            return lambda result, error: self._answered(heard, result, error)
        return self._found

    def _answered(self, heard: _Heard, result: Any, error: BaseException | None) -> None:
        heard.ms = round((self._parts.clock() - heard.started_s) * 1000, 3)
        if isinstance(result, ModelReply):
            heard.reply = noted(heard.call, result)
        if error is not None:
            heard.call.error = error.code if isinstance(error, RagqaError) else "error"

    def _found(self, result: Any, error: BaseException | None) -> None:
        """Remember passages, so that the record of an ask that fails has them, too."""
        if isinstance(result, History):
            self._remember_sources(result)
        if isinstance(result, list | tuple) and result and isinstance(result[0], Passage):
            may_see = self._turn.caller.may_see
            self._passages = tuple(passage for passage in result if may_see(passage.groups))

    def _remember_sources(self, history: History) -> None:
        """Note who may see what earlier answers were written from: this one may repeat it."""
        may_see = self._turn.caller.may_see
        for past in history.turns:
            groups = [source.groups for source in past.sources]
            if all(may_see(each) for each in groups):
                self._source_groups.update(groups)

    def answered(self, turn: Turn) -> Run:
        """Return the run of an ask that has its answer."""
        answer = answer_of(turn)
        self._judge(turn.attempts)
        state, last_error = _outcome(answer)
        facts = self._facts(turn, answer.passages or self._passages, answer)
        if answer.status in ("abstained", "degraded"):
            facts = replace(facts, stage=breaking_stage(turn, self._recorder.calls))
        usage = turn.usage if turn.usage.calls else answer.usage
        usage = Usage() if answer.status == "cached" else usage
        return self._run(state, facts, last_error, usage)

    def failed(self, error: Exception) -> Run:
        """Return the run of an ask that ended in an exception."""
        code = error.code if isinstance(error, RagqaError) else type(error).__name__
        message = error.message if isinstance(error, RagqaError) else str(error)
        return self._ended("failed", {"code": code, "message": message})

    def cancelled(self) -> Run:
        """Return the run of an ask that nobody waits for any more."""
        return self._ended("cancelled", {"code": "cancelled", "message": ""})

    def _ended(self, state: RunState, last_error: dict[str, str]) -> Run:
        replies = [heard.reply for heard in self._replies if heard.reply is not None]
        usage = sum((reply.usage for reply in replies), start=Usage())
        return self._run(state, self._facts(self._turn, self._passages), last_error, usage)

    def _facts(
        self, turn: Turn, passages: Sequence[Passage], answer: Answer | None = None
    ) -> Facts:
        return Facts(turn, passages, tuple(sorted(self._source_groups)), answer)

    def _judge(self, attempts: Sequence[Attempt]) -> None:
        """Put the verdicts beside the replies that they judge, which were asked for answers."""
        heard = [one for one in self._replies if one.is_answer and one.reply is not None]
        for one, attempt in zip(heard[-len(attempts) :], attempts, strict=False):
            assert one.reply is not None, "chosen above"
            judged(one.call, one.reply.text, attempt)

    def _run(
        self,
        state: RunState,
        facts: Facts | None = None,
        last_error: dict[str, str] | None = None,
        usage: Usage = Usage(),  # noqa: B008 -- a frozen value
    ) -> Run:
        turn, before = self._turn, self._before
        record = {} if facts is None else record_of(facts, self._parts, self._calls(), self._events)
        run = Run(
            id=turn.run_id,
            state=state,
            chain=turn.chain,
            principal=turn.caller.principal,
            groups=turn.caller.groups,
            session_id=turn.session_id,
            question=turn.question.text,
            started_s=self._started_s if before is None else before.started_s,
            ended_s=time.time() if state in ENDED else None,
            last_error=last_error,
            # a run of the agent that goes on tells the usage of the whole run itself
            usage=usage if before is None or turn.notes.get("resumes") else before.usage + usage,
            record=record,
        )
        return kept(run, self._keeps)

    def _calls(self) -> list[dict[str, Any]]:
        earlier = [] if self._before is None else list(self._before.record.get("calls", ()))
        return earlier + [heard.as_json() for heard in self._replies]


def _outcome(answer: Answer) -> tuple[RunState, dict[str, str] | None]:
    """Return the state that an answer leaves its run in, and the error where there is one."""
    if answer.status == "waiting":
        return "requires_action", None
    if answer.status != "degraded":
        return "completed", None
    error = {"code": answer.reason or "degraded", "message": ""}
    return ("incomplete" if answer.reason in _LIMITS else "failed"), error
