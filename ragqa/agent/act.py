"""The stage in which the agent acts: its run ends in a draft, in a wait, or at a limit."""

from __future__ import annotations

from dataclasses import replace

from ragqa.agent.run.loop import Agent
from ragqa.agent.run.reply import AgentReply
from ragqa.agent.run.telling import done_text, limit_text, results_text, waiting_text
from ragqa.contract import Turn
from ragqa.errors import AgentLimitError, ConfigError, ToolsRefusedError
from ragqa.flow import Ask, Effects, Show, Stage, answer_of
from ragqa.instructions import answer_messages
from ragqa.language import language_of
from ragqa.ports import ModelRequest, Parts
from ragqa.stages.fit import fit
from ragqa.stages.retrieve import categorised, retrieve
from ragqa.stages.seal import answered, preset
from ragqa.stages.showing import ModelDraft, Shown


def act(parts: Parts, agent: Agent) -> Stage:
    """Return the stage that sets what the tools returned, and the model's draft of the answer."""
    if parts.model is None:
        raise ConfigError(
            "The agent needs a chat model that calls tools, and none is configured.",
            hint="Set OPENAI_BASE_URL and RAGQA_CHAT_MODEL, or use the chain 'extractive'.",
        )

    def step(turn: Turn) -> Effects:
        turn = categorised(turn, parts.policy)
        shown = Shown(parts.policy.schema).fresh()
        try:
            reply: AgentReply = yield Ask(agent.model_for(turn), _request(turn, parts), shown)
            if isinstance(reply.error, ToolsRefusedError):
                raise reply.error
        except ToolsRefusedError:
            if agent.box.tools:
                raise
            return (yield from _without_tools(turn, parts))
        turn = _with_results(turn, reply, language_of(turn.question.text))
        if reply.waiting:
            yield from shown.withdrawn("approval")
            turn = _waiting(turn, parts, reply)
            yield Show(answer_of(turn).response.answer)
        elif reply.stopped:
            yield from shown.withdrawn(reply.stopped[0])
            turn = _stopped(turn, parts, reply)
            yield Show(answer_of(turn).response.answer)
        else:
            draft = ModelDraft(shown, None if reply.error else reply, reply.error)
            turn = replace(turn, notes={**turn.notes, "model_draft": draft})
        return turn

    return Stage("act", step)


def _request(turn: Turn, parts: Parts) -> ModelRequest:
    """Return what stands for the run in records: its question and the format of its answer."""
    messages = answer_messages(
        question=turn.question.text,
        passages="",
        language=language_of(turn.question.text),
        schema=parts.policy.schema,
    )
    return ModelRequest(messages, parts.policy.schema, temperature=parts.policy.temperature)


def _without_tools(turn: Turn, parts: Parts) -> Effects:
    """Look the documents up without the model's help, where it cannot call tools."""
    turn = yield from retrieve(parts).effects(turn)
    return (yield from fit(parts).effects(turn))


def _with_results(turn: Turn, reply: AgentReply, language: str) -> Turn:
    """Put what tools returned and did where the gates, the repair and the answer look for it."""
    is_draft = not (reply.error or reply.stopped or reply.waiting)
    return replace(
        turn,
        passages=reply.passages,
        context=reply.blocks,
        tools=tuple(record.shown() for record in reply.records),
        evidence=reply.evidence,
        usage=turn.usage if is_draft else turn.usage + reply.usage,  # a draft's is counted later
        notes={
            **turn.notes,
            "needs_documents": False,
            "records": reply.records,
            "facts": results_text(reply.outcomes, language),
            "done": done_text(reply.records, language),
        },
    )


def _waiting(turn: Turn, parts: Parts, reply: AgentReply) -> Turn:
    text = waiting_text(reply.waiting, language_of(turn.question.text))
    return _sealed(turn, parts, text, status="waiting", reason="approval")


def _stopped(turn: Turn, parts: Parts, reply: AgentReply) -> Turn:
    assert reply.stopped is not None, "asked for before"
    reason, what = reply.stopped
    done: str = turn.notes["done"]
    if parts.policy.raise_degraded:
        raise AgentLimitError(
            f"The agent reached a limit ({what}). {done}".strip(),
            hint="Raise the limit, or ask for less.",
        )
    language = language_of(turn.question.text)
    text = (" " if language != "zh" else "").join(t for t in (limit_text(language), done) if t)
    return _sealed(turn, parts, text, status="degraded", reason=reason)


def _sealed(turn: Turn, parts: Parts, text: str, *, status: str, reason: str) -> Turn:
    """Seal with a preset that says what is known."""
    response = preset(turn, parts.policy, "degraded", confidence=0.0)
    response = response.model_copy(update={"answer": text[: parts.policy.schema.max_answer_chars]})
    return answered(turn, response, status=status, reason=reason)  # type: ignore[arg-type]
