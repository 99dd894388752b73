"""``ragqa runs approve`` and ``refuse``: a person's word on what a waiting run wants to do."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ragqa.cli import terminal
from ragqa.cli.runs_store import found, opened
from ragqa.errors import ConfigError

if TYPE_CHECKING:
    from ragqa.contract import Answer

_ELSEWHERE = (
    "The decision is recorded. To go on here, name the tools in RAGQA_TOOLS; or call "
    "ragqa.resume({run_id!r}, tools=…) in the program that has them."
)


def approve(args: argparse.Namespace) -> int:
    """Say yes."""
    return _decide(args, approved=True)


def refuse(args: argparse.Namespace) -> int:
    """Say no."""
    return _decide(args, approved=False)


def _decide(args: argparse.Namespace, *, approved: bool) -> int:
    """Record the decision; go on with the run where the tools are known here."""
    runs, settings = opened()
    run = found(runs, args.id)
    if run.state != "requires_action":
        raise ConfigError(
            f"The run {run.id} is {run.state}: it waits for no approval.",
            hint="ragqa runs lists the runs and their states.",
        )
    from ragqa.app.resuming import decide, resume

    records = decide(run.id, approved, settings=settings)
    answer = None if settings.tools is None else resume(run.id, settings=settings)
    result: dict[str, Any] = {
        "run_id": run.id,
        "decision": "approved" if approved else "refused",
        "calls": [record.shown() for record in records],
        "resumed": answer is not None,
        "answer": None if answer is None else answer.model_dump(mode="json"),
    }
    if terminal.for_people(as_json=args.json):
        terminal.write(_text(result, answer))
    else:
        terminal.write_json(result)
    if answer is None:
        terminal.say(_ELSEWHERE.format(run_id=run.id))
    return 0


def _text(result: dict[str, Any], answer: Answer | None) -> str:
    names = ", ".join(call["name"] for call in result["calls"]) or "nothing: the time is over"
    head = f"{result['decision']}: {names}\n"
    if answer is None:
        return head
    from ragqa.cli.answer_text import answer_text
    from ragqa.language import language_of

    return head + answer_text(answer, language_of(answer.response.answer), no_model=False)
