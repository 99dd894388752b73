"""What is kept of the texts of a run: all, masked, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ragqa.masking import mask
from ragqa.ports import KeptText, Run

Change = Callable[[str], str]

_TOOL_FACTS = frozenset(
    ("name", "call_id", "id", "state", "done", "effect", "attempt", "times", "by_provider")
)
_RESPONSE_FACTS = frozenset(("confidence", "category", "needs_human"))


def kept(run: Run, keeps: KeptText) -> Run:
    """Return a run with no more of its texts than is to be kept."""
    if run.record:
        run = replace(run, record={**run.record, "kept": keeps})
    if keeps == "full":
        return run
    if keeps == "none":
        return _changed(_without_values(run), lambda text: "")
    texts: list[str] = []

    def noted(text: str) -> str:
        texts.append(text)
        return text

    _changed(run, noted)
    whole = "\n".join(texts)
    # One pass over all texts tells that nothing is to be masked, as in most runs.
    if mask(whole) == whole:
        return run
    masked = _changed(run, mask)
    return replace(masked, record={**masked.record, "is_masked": True}) if run.record else masked


def _changed(run: Run, change: Change) -> Run:
    """Return the run with each of its texts changed."""
    error = run.last_error
    return replace(
        run,
        question=change(run.question),
        last_error=None if error is None else {**error, "message": change(error["message"])},
        record=_record(run.record, change),
    )


def _record(record: Mapping[str, Any], change: Change) -> dict[str, Any]:
    changed = dict(record)
    if search_text := record.get("search_text"):
        changed["search_text"] = change(search_text)
    if passages := record.get("passages"):
        changed["passages"] = [{**each, "title": change(each["title"])} for each in passages]
    if calls := record.get("calls"):
        changed["calls"] = [_call(call, change) for call in calls]
    if answer := record.get("answer"):
        changed["answer"] = _answer(answer, change)
    return changed


def _call(call: Mapping[str, Any], change: Change) -> dict[str, Any]:
    said = {key: change(call[key]) for key in ("reply", "refusal") if call.get(key)}
    return {**call, **said}


def _answer(answer: Mapping[str, Any], change: Change) -> dict[str, Any]:
    response = {
        key: value if key in _RESPONSE_FACTS else _deep(value, change)
        for key, value in answer["response"].items()
    }
    citations = [
        {**each, "title": change(each["title"]), "quote": change(each["quote"])}
        for each in answer["citations"]
    ]
    tools = [
        {key: value if key in _TOOL_FACTS else _deep(value, change) for key, value in tool.items()}
        for tool in answer["tools"]
    ]
    return {**answer, "response": response, "citations": citations, "tools": tools}


def _deep(value: Any, change: Change) -> Any:
    """Change all texts of a JSON value; the keys of a mapping may come from outside, too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(key): _deep(item, change) for key, item in value.items()}
    return [_deep(item, change) for item in value] if isinstance(value, list | tuple) else value


def _without_values(run: Run) -> Run:
    """Leave out what says something without being text: prices, arguments of tools."""
    answer = run.record.get("answer")
    if not answer:
        return run
    response = {key: answer["response"][key] for key in _RESPONSE_FACTS}
    tools = [
        {key: value for key, value in tool.items() if key in _TOOL_FACTS}
        for tool in answer["tools"]
    ]
    return replace(
        run, record={**run.record, "answer": {**answer, "response": response, "tools": tools}}
    )
