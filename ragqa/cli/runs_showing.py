"""``ragqa runs show``: one run, and its replay."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ragqa.cli import terminal
from ragqa.cli.calls_text import sequence
from ragqa.cli.runs_store import found, looker, opened
from ragqa.errors import ConfigError

if TYPE_CHECKING:
    from ragqa.ports import Run
    from ragqa.settings import Settings


def show(args: argparse.Namespace) -> int:
    """Show a run, or what its replay shows."""
    from ragqa.records.view import shown

    runs, settings = opened()
    run = found(runs, args.id)
    if args.replay:
        return _replay(run, settings, args)
    seen = shown(run, looker(args))
    if run.state == "requires_action" and not seen["hidden_sources"]:
        from ragqa.app.resuming import waiting

        # Whoever decides sees the real arguments, not masked ones.
        seen["waiting"] = [record.for_approver() for record in waiting(run.id, settings=settings)]
    if terminal.for_people(as_json=args.json):
        terminal.write(run_text(seen))
    else:
        terminal.write_json(seen, indent=1)
    return 0


def run_text(run: Mapping[str, Any]) -> str:
    """Return a run as people read it."""
    return "".join(f"{terminal.plain(line)}\n" for line in _lines(run))


def brief_text(run: Mapping[str, Any]) -> str:
    """Return what a reviewer needs of a run."""
    lines = [*_head(run), *_answer(run)]
    return "".join(f"{terminal.plain(line)}\n" for line in lines)


def _lines(run: Mapping[str, Any]) -> Iterator[str]:
    yield from _head(run)
    yield from _passages(run)
    yield from sequence(run.get("calls", ()))
    yield from _attempts(run)
    yield from _tools(run)
    for call in run.get("waiting", ()):
        arguments = json.dumps(call["arguments"], ensure_ascii=False, default=str)
        yield f"waiting    {call['name']} {call['call_id']}: {arguments}"
    yield from _answer(run)
    spent = ", ".join(f"{name} {ms:.0f} ms" for name, ms in run.get("timings_ms", {}).items())
    usage = run["usage"]
    tokens = f"{usage['prompt_tokens']} + {usage['completion_tokens']} tokens"
    yield f"spent      {spent or 'unknown'}; {usage['calls']} calls, {tokens}"
    versions = ", ".join(f"{k} {v}" for k, v in run.get("versions", {}).items() if v)
    yield f"versions   {versions or 'unknown'}"


def _head(run: Mapping[str, Any]) -> Iterator[str]:
    yield f"{run['run_id']}  {run['state']}  {run['started_at'][:19]}  chain {run['chain']}"
    yield f"question   {run['question'] or '(no text was kept)'}"
    if run.get("stage"):
        yield f"broke at   {run['stage']}"
    if run["last_error"]:
        error = run["last_error"]
        yield f"error      {error['code']} {error['message']}".rstrip()
    if run["hidden_sources"]:
        yield (
            f"hidden     {run['hidden']} passages and all texts that may draw on them; "
            "name your groups with --group"
        )


def _passages(run: Mapping[str, Any]) -> Iterator[str]:
    for each in run.get("passages", ()):
        yield f"passage    {each['title'] or each['id']}  {each['score_kind']} {each['score']:.3f}"


def _attempts(run: Mapping[str, Any]) -> Iterator[str]:
    for number, each in enumerate(run.get("attempts", ()), 1):
        repairs = f", repaired: {', '.join(each['repairs'])}" if each["repairs"] else ""
        gate = f" by the gate {each['gate']}" if each["gate"] else ""
        yield f"reply {number}    {each['verdict']}{gate}: {each['code']}{repairs}"


def _tools(run: Mapping[str, Any]) -> Iterator[str]:
    for tool in run.get("answer", {}).get("tools", ()):
        rest = {k: v for k, v in tool.items() if k not in ("name", "call_id", "state")}
        shown = json.dumps(rest, ensure_ascii=False, default=str)
        yield f"tool       {tool.get('name')} {tool.get('call_id')}: {tool.get('state')} {shown}"


def _answer(run: Mapping[str, Any]) -> Iterator[str]:
    answer = run.get("answer")
    if not answer:
        return
    response = answer["response"]
    reason = f" ({answer['reason']})" if answer["reason"] else ""
    yield f"status     {answer['status']}{reason}"
    if "answer" in response:
        yield f"answer     {response['answer']}"
        yield f"sources    {', '.join(response['sources']) or 'none'}"
    human = "yes" if response["needs_human"] else "no"
    facts = f"confidence {response['confidence']}, category {response['category']}"
    yield f"           {facts}, needs a person: {human}"


def _replay(run: Run, settings: Settings, args: argparse.Namespace) -> int:
    """Show what differs; a run that cannot be replayed is no error of the command."""
    from ragqa.records.view import is_withheld

    if is_withheld(run, looker(args)):
        raise _not_visible(run)
    from ragqa.app.replaying import replayed

    try:
        replay = replayed(run, settings)
    except ConfigError as exc:
        result = {"run_id": run.id, "replayed": False, "reason": str(exc)}
    else:
        result = {
            "run_id": run.id,
            "replayed": True,
            "same": not replay.differences,
            "differences": list(replay.differences),
            "unused_replies": replay.unused,
            "notes": list(replay.notes),
        }
    if terminal.for_people(as_json=args.json):
        terminal.write("".join(f"{terminal.plain(line)}\n" for line in _replay_lines(result)))
    else:
        terminal.write_json(result, indent=1)
    return 0


def _not_visible(run: Run) -> Exception:
    from ragqa.errors import PermissionDenied

    return PermissionDenied(
        f"The run {run.id} has read documents that the person who looks may not see.",
        hint="Name the groups of that person with --group.",
    )


def _replay_lines(result: Mapping[str, Any]) -> Iterator[str]:
    if not result["replayed"]:
        yield f"Not replayed: {result['reason']}"
        return
    if result["same"]:
        yield "The same: today's code comes to what it came to then."
    for each in result["differences"]:
        yield f"{each['what']}"
        yield f"  then  {json.dumps(each['then'], ensure_ascii=False)}"
        yield f"  now   {json.dumps(each['now'], ensure_ascii=False)}"
    if result["unused_replies"]:
        yield f"Replies that were not asked for: {result['unused_replies']}"
    yield from result["notes"]
