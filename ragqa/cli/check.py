"""``ragqa check``: judge a raw model output."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ragqa.cli import terminal
from ragqa.cli.parser import items
from ragqa.cli.typed_text import output_of
from ragqa.errors import ConfigError, OutputError

if TYPE_CHECKING:
    from ragqa.validation import Verdict

SUMMARY = "judge a raw model output by the four gates"
DESCRIPTION = """\
Read a raw model output from standard input and judge it: syntax, schema, rules, context. Exit code
0 if it is accepted, else 5.
"""
EPILOG = """\
examples:
  ragqa check < reply.txt
  ragqa check --titles returns.md,prices.csv --finish-reason stop --json < reply.txt
Without --titles the context is unknown; --titles "" says that nothing was retrieved. Titles with
commas are given as a JSON list: --titles '["a, b.md"]'.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("--titles", metavar="A,B", help="titles of the documents that were retrieved")
    add("--categories", metavar="X,Y", help="the values that category may take")
    add("--finish-reason", metavar="R", help="why the reply ended: stop, length, content_filter, …")
    add("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Judge standard input and show the verdict."""
    from ragqa.validation import check

    verdict = check(
        _stdin_text(),
        titles=_list(args.titles),
        categories=_list(args.categories),
        finish_reason=args.finish_reason,
    )
    if terminal.for_people(as_json=args.json):
        terminal.write(_text(verdict))
    else:
        terminal.write_json(verdict.model_dump(mode="json"))
    return 0 if verdict.accepted else OutputError.exit_code


def _stdin_text() -> str:
    """Read all of standard input; bytes that are no UTF-8 stay recognisable as such."""
    if sys.stdin is None:
        raise ConfigError("Standard input is closed.", hint="Pipe the raw output into the command.")
    if terminal.is_terminal(sys.stdin):
        terminal.say("Paste the raw output, then press Ctrl-D.")
    return output_of(sys.stdin.buffer.read())


def _list(text: str | None) -> list[str] | None:
    if text is None:
        return None
    if text.lstrip().startswith("["):
        import json

        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            values = None
        if isinstance(values, list) and all(isinstance(value, str) for value in values):
            return values
    return items(text)


def _text(verdict: Verdict) -> str:
    import json

    if verdict.accepted:
        head = terminal.styled("accepted", "good")
    else:
        head = terminal.styled(f"rejected ({verdict.code})", "bad")
        head += f", handling: {verdict.handling}"
    lines = [f"{log.gate}: {log.outcome} {log.detail}".rstrip() for log in verdict.gates]
    if verdict.repairs:
        lines.append(f"repaired: {', '.join(verdict.repairs)}")
    if verdict.feedback:
        lines.append(f"the model would be told: {verdict.feedback}")
    if verdict.response is not None:
        response = verdict.response.model_dump(mode="json")
        lines.append(json.dumps(response, ensure_ascii=False, indent=2))
    return "\n".join((head, *map(terminal.plain, lines))) + "\n"
