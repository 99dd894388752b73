"""``ragqa runs``: the records of past asks."""

from __future__ import annotations

import argparse
from importlib import import_module

from ragqa.cli.numbers import count
from ragqa.cli.parser import Parser
from ragqa.errors import ConfigError

SUMMARY = "list, show, replay, sample and count the records of past asks"
DESCRIPTION = """\
Every ask leaves a record in RAGQA_HOME: question, passages, replies, verdicts, usage, times and
versions; RAGQA_RECORDS says how much of the text is kept. What comes from documents is shown only
where the groups named with --group may see it, as in ask and search.
"""
EPILOG = """\
examples:
  ragqa runs                           the latest runs
  ragqa runs show last                 one run: its messages, verdicts and the stage that broke
  ragqa runs show run_1a2b --replay    today's code with the replies of then: what differs?
  ragqa runs sample --n 30             some runs for review
  ragqa runs stats --since 7d          rates; exit code 1 if one dropped against the week before
  ragqa runs export > runs.jsonl       all runs, an object a line
  ragqa runs approve last              let a run that waits do what it wants to do, and go on
  ragqa runs forget run_1a2b           delete records for good
"""

# What the own help of an action says beside its line in the list of all.
_DECIDING = """
ragqa runs show ID prints its arguments. The run goes on at once where RAGQA_TOOLS=module:factory,
in the environment, names its tools; else when ragqa.resume is called."""
_MORE = {
    "stats": " Exit code 1 if a rate dropped.",
    "approve": _DECIDING,
    "refuse": _DECIDING,
}

_COUNT = count(1, 10**9)
_ACTIONS = {
    "list": ("runs_listing", "listing"),
    "show": ("runs_showing", "show"),
    "sample": ("runs_listing", "sample"),
    "stats": ("runs_listing", "stats"),
    "export": ("runs_listing", "export"),
    "forget": ("runs_listing", "forget"),
    "approve": ("runs_deciding", "approve"),
    "refuse": ("runs_deciding", "refuse"),
}


def add_arguments(parser: Parser) -> None:
    """Declare the command's arguments."""
    _add_common(parser, default=None)
    _add_listing(parser)
    parser.set_defaults(action="list")
    group = parser.add_subparsers(metavar="ACTION", parser_class=Parser)

    def action(name: str, help_: str) -> Parser:
        description = f"{help_[0].upper()}{help_[1:]}.{_MORE.get(name, '')}"
        added = parser.command(name, group, help=help_, description=description)
        _add_common(added, default=argparse.SUPPRESS)
        added.set_defaults(action=name)
        return added

    _add_listing(action("list", "the latest runs"))
    one = action("show", "one run, with its messages and the stage that broke")
    one.add_argument("id", nargs="?", metavar="ID", help="the run's id, its beginning, or last")
    one.add_argument("--replay", action="store_true", help="run it again and show what differs")
    some = action("sample", "some runs, drawn by lot, for review")
    some.add_argument("--n", type=_COUNT, default=30, metavar="N", help="how many; default: 30")
    some.add_argument("--seed", type=int, metavar="N", help="draw the same again")
    _add_since(some, None)
    rates = action("stats", "rates, and whether they dropped against the period before")
    _add_since(rates, "7d")
    _add_since(action("export", "all runs as JSON lines"), None)
    gone = action("forget", "delete records for good")
    gone.add_argument("id", nargs="*", metavar="ID", help="ids of runs")
    gone.add_argument("--session", metavar="ID", help="all runs of a conversation")
    gone.add_argument("--principal", metavar="NAME", help="all runs of somebody who asked")
    for name, help_ in (
        ("approve", "say yes to what a waiting run wants to do"),
        ("refuse", "say no to what a waiting run wants to do"),
    ):
        action(name, help_).add_argument(
            "id", metavar="ID", help="the run's id, its beginning, or last"
        )


def run(args: argparse.Namespace) -> int:
    """Do what the arguments ask for."""
    if args.action == "show" and args.id is None:
        args.id = _last_group(args)
    module, function = _ACTIONS[args.action]
    code: int = getattr(import_module(f"ragqa.cli.{module}"), function)(args)
    return code


def _last_group(args: argparse.Namespace) -> str:
    """Take the id out of ``show --group NAME ID``, where it looks like another group."""
    if not args.group or len(args.group) < 2:
        raise ConfigError("There is no id.", hint="ragqa runs lists the runs; last is the last.")
    named: str = args.group.pop()
    return named


def _add_common(parser: Parser, *, default: object) -> None:
    json_default = False if default is None else default
    parser.add_argument("--json", action="store_true", default=json_default, help="print JSON")
    parser.add_argument(
        "--group",
        nargs="+",
        action="extend",
        metavar="NAME",
        default=default,
        help="groups of the person who looks: decide which texts are shown",
    )


def _add_listing(parser: Parser) -> None:
    parser.add_argument("--n", type=_COUNT, default=20, metavar="N", help="how many; default: 20")


def _add_since(parser: Parser, default: str | None) -> None:
    shown = default or "all that is kept"
    parser.add_argument(
        "--since", default=default, metavar="TIME", help=f"90m, 24h, 7d or a date; default: {shown}"
    )
