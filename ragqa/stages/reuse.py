"""Reuse an accepted answer for the same question; answer equal questions at a time once.

The key holds index version, settings, prompts, schema, model, chain and the caller's groups, so
that nothing has to be invalidated. Answers that were written with a conversation before them stay
in it. Azure AI Search does not tell when its documents change: there a search comes first, and what
it finds is part of the key.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import unicodedata
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import prompts
from ragqa.cache.flights import FLIGHTS, Flight, Landing, aawait_landing, await_landing
from ragqa.cache.kept import as_json, from_json
from ragqa.cache.questions import may_be_one, normalised
from ragqa.contract import Answer, QAResponse, Turn
from ragqa.errors import RagqaError
from ragqa.flow import Call, Effect, Effects, Pipeline, Show, quick, surrounded
from ragqa.ports import AnswerStore, Parts, TraceConfig
from ragqa.ports.reuse import KeptQuestion, NearQuestions, Reuse
from ragqa.stages.facts import ragqa_version
from ragqa.stages.retrieve import remaining_s, retrieve

_log = logging.getLogger(__name__)

_PROMPTS = ("answer", "fields", "repair", "decide", "gather", "evidence")
_LEADERS = 3
"""So often somebody else is waited for; then a question is answered for itself."""


def reused(pipeline: Pipeline, parts: Parts) -> Pipeline:
    """Return a pipeline that answers from what is kept, where something fitting is.

    What an agent did is not done again by telling of it, and what its tools said was true then.
    """
    acts = any(stage.name == "act" for stage in pipeline.stages)
    if parts.answers is None or acts:
        return pipeline
    reusing = _Reusing(pipeline, parts, parts.answers)
    return surrounded(pipeline, reusing.step)


@dataclass(frozen=True)
class _Keys:
    """Where answers to a question are looked for, and where the one to come is kept.

    Attributes:
        text: The question as it was asked, or resolved.
        scope: All that an answer depends on, but the question.
        read: Where to look, in this order.
        write: Where to keep.
    """

    text: str
    scope: str
    read: tuple[str, ...]
    write: str


@dataclass(frozen=True)
class _Reusing:
    pipeline: Pipeline
    parts: Parts
    reuse: Reuse

    def step(self, turn: Turn) -> Effects:
        started_s = self.pipeline.clock()
        keys, turn = yield from self._keys(turn)
        if keys is None:
            return (yield from self.pipeline.effects(turn))
        for _ in range(_LEADERS):
            joined = yield from self._joined(keys, turn)
            if isinstance(joined, Flight):
                return (yield from self._leading(keys, joined, turn, started_s))
            if joined is None:
                break
            landing = yield from self._awaited(joined, turn)
            if (sealed := self._sealed(landing, turn, started_s)) is not None:
                return (yield from _shown(sealed))
        return (yield from self.pipeline.effects(turn))

    def _leading(self, keys: _Keys, flight: Flight, turn: Turn, started_s: float) -> Effects:
        """Look into the store, else answer; tell those who wait, come what may."""
        landing: Landing = None
        try:
            landing, vector = yield from self._found(keys)
            if (sealed := self._sealed(landing, turn, started_s)) is not None:
                return (yield from _shown(sealed))
            landing = None
            done = yield from self.pipeline.effects(turn)
            if done.answer is not None and _may_be_shared(done.answer):
                landing = as_json(done.answer)
                if self._may_be_kept(done.answer):
                    yield from self._kept(keys, landing, vector)
            return done
        finally:
            FLIGHTS.land(keys.write, flight, landing)

    def _keys(self, turn: Turn) -> Generator[Effect, Any, tuple[_Keys | None, Turn]]:
        """Return the question's keys, None where nothing is known of the index, and the turn.

        Where a search was needed for them, the turn holds what it found: nothing searches twice.
        """
        try:
            version: str = yield quick(lambda config: self.parts.retriever.version())
            if not self.reuse.version_tells:
                turn = yield from retrieve(self.parts).effects(turn)
                version += _digest([(p.id, p.chunk_id, p.text, p.groups) for p in turn.passages])
        except RagqaError:
            return None, turn  # the chain meets the same fault, and says what it is
        text = unicodedata.normalize("NFKC", turn.search_text or turn.question.text)
        same = normalised(text)
        scope = _digest(self._static, version, turn.chain, _permissions(turn))
        shared = _digest(scope, same)
        if not turn.history:
            return _Keys(text, scope, (shared,), shared), turn
        # What a conversation told may be in its answers: they stay in it.
        own = _digest(scope, same, turn.session_id, turn.caller.principal, list(turn.history))
        return _Keys(text, scope, (own, shared), own), turn

    @cached_property
    def _static(self) -> str:
        parts, schema = self.parts, self.parts.policy.schema
        policy = replace(
            parts.policy,
            schema=QAResponse,
            timeout_s=0,
            run_budget_tokens=None,
            run_budget_cost=None,
        )
        digests = [
            prompts.load(name, language).digest
            for name in _PROMPTS
            for language in prompts.LANGUAGES
        ]
        models = [model.name if model else "" for model in (parts.model, parts.fallback_model)]
        kind = f"{schema.__module__}.{schema.__qualname__}"
        form = json.dumps(schema.model_json_schema(), sort_keys=True)
        gates = f"{type(parts.gates).__qualname__} {type(parts.reranker).__qualname__}"
        return _digest(
            ragqa_version(), repr(policy), digests, models, kind, form, gates, self.reuse.scope
        )

    def _joined(
        self, keys: _Keys, turn: Turn
    ) -> Generator[Effect, Any, Flight | Future[Landing] | None]:
        async def arun(config: Any) -> Any:
            return FLIGHTS.join(keys.write, asyncio.current_task())

        joined: Flight | Future[Landing] | None = yield Call(
            lambda config: FLIGHTS.join(keys.write), arun
        )
        return joined

    def _awaited(self, waiting: Future[Landing], turn: Turn) -> Generator[Effect, Any, Landing]:
        left_s = remaining_s(turn, self.parts)
        landing: Landing = yield Call(
            lambda config: await_landing(waiting, left_s),
            lambda config: aawait_landing(waiting, left_s),
        )
        return landing

    def _found(self, keys: _Keys) -> Generator[Effect, Any, tuple[Landing, Sequence[float]]]:
        """Return a kept answer, and the question's vector where it was needed."""
        store = self.reuse.store
        try:
            for key in keys.read:
                text: Landing = yield self._store_call(partial(_read, store, key))
                if text is not None:
                    return text, ()
            if self.reuse.near is None or keys.write != keys.read[-1]:
                return None, ()
            return (yield from self._nearly(keys, self.reuse.near))
        except RagqaError as exc:
            _log.warning("No kept answer could be looked up: %s", exc)
            return None, ()

    def _nearly(
        self, keys: _Keys, near: NearQuestions
    ) -> Generator[Effect, Any, tuple[Landing, Sequence[float]]]:
        vector = yield Call(lambda config: near.embed(keys.text), lambda _: near.aembed(keys.text))
        store = self.reuse.store

        def look(config: Any) -> Landing:
            best = nearest(keys.text, vector, store.noted(keys.scope), near.similarity)
            return None if best is None else store.get(best.key)

        landing: Landing = yield self._store_call(look)
        return landing, vector

    def _kept(
        self, keys: _Keys, text: str, vector: Sequence[float]
    ) -> Generator[Effect, Any, None]:
        store, lifetime_s = self.reuse.store, self.reuse.lifetime_s

        def keep(config: Any) -> None:
            store.put(keys.write, text, lifetime_s)
            if len(vector):
                store.note(keys.scope, KeptQuestion(keys.text, vector, keys.write), lifetime_s)

        try:
            yield self._store_call(keep)
        except RagqaError as exc:
            _log.warning("An answer could not be kept for reuse: %s", exc)

    def _store_call(self, run: Callable[[TraceConfig], Any]) -> Call:
        return quick(run) if self.reuse.is_quick else Call(run)

    def _may_be_kept(self, answer: Answer) -> bool:
        confidence = answer.response.confidence
        return _is_accepted(answer) and confidence >= self.reuse.min_confidence

    def _sealed(self, landing: Landing, turn: Turn, started_s: float) -> Turn | None:
        """Return the turn with a kept answer; None where it must not be given to this caller."""
        kept = from_json(landing, self.parts.policy.schema) if landing else None
        if kept is None or not all(turn.caller.may_see(p.groups) for p in kept.passages):
            return None
        spent_ms = round((self.pipeline.clock() - started_s) * 1000, 3)
        answer = kept.model_copy(
            update={
                "status": "cached" if _is_accepted(kept) else kept.status,
                "usage": turn.usage,
                "timings_ms": {**turn.timings_ms, "reuse": spent_ms, "total": spent_ms},
                "session_id": turn.session_id,
                "chain": turn.chain,
            }
        )
        return replace(turn, passages=kept.passages, answer=answer)


