"""``ragqa ask``: answer one question, or a file of them."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ragqa.cli import terminal
from ragqa.cli.arguments import add_chain, add_docs, add_groups
from ragqa.cli.phrases import language_for
from ragqa.cli.typed_text import argument, question_of
from ragqa.errors import ConfigError, RagqaError

if TYPE_CHECKING:
    from ragqa.app import Asker
    from ragqa.contract import Answer, Turn

SUMMARY = "answer a question from the documents"
DESCRIPTION = """\
Answer a question from the documents, with sources. Without a configured model the answer is quoted
from the documents; with one (see README) it is written and checked.
"""
EPILOG = """\
examples:
  ragqa ask "How long do I have to return a kettle?"
  ragqa ask "保修期多久？" --docs manuals/ --json
  echo "How long is delivery?" | ragqa ask -
  ragqa ask --file questions.jsonl --out answers.jsonl
"""

_MAX_STDIN_BYTES = 1_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("question", nargs="?", metavar="QUESTION", help="what to answer; - reads it from stdin")
    add_docs(parser)
    add_chain(parser)
    add("--json", action="store_true", help="print one JSON object")
    add("--stream", action="store_true", help="show the text while it is written")
    add("--session", metavar="ID", help="the conversation that the question belongs to")
    add_groups(parser)
    add("--file", metavar="QUESTIONS.jsonl", help="answer many: one JSON object or string a line")
    add("--out", metavar="ANSWERS.jsonl", help="where the answers go; what is there is kept")


def run(args: argparse.Namespace) -> int:
    """Answer what the arguments ask for."""
    if args.file or args.out:
        from ragqa.cli.batch import run_batch

        return run_batch(args)
    question = _question(args)
    from ragqa import app
    from ragqa.cli.asker import asker_for

    app.check_question(question)
    asker, _ = asker_for(args)
    turn = asker.turn(question, session=args.session, groups=args.group or ())
    if args.stream:
        return _streamed(asker, turn, args)
    _show(asker.ask(turn), asker, args, question)
    return 0


def _question(args: argparse.Namespace) -> str:
    question: str | None = args.question
    if question is None and args.docs and len(args.docs) > 1 and _is_question(args.docs[-1]):
        question = args.docs.pop()  # ask --docs PATH "QUESTION"
    if question == "-":
        return _from_stdin()
    if question is None:
        raise ConfigError(
            "There is no question.",
            hint='Put it in quotes: ragqa ask "How long is delivery?" (or - to read it from stdin)',
        )
    return argument(question)


def _is_question(word: str) -> bool:
    from pathlib import Path

    return any(mark in word for mark in " ?？") and not Path(word).exists()


def _from_stdin() -> str:
    if sys.stdin is None:
        raise ConfigError("Standard input is closed.", hint="Give the question as an argument.")
    if terminal.is_terminal(sys.stdin):
        terminal.say("Type the question, then press Ctrl-D.")
    return question_of(sys.stdin.buffer.read(_MAX_STDIN_BYTES))


def _show(answer: Answer, asker: Asker, args: argparse.Namespace, question: str) -> None:
    if not terminal.for_people(as_json=args.json):
        terminal.write_json(answer.model_dump(mode="json"))
        return
    from ragqa.cli.answer_text import answer_text

    no_model = asker.parts.model is None
    terminal.write(answer_text(answer, language_for(question), no_model=no_model))


def _streamed(asker: Asker, turn: Turn, args: argparse.Namespace) -> int:
    from ragqa.cli.streaming import JsonStream, TextStream

    people = terminal.for_people(as_json=args.json)
    shown: TextStream | JsonStream = TextStream(asker, turn) if people else JsonStream()
    try:
        for event in asker.stream(turn):
            shown.take(event)
    except RagqaError as exc:
        shown.withdraw(exc.code)
        raise
    return 0
