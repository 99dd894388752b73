"""Kept answers in Redis, for all machines that share it; Redis drops what has expired."""

from __future__ import annotations

import base64
import json
from array import array
from collections.abc import Sequence

from ragqa.cache.sqlite import MAX_QUESTIONS
from ragqa.ports.reuse import KeptQuestion
from ragqa.storage.redis import RedisStore

# A question that has expired goes with its answer; the list holds no more than the newest.
_NOTE = """
redis.call('LREM', KEYS[1], 0, ARGV[1])
redis.call('LPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], 0, ARGV[2] - 1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
"""


class RedisAnswers:
    """Answers in Redis."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store

    def get(self, key: str) -> str | None:
        """Return the answer's JSON; None where there is none, or it has expired."""
        kept = self._store.do(lambda redis: redis.get(_answer(key)))
        return None if kept is None else str(kept)

    def put(self, key: str, answer_json: str, lifetime_s: float) -> None:
        """Keep an answer for a time."""
        lifetime_ms = max(1, round(lifetime_s * 1000))
        self._store.do(lambda redis: redis.set(_answer(key), answer_json, px=lifetime_ms))

    def note(self, scope: str, question: KeptQuestion, lifetime_s: float) -> None:
        """Keep a question, so that it is found by its vector among those of its scope."""
        vector = base64.b64encode(array("f", question.vector).tobytes()).decode()
        entry = json.dumps([question.text, vector, question.key], ensure_ascii=False)
        arguments = [entry, MAX_QUESTIONS, max(1, round(lifetime_s * 1000))]
        self._store.run(_NOTE, [_questions(scope)], arguments)

    def noted(self, scope: str) -> Sequence[KeptQuestion]:
        """Return the questions of a scope that have not expired, newest first."""
        entries = self._store.do(lambda redis: redis.lrange(_questions(scope), 0, -1))
        rows = [json.loads(entry) for entry in entries]
        found = [
            KeptQuestion(text, array("f", base64.b64decode(vector)), key)
            for text, vector, key in rows
        ]
        kept = self._alive([question.key for question in found])
        return [question for question in found if question.key in kept]

    def _alive(self, keys: Sequence[str]) -> set[str]:
        if not keys:
            return set()

        def ask(redis: object) -> list[int]:
            pipe = redis.pipeline(transaction=False)  # type: ignore[attr-defined]
            for key in keys:
                pipe.exists(_answer(key))
            found: list[int] = pipe.execute()
            return found

        return {key for key, exists in zip(keys, self._store.do(ask), strict=True) if exists}


def _answer(key: str) -> str:
    return f"ragqa:answer:{key}"


def _questions(scope: str) -> str:
    return f"ragqa:questions:{scope}"