def _read(store: AnswerStore, key: str, config: TraceConfig) -> Landing:
    return store.get(key)


def nearest(
    text: str, vector: Sequence[float], kept: Sequence[KeptQuestion], similarity: float
) -> KeptQuestion | None:
    """Return the kept question that is most like this one, if it may count as the same."""
    import numpy as np

    if not kept:
        return None
    rows: Any = np.asarray([question.vector for question in kept], dtype=np.float32)
    asked = np.asarray(vector, dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != len(asked):
        return None
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
    cosines = rows @ asked / np.maximum(lengths, 1e-12)
    for place in map(int, np.argsort(-cosines)):
        if cosines[place] < similarity:
            return None
        if may_be_one(text, kept[place].text):
            return kept[place]
    return None


def _may_be_shared(answer: Answer) -> bool:
    """Tell whether an answer may also be given to those who asked the same meanwhile."""
    return (_is_accepted(answer) or answer.status == "abstained") and not answer.tools


def _is_accepted(answer: Answer) -> bool:
    """Tell whether a model's answer was accepted; one that stands in for it bears a reason."""
    return answer.status in ("answered", "repaired") and answer.reason is None


def _permissions(turn: Turn) -> list[Any]:
    caller = turn.caller
    if caller.token is None:
        return sorted(set(caller.groups))
    # A service trims by the token: what it shows is known for this token alone.
    return [sorted(set(caller.groups)), caller.principal, _digest(caller.token)]


def _shown(sealed: Turn) -> Effects:
    assert sealed.answer is not None, "a kept answer seals the turn"
    yield Show(sealed.answer.response.answer)
    return sealed


def _digest(*what: Any) -> str:
    return hashlib.sha256(json.dumps(what, ensure_ascii=True).encode()).hexdigest()
