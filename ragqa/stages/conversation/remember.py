"""Remember a turn of a conversation as a compact record."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable

from ragqa.contract import Answer, Passage, Turn
from ragqa.errors import RetrievalError, SessionError, StorageError
from ragqa.flow import Call, Effects, Stage, answer_of
from ragqa.ports import Parts, PastTurn, SessionStore, UsedSource
from ragqa.stages.conversation.prompt import ANSWER_CHARS, shortened

_log = logging.getLogger(__name__)

_GIVEN = ("answered", "repaired", "cached")
"""Of other answers the question alone is remembered: what no document says is no fact."""


def remember(parts: Parts, sessions: SessionStore) -> Stage:
    """Return the stage that keeps the question and its answer.

    Where that fails, the answer is given all the same: it is there, and so is what tools did.
    """

    def step(turn: Turn) -> Effects:
        try:
            version: str = yield Call(lambda config: parts.retriever.version())
            past = past_turn(turn, version)
            session_id, principal = turn.session_id or "", turn.caller.principal
            yield Call(lambda config: sessions.remember(session_id, principal, past))
        except (RetrievalError, SessionError, StorageError) as exc:
            _log.warning("This turn will not be remembered: %s", exc)
        return turn

    return Stage("remember", step)


def past_turn(turn: Turn, index_version: str) -> PastTurn:
    """Return what is kept of an answered turn."""
    answer = answer_of(turn)
    given = answer.status in _GIVEN
    return PastTurn(
        run_id=turn.run_id,
        question=turn.question.text,
        resolved=turn.search_text,
        answer=shortened(answer.response.answer, ANSWER_CHARS) if given else "",
        category=answer.response.category,
        confidence=answer.response.confidence,
        status=answer.status,
        sources=tuple(_sources(turn, answer)) if given else (),
        index_version=index_version,
        at_s=time.time(),
    )


def _sources(turn: Turn, answer: Answer) -> Iterable[UsedSource]:
    """Return the documents that the answer names; where it names none, all that were seen."""
    cited = {citation.id for citation in answer.citations}
    titles = set(answer.response.sources)
    seen: tuple[Passage, ...] = turn.passages or answer.passages
    named = [passage for passage in seen if passage.id in cited or passage.title in titles]
    groups = {passage.id: passage.groups for passage in named or seen}
    return (UsedSource(id, held) for id, held in groups.items())
