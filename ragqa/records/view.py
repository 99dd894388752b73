"""What of a run a looker may see: never more of the documents than its groups allow.

Where a passage of the run is hidden from the looker, so is every text that may draw on it: the
answer, the replies of models, the arguments and results of tools. Codes, counts and times stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ragqa.contract import Caller
from ragqa.ports import Run

_OPEN_KEYS = frozenset(
    ("category", "strategy", "stage", "attempts", "transport", "timings_ms", "versions", "kept")
) | {"answered_by"}
_OPEN_RESPONSE = ("confidence", "category", "needs_human")
_OPEN_TOOL = ("name", "call_id", "id", "state", "done", "effect", "attempt", "times")


def shown(run: Run, looker: Caller) -> dict[str, Any]:
    """Return a run as JSON takes it, without what the looker may not see.

    The key ``hidden`` counts the passages that are left out; ``hidden_sources`` says whether texts
    are, too.
    """
    record = run.record
    visible, hidden = _visible_passages(record, looker)
    withheld = is_withheld(run, looker)
    error = run.last_error
    head = {
        "run_id": run.id,
        "state": run.state,
        "chain": run.chain,
        "principal": run.principal,
        "groups": list(run.groups),
        "session_id": run.session_id,
        "question": run.question,
        "started_at": _moment(run.started_s),
        "ended_at": None if run.ended_s is None else _moment(run.ended_s),
        "last_error": {"code": error["code"], "message": ""} if error and withheld else error,
        "usage": run.usage.model_dump(),
        "hidden": hidden,
        "hidden_sources": withheld,
    }
    passages = [{k: v for k, v in each.items() if k != "groups"} for each in visible]
    if not withheld:
        rest = {key: value for key, value in record.items() if key != "source_groups"}
        return {**head, **rest, "passages": passages}
    rest = {key: value for key, value in record.items() if key in _OPEN_KEYS}
    if answer := record.get("answer"):
        rest["answer"] = _without_text(answer, visible)
    calls = [_sizes(call) for call in record.get("calls", ())]
    return {**head, **rest, "calls": calls, "passages": passages}


def is_withheld(run: Run, looker: Caller) -> bool:
    """Tell whether anything that the run has read is hidden from the looker."""
    groups = [each["groups"] for each in run.record.get("passages", ())]
    groups += run.record.get("source_groups", ())
    return not all(looker.may_see(tuple(each)) for each in groups)


def _visible_passages(
    record: Mapping[str, Any], looker: Caller
) -> tuple[list[Mapping[str, Any]], int]:
    passages: Sequence[Mapping[str, Any]] = record.get("passages", ())
    visible = [each for each in passages if looker.may_see(tuple(each["groups"]))]
    return visible, len(passages) - len(visible)


def _without_text(
    answer: Mapping[str, Any], visible: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    sources = {(each["id"], each["title"]) for each in visible}
    response = {key: answer["response"].get(key) for key in _OPEN_RESPONSE}
    citations = [each for each in answer["citations"] if (each["id"], each["title"]) in sources]
    tools = [{key: tool[key] for key in _OPEN_TOOL if key in tool} for tool in answer["tools"]]
    return {**answer, "response": response, "citations": citations, "tools": tools}


def _sizes(call: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in call.items() if key not in ("reply", "refusal")}


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
