"""``ragqa runs approve`` and ``refuse``: a person's word on what a waiting run wants to do."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragqa.cli import terminal
from ragqa.cli.phrases import language_for
from ragqa.cli.runs_store import found, opened
from ragqa.errors import ConfigError

if TYPE_CHECKING:
    from ragqa.agent.tool_record import ToolRecord
    from ragqa.ports import Run
    from ragqa.settings import Settings


def approve(args: argparse.Namespace) -> int:
    """Say yes."""
    return _decide(args, approved=True)


def refuse(args: argparse.Namespace) -> int:
    """Say no."""
    return _decide(args, approved=False)


def _decide(args: argparse.Namespace, *, approved: bool) -> int:
    from ragqa.app.resuming import decide

    runs, settings = opened()
    run = found(runs, args.id)
    if run.state != "requires_action":
        raise ConfigError(
            f"The run {run.id} is {run.state}: it waits for no approval.",
            hint="ragqa runs lists the runs and their states.",
        )
    decided = decide(run.id, approved, by=_who(), settings=settings)
    if settings.tools is None:
        return _told(args, run, decided, approved=approved)
    return _resumed(args, run, settings)


def _who() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a process without a user's name
        return ""


def _told(
    args: argparse.Namespace, run: Run, decided: Sequence[ToolRecord], *, approved: bool
) -> int:
    """Say what was decided, and how the run goes on."""
    if not terminal.for_people(as_json=args.json):
        shown = [record.for_approver() for record in decided]
        terminal.write_json({"run_id": run.id, "approved": approved, "calls": shown})
        return 0
    word = "approved" if approved else "refused"
    for record in decided:
        terminal.write(terminal.plain(f"{record.name}: {word}\n"))
    if not decided:
        terminal.write("The time to decide is over.\n")
    terminal.say(
        f"The run goes on with ragqa.resume({run.id!r}, tools=…), or here where RAGQA_TOOLS names "
        "the tools."
    )
    return 0


def _resumed(args: argparse.Namespace, run: Run, settings: Settings) -> int:
    """Let the run go on in this process, and show its answer."""
    from ragqa.app.resuming import resume
    from ragqa.cli.answer_text import answer_text

    answer = resume(run.id, settings=settings)
    if not terminal.for_people(as_json=args.json):
        terminal.write_json(answer.model_dump(mode="json"))
    else:
        terminal.write(answer_text(answer, language_for(run.question)))
    return 0
