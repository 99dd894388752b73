"""The actions of ``ragqa runs`` that look at many runs."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ragqa.cli import terminal
from ragqa.cli.runs_store import found, looker, moment_s, opened
from ragqa.errors import ConfigError

if TYPE_CHECKING:
    from ragqa.ports import Run
    from ragqa.records.store import SqliteRuns

_QUESTION_CHARS = 60
_BRIEF = ("run_id", "state", "chain", "session_id", "question", "started_at")


def listing(args: argparse.Namespace) -> int:
    """List the latest runs."""
    from ragqa.records.view import shown

    runs, _ = opened()
    latest = [shown(run, looker(args)) for run in runs.latest(args.n)]
    if terminal.for_people(as_json=args.json):
        terminal.write("".join(f"{line}\n" for line in _lines(latest)))
    else:
        terminal.write_json([_brief(run) for run in latest])
    return 0


def _brief(run: Mapping[str, Any]) -> dict[str, Any]:
    answer = run.get("answer", {})
    brief = {name: run[name] for name in _BRIEF}
    return brief | {"status": answer.get("status"), "reason": answer.get("reason")}


def _lines(runs: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    none = True
    for run in runs:
        none = False
        outcome = run.get("answer", {}).get("status") or run["state"]
        question = terminal.plain(run["question"][:_QUESTION_CHARS])
        yield f"{run['run_id']}  {run['started_at'][:19]}  {outcome:<15} {question}"
    if none:
        yield 'No runs are recorded. Ask something first: ragqa ask "…"'


def sample(args: argparse.Namespace) -> int:
    """Show some runs, drawn by lot."""
    from random import Random

    from ragqa.records.view import shown

    runs, _ = opened()
    lot = Random(args.seed)  # noqa: S311 -- a sample for review hides nothing
    drawn = _drawn(runs.since(moment_s(args.since)), args.n, lot)
    seen = [shown(run, looker(args)) for run in drawn]
    if not terminal.for_people(as_json=args.json):
        terminal.write_json(seen)
        return 0
    from ragqa.cli.runs_showing import brief_text

    terminal.write("\n".join(brief_text(run) for run in seen))
    return 0


def _drawn(runs: Iterable[Run], n: int, lot: Any) -> list[Run]:
    """Draw without keeping all runs in memory, and return them in their order.

    Source: algorithm R, J. Vitter, https://doi.org/10.1145/3147.3165
    """
    drawn: list[Run] = []
    for seen, run in enumerate(runs):
        if seen < n:
            drawn.append(run)
        elif (place := lot.randint(0, seen)) < n:
            drawn[place] = run
    return sorted(drawn, key=lambda run: (run.started_s, run.id))


def stats(args: argparse.Namespace) -> int:
    """Print rates; the exit code is 1 if one dropped against the period before."""
    from ragqa.records.stats import drops, period

    runs, _ = opened()
    now_s = time.time()
    since_s = moment_s(args.since, now_s)
    now = period(runs.since(since_s))
    before = period(runs.since(since_s - max(0.0, now_s - since_s), since_s))
    dropped = drops(before, now)
    result = {"since": args.since, **now.as_json(), "before": before.as_json(), "drops": dropped}
    if terminal.for_people(as_json=args.json):
        from ragqa.cli.stats_text import stats_text

        terminal.write(stats_text(result))
    else:
        terminal.write_json(result, indent=1)
    for drop in dropped:
        terminal.say(f"ragqa: {drop['rate']} went from {drop['before']} to {drop['now']}.")
    return 1 if dropped else 0


def export(args: argparse.Namespace) -> int:
    """Print all runs, an object a line."""
    from ragqa.records.view import shown

    runs, _ = opened()
    for run in runs.since(moment_s(args.since)):
        terminal.write_json(shown(run, looker(args)))
    return 0


def forget(args: argparse.Namespace) -> int:
    """Delete records."""
    from ragqa.app import resuming

    runs, settings = opened()
    ids = [_id(runs, named) for named in args.id]
    ids += _of(runs, session_id=args.session) + _of(runs, principal=args.principal)
    if not (args.id or args.session or args.principal):
        raise ConfigError(
            "Nothing is named that could be deleted.",
            hint="Name ids, --session ID or --principal NAME.",
        )
    ids = list(dict.fromkeys(ids))
    resuming.forget(ids, settings=settings)  # first: without its record a run is not found again
    count = runs.forget(ids)
    if terminal.for_people(as_json=args.json):
        terminal.write(f"Deleted: {count}.\n")
    else:
        terminal.write_json({"forgotten": count})
    return 0


def _id(runs: SqliteRuns, named: str) -> str:
    """Return the id of a run; one that is damaged, and cannot be read, is found by its whole id."""
    return named if named in runs.ids(named, limit=-1) else found(runs, named).id


def _of(runs: SqliteRuns, **only: str | None) -> list[str]:
    named = {name: value for name, value in only.items() if value is not None}
    return runs.ids(limit=-1, **named) if named else []
