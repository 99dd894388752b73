"""``ragqa runs approve`` and ``refuse``: a person's word on what a waiting run wants to do."""

from __future__ import annotations

import argparse

from ragqa.cli.runs_store import found, opened
from ragqa.errors import ConfigError


def approve(args: argparse.Namespace) -> int:
    """Say yes."""
    return _decide(args, approved=True)


def refuse(args: argparse.Namespace) -> int:
    """Say no."""
    return _decide(args, approved=False)


def _decide(args: argparse.Namespace, *, approved: bool) -> int:
    runs, _ = opened()
    run = found(runs, args.id)
    if run.state != "requires_action":
        raise ConfigError(
            f"The run {run.id} is {run.state}: it waits for no approval.",
            hint="ragqa runs lists the runs and their states.",
        )
    raise ConfigError("Runs that wait cannot be decided on yet.")
