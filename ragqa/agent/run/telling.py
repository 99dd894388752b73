"""What the records of a run say, in words: for a person, and for a model's repair call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import prompts
from ragqa.agent.ledger.record import ToolRecord
from ragqa.masking import mask

_RESULT_CHARS = 600


def results_text(outcomes: Sequence[tuple[str, bool, str]], language: str) -> str:
    """Return what tools returned, a line a call, for a call of the model without tools.

    Args:
        outcomes: Name, whether it failed, and what the model was told, of each call.
        language: ``en`` or ``zh``.
    """
    phrases = _phrases(language)
    lines = [
        f"- {name}{phrases['error'] if failed else ''}: {_shortened(text)}"
        for name, failed, text in outcomes
    ]
    return "\n".join([phrases["results"], *lines]) if lines else ""


def done_text(records: Iterable[ToolRecord], language: str) -> str:
    """Return what a run changed, what is uncertain and what failed; empty where it only read."""
    groups: dict[str, list[str]] = {"done": [], "open": [], "failed": []}
    for record in records:
        if not record.read_only:
            groups[_group(record)].append(_named(record))
    return _sentences(groups, language)


def waiting_text(records: Iterable[ToolRecord], language: str) -> str:
    """Return what waits for a person's approval."""
    return _sentences({"waiting": [record.name for record in records]}, language)


def limit_text(language: str) -> str:
    """Return that a limit was reached."""
    return _phrases(language)["limit"]


def _group(record: ToolRecord) -> str:
    if record.is_done:
        return "done"
    return "failed" if record.state == "failed" else "open"


def _named(record: ToolRecord) -> str:
    number = mask(record.request_id) if record.request_id else ""
    return f"{record.name} ({number})" if number else record.name


def _sentences(groups: dict[str, list[str]], language: str) -> str:
    phrases = _phrases(language)
    blank = "" if language == "zh" else " "
    comma = phrases["comma"] + blank
    told = (
        f"{phrases[name]}{blank}{comma.join(dict.fromkeys(items))}{phrases['stop']}"
        for name, items in groups.items()
        if items
    )
    return blank.join(told)


def _phrases(language: str) -> dict[str, str]:
    return dict(prompts.load("agent_facts", language).parts)


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _RESULT_CHARS else f"{text[:_RESULT_CHARS]} …"
