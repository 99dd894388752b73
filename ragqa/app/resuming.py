"""Runs of the agent that wait for a person: decide, and go on, in this process or another one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ragqa.app.agent_tools import AGENT, chain_options
from ragqa.app.given import settings_of
from ragqa.app.home import home_of
from ragqa.errors import ConfigError, SessionError, UnknownNameError
from ragqa.settings import Settings

if TYPE_CHECKING:
    from ragqa.agent.ledger.record import ToolRecord
    from ragqa.agent.ledger.store import Ledger
    from ragqa.agent.policy import ToolPolicy
    from ragqa.contract import Answer, QAResponse, Turn
    from ragqa.flow import Pipeline
    from ragqa.ports import Parts, RunState
    from ragqa.validation.gate import Rule

_GOES_ON: tuple[RunState, ...] = ("requires_action", "incomplete")
"""A run whose process was killed is incomplete; its steps are kept, so it can go on as well."""


def waiting(run_id: str | None = None, *, settings: Settings | None = None) -> list[ToolRecord]:
    """Return the tool calls that wait for a person, of one run or of all."""
    with _ledger(settings_of(settings)) as ledger:
        return ledger.waiting(run_id)


def decide(
    run_id: str,
    approved: bool,
    *,
    by: str = "",
    reason: str = "",
    settings: Settings | None = None,
) -> list[ToolRecord]:
    """Record a person's decision on all calls of a run that wait for one. Nothing runs yet.

    Args:
        run_id: The run.
        approved: Yes or no.
        by: Who decides.
        reason: Why.
        settings: All settings; read from their sources if not given.

    Returns:
        The records that were decided on; none where the time is over.

    Raises:
        ConfigError: If nothing waits there, or has been decided before.
    """
    with _ledger(settings_of(settings)) as ledger:
        records = ledger.waiting(run_id)
        if not records:
            raise ConfigError(
                f"Nothing in the run {run_id} waits for a decision.",
                hint="ragqa runs lists the runs and their states.",
            )
        return [
            ledger.decide(record.id, approved, by=by, reason=reason)
            for record in records
            if record.approval is not None and ledger.now_s() < record.approval.expires_s
        ]


def forget(run_ids: Collection[str], *, settings: Settings | None = None) -> int:
    """Erase what the tool calls of runs sent and got back, and return how many that concerns.

    A run that waits for a person cannot go on then, and what it waited for is never done.
    """
    settings = settings_of(settings)
    from ragqa.agent.ledger.reader import LEDGER_FILE

    folder = home_of(settings)
    if not (folder / LEDGER_FILE).is_file():
        return 0
    from ragqa.agent.run.checkpoints import forget_steps

    with _ledger(settings) as ledger:
        for run_id in run_ids:
            for record in ledger.waiting(run_id):
                ledger.move(
                    record.id,
                    "failed",
                    expected=["waiting_for_approval"],
                    error="the run was forgotten",
                )
        forget_steps(folder, run_ids)
        return ledger.forget(run_ids)


def resume(
    run_id: str,
    *,
    tools: Iterable[Any] | None = None,
    policies: Mapping[str, ToolPolicy] | None = None,
    schema: type[QAResponse] | None = None,
    rules: Iterable[Rule] = (),
    settings: Settings | None = None,
) -> Answer:
    """Let a run go on that waited for a decision, or whose process was killed.

    What was approved is carried out with the arguments that were approved; what was refused, or not
    decided on in time, is not, and the answer says so. Where a decision is still due, the run goes
    on waiting.

    Args:
        run_id: The run.
        tools: The tools that the chain was made with; those of ``RAGQA_TOOLS`` if not given.
        policies: Their policies.
        schema: The response class that the chain was made with.
        rules: The rules that it was made with.
        settings: All settings; read from their sources if not given.

    Raises:
        UnknownNameError: If there is no such run.
        ConfigError: If the run has ended, or settings are wrong.
        SessionError: If another process is at it.
    """
    from ragqa import flow

    pipeline, turn = resumed(
        run_id, tools=tools, policies=policies, schema=schema, rules=rules, settings=settings
    )
    return flow.answer_of(flow.invoke(pipeline, turn))


async def aresume(
    run_id: str,
    *,
    tools: Iterable[Any] | None = None,
    policies: Mapping[str, ToolPolicy] | None = None,
    schema: type[QAResponse] | None = None,
    rules: Iterable[Rule] = (),
    settings: Settings | None = None,
) -> Answer:
    """Do the same as :func:`resume` without blocking the event loop."""
    import asyncio

    from ragqa import flow
    from ragqa.flow.host import require_asyncio

    require_asyncio()
    pipeline, turn = await asyncio.to_thread(
        resumed,
        run_id,
        tools=tools,
        policies=policies,
        schema=schema,
        rules=rules,
        settings=settings,
    )
    return flow.answer_of(await flow.ainvoke(pipeline, turn))


def resumed(
    run_id: str,
    *,
    tools: Iterable[Any] | None = None,
    policies: Mapping[str, ToolPolicy] | None = None,
    schema: type[QAResponse] | None = None,
    rules: Iterable[Rule] = (),
    settings: Settings | None = None,
) -> tuple[Pipeline, Turn]:
    """Claim a run for this process, and return what goes on; see :func:`resume`."""
    from ragqa.agent.run.checkpoints import kept_turn
    from ragqa.app.asking import loaded_chain
    from ragqa.app.given import with_given
    from ragqa.app.parts import parts_for
    from ragqa.stages.whole import whole

    settings = settings_of(settings)
    if isinstance(tools, Iterator):  # they are read twice
        tools = list(tools)
    given = {"policies": policies} if tools is None else {"tools": tools, "policies": policies}
    options = chain_options(AGENT, settings, **given)
    parts = with_given(parts_for(settings), schema=schema, rules=rules)
    pipeline = whole(loaded_chain(AGENT).pipeline(parts, **options), parts)
    kept = kept_turn(home_of(settings), run_id)
    if kept is None:
        raise _not_waiting(run_id, parts)
    _check_tools(run_id, settings, **options)
    _claim(parts, run_id)
    return pipeline, _turn(kept, parts)


def _turn(kept: str, parts: Parts) -> Turn:
    from ragqa.agent.run.loop import RESUMES
    from ragqa.agent.run.turn_json import turn_of

    return turn_of(kept, parts.clock() + parts.policy.timeout_s, {RESUMES: True})


def _check_tools(
    run_id: str,
    settings: Settings,
    tools: Iterable[Any] = (),
    policies: Mapping[str, ToolPolicy] | None = None,
) -> None:
    """See that the tools of open calls are there; else those would fail, approved or not.

    Raises:
        ConfigError: If one is missing; the run goes on waiting.
    """
    from ragqa.agent.calculator.calculate import NAME as CALCULATE
    from ragqa.agent.tools.search import NAME as SEARCH
    from ragqa.agent.tools.toolbox import toolbox

    known = {SEARCH, CALCULATE, *toolbox(tools, policies).tools}
    with _ledger(settings) as ledger:
        begun = [each for each in ledger.of_run(run_id) if each.state != "requested"]
    missing = sorted({each.name for each in begun if not each.has_ended} - known)
    if missing:
        raise ConfigError(
            f"The run {run_id} waits for {', '.join(missing)}, which is not among the tools.",
            hint="Pass the tools that it began with: ragqa.resume(run_id, tools=…, policies=…), or "
            "name them in RAGQA_TOOLS.",
        )


def _claim(parts: Parts, run_id: str) -> None:
    """Move the run to this process; of several that try at once, one succeeds."""
    if parts.runs is None or parts.runs.get(run_id) is None:
        return
    if not parts.runs.move(run_id, _GOES_ON, "in_progress"):
        raise SessionError(
            f"The run {run_id} does not wait any more: another process goes on with it.",
            hint=f"See: ragqa runs show {run_id}",
        )


def _not_waiting(run_id: str, parts: Parts) -> ConfigError:
    run = None if parts.runs is None else parts.runs.get(run_id)
    if run is None:
        unknown = UnknownNameError("run", run_id, [])
        unknown.hint = "See which there are: ragqa runs"
        return unknown
    hint = f"See: ragqa runs show {run_id}"
    if parts.runs is not None and parts.runs.keeps == "none":
        hint = "RAGQA_RECORDS=none keeps no text, and no run can go on without."
    return ConfigError(f"The run {run_id} is {run.state}: it cannot go on.", hint=hint)


def _ledger(settings: Settings) -> Ledger:
    from ragqa.agent.ledger.store import Ledger
    from ragqa.agent.run.loop import LEDGER_FILE

    path = home_of(settings) / LEDGER_FILE
    if not path.is_file():
        raise ConfigError(
            f"No tool was ever called here: {path} does not exist.",
            hint="RAGQA_HOME names the folder of the runs.",
        )
    return Ledger(path)
