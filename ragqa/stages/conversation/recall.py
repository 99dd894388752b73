"""Recall a conversation: who may see which turn, what the question means, what the prompt shows.

A turn carries the groups of the documents it came from, and the state of the index. Where that
has changed, its documents are looked up again; a turn whose sources are hidden, changed or gone is
left out. A summary by a model is used only by who may see every turn in it. Of an abstained or
degraded answer the question alone is kept.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from ragqa.contract import Passage, Turn
from ragqa.errors import SessionBusyError
from ragqa.flow import Call, Effect, Effects, Stage
from ragqa.language import looked_up
from ragqa.ports import (
    History,
    Parts,
    PastTurn,
    Run,
    SearchQuery,
    SessionStore,
    Summary,
    UsedSource,
)
from ragqa.stages.conversation.prompt import shown_history
from ragqa.stages.conversation.resolve import resolve
from ragqa.stages.conversation.summary import summarised
from ragqa.stages.retrieve import remaining_s

_LOOKED_UP = 8
"""After the index has changed, the sources of so many turns are looked up again per question."""


def recall(parts: Parts, sessions: SessionStore) -> Stage:
    """Return the stage that sets ``search_text`` and ``history``."""

    def step(turn: Turn) -> Effects:
        session_id, principal = turn.session_id or "", turn.caller.principal
        kept: History = yield Call(lambda config: sessions.recall(session_id, principal))
        if kept.state:
            state = {**kept.state, **turn.notes.get("state", {})}
            turn = replace(turn, notes={**turn.notes, "state": state})
        yield from _nothing_pending(kept.turns, turn, parts)
        if turn.history or turn.search_text:
            return turn  # a run that goes on knows what was said
        turns = yield from _visible(kept.turns, turn, parts, sessions)
        if not turns:
            return turn
        turn = yield from resolve(turn, turns, parts)
        if not writes(turn, parts):
            return turn
        older = turns[: -parts.policy.session_turns]
        summary: Summary | None = None
        if older:
            summary, turn = yield from summarised(older, kept.summary, turn, parts, sessions)
        lines = shown_history(turns, summary, turn, parts.policy)
        return replace(turn, history=lines)

    return Stage("recall", step)


def writes(turn: Turn, parts: Parts) -> bool:
    """Tell whether a model writes the answer: quoting chains ask none, not on the side either."""
    return parts.model is not None and turn.chain != "extractive"


def _nothing_pending(
    turns: Sequence[PastTurn], turn: Turn, parts: Parts
) -> Generator[Effect, Any, None]:
    """Refuse a question while another run of the session waits for a decision.

    Raises:
        SessionBusyError: Names the run.
    """
    runs = parts.runs
    waiting = [p.run_id for p in turns if p.status == "waiting" and p.run_id != turn.run_id]
    if runs is None or not waiting:
        return
    run_id = waiting[-1]
    run: Run | None = yield Call(lambda config: runs.get(run_id))
    if run is not None and run.state == "requires_action":
        raise SessionBusyError(
            f"The session {turn.session_id!r} waits for a decision on the run {run_id}.",
            hint=f"Decide with: ragqa runs approve {run_id} (or refuse), or use another session.",
        )


def _visible(
    turns: Sequence[PastTurn], turn: Turn, parts: Parts, sessions: SessionStore
) -> Generator[Effect, Any, tuple[PastTurn, ...]]:
    """Return the turns whose every source the caller may see, as far as the index tells."""
    may_see = turn.caller.may_see
    allowed = [
        past
        for past in turns
        if past.run_id != turn.run_id and all(may_see(source.groups) for source in past.sources)
    ]
    if not any(past.sources for past in allowed):
        return tuple(allowed)
    version: str = yield Call(lambda config: parts.retriever.version())
    seen: list[PastTurn] = []
    looked_up_turns = 0
    for past in reversed(allowed):
        if past.sources and past.index_version != version:
            looked_up_turns += 1
            if looked_up_turns > _LOOKED_UP:
                continue
            checked = yield from _checked(past, version, turn, parts, sessions)
            if checked is None:
                continue
            past = checked  # noqa: PLW2901 -- the same turn, with its sources of today
        seen.append(past)
    return tuple(reversed(seen))


def _checked(
    past: PastTurn, version: str, turn: Turn, parts: Parts, sessions: SessionStore
) -> Generator[Effect, Any, PastTurn | None]:
    """Look up the sources of a turn in an index that has changed since.

    A document that is gone, changed, or kept from the caller is not found; then nothing that was
    said from it is repeated.
    """
    query = SearchQuery(
        text=looked_up(past.resolved or past.question),
        k=max(parts.policy.top_k, len(past.sources)),
        caller=turn.caller,
        timeout_s=remaining_s(turn, parts),
    )
    found: Sequence[Passage] = yield Call(
        lambda config: parts.retriever.retrieve(query, config),
        lambda config: parts.retriever.aretrieve(query, config),
    )
    groups = {
        passage.id: passage.groups for passage in found if turn.caller.may_see(passage.groups)
    }
    if any(source.id not in groups for source in past.sources):
        return None
    sources = tuple(UsedSource(source.id, groups[source.id]) for source in past.sources)
    fresh = replace(past, sources=sources, index_version=version)
    session_id, principal = turn.session_id or "", turn.caller.principal
    yield Call(lambda config: sessions.remember(session_id, principal, fresh))
    return fresh
