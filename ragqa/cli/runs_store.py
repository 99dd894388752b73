"""What the actions of ``ragqa runs`` share: the store, the looker, ids and times."""

from __future__ import annotations

import argparse
import re
import time
from typing import TYPE_CHECKING

from ragqa.errors import ConfigError, UnknownNameError

if TYPE_CHECKING:
    from ragqa.contract import Caller
    from ragqa.ports import Run
    from ragqa.records.store import SqliteRuns
    from ragqa.settings import Settings

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_SPAN = re.compile(r"(\d{1,6})\s*([smhdw])", re.IGNORECASE)
_MIN_PREFIX = 8
_NEAR = 5


def opened() -> tuple[SqliteRuns, Settings]:
    """Return the store of runs and the settings."""
    from ragqa.app.home import home_of
    from ragqa.app.runs import runs_for
    from ragqa.settings import Settings

    settings = Settings.load()
    if not home_of(settings).is_dir():
        raise ConfigError(
            f"There are no records: {home_of(settings)} does not exist.",
            hint='Ask something first: ragqa ask "…"; or set RAGQA_HOME.',
        )
    return runs_for(settings), settings


def looker(args: argparse.Namespace) -> Caller:
    """Return who looks: a caller without groups unless some are named."""
    from ragqa.contract import Caller

    return Caller(groups=tuple(args.group or ()))


def found(runs: SqliteRuns, named: str) -> Run:
    """Return the run of an id, of its unambiguous beginning, or the ``last`` one.

    Raises:
        UnknownNameError: If there is none; names those that are near.
    """
    if named == "last":
        latest = runs.latest(1)
        if latest:
            return latest[0]
    run = runs.get(named)
    if run is None and len(named) >= _MIN_PREFIX:
        beginning = runs.ids(named, limit=2)
        run = runs.get(beginning[0]) if len(beginning) == 1 else None
    if run is None:
        raise _unknown(runs, named)
    return run


def _unknown(runs: SqliteRuns, named: str) -> ConfigError:
    from difflib import get_close_matches

    known = runs.ids()
    if not known:
        return ConfigError(f"There is no run named {named!r}: no runs are recorded.")
    near = get_close_matches(named, known, n=_NEAR, cutoff=0.6) or known[:_NEAR]
    return UnknownNameError("run", named, near)


def moment_s(text: str | None, now_s: float | None = None) -> float:
    """Return the seconds since the epoch of a span before now (``7d``) or a date.

    Raises:
        ConfigError: If it is neither.
    """
    from datetime import UTC, datetime

    if text is None:
        return float("-inf")
    if span := _SPAN.fullmatch(text.strip()):
        count, unit = span.groups()
        return (time.time() if now_s is None else now_s) - int(count) * _UNITS_S[unit.lower()]
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ConfigError(
            f"--since is {text!r}, and that is no time.",
            hint="A span like 90m, 24h, 7d, 4w, or a date like 2026-05-01.",
        ) from None
    try:
        return moment.timestamp()
    except (ValueError, OverflowError, OSError):  # no local time reaches so far: 0001-01-01
        return moment.replace(tzinfo=UTC).timestamp()
