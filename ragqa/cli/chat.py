"""``ragqa chat``: questions and answers in turns, on a terminal or through a pipe."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from ragqa.cli import terminal
from ragqa.cli.arguments import add_chain, add_docs, add_groups
from ragqa.cli.chat_phrases import chat_phrase
from ragqa.cli.phrases import language_for
from ragqa.cli.typed_text import question_of
from ragqa.errors import ConfigError, RagqaError

if TYPE_CHECKING:
    from ragqa.app import Asker
    from ragqa.contract import Turn
    from ragqa.ports import PastTurn, SessionStore

SUMMARY = "ask in turns; follow-up questions are understood"
DESCRIPTION = """\
Ask in turns. What was said before is remembered under the session's name, so that "and the white
one?" is understood, now or another day. Through a pipe, each line is a question.
"""
EPILOG = """\
examples:
  ragqa chat
  ragqa chat --session kettle --docs manuals/
  printf 'How much is the kettle?\\nHow heavy is it?\\n' | ragqa chat --json
"""

_PROMPT = "> "
_ID_BYTES = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("--session", metavar="ID", help="the conversation to go on with; default: a new one")
    add_docs(parser)
    add_chain(parser)
    add("--json", action="store_true", help="print one JSON object per answer, each on a line")
    add_groups(parser)


def run(args: argparse.Namespace) -> int:
    """Talk until the input ends."""
    from ragqa.cli.asker import asker_for

    asker, _ = asker_for(args)
    return _Chat(asker, args).run()


class _Chat:
    """A conversation between a person, or a program, and a chain."""

    def __init__(self, asker: Asker, args: argparse.Namespace) -> None:
        self._asker = asker
        self._groups = tuple(args.group or ())
        self._people = terminal.for_people(as_json=args.json)
        self._at_keyboard = terminal.is_terminal(sys.stdin)
        self._session = new_session() if args.session is None else args.session
        self._language = language_for("")
        self._failed: int = 0

    @property
    def _sessions(self) -> SessionStore:
        sessions = self._asker.parts.sessions
        assert sessions is not None, "the application brings them"
        return sessions

    def run(self) -> int:
        """Take lines until they end; return 0, or through a pipe the first failure's code."""
        self._greet()
        with closing(self._lines()) as lines:
            for line in lines:
                if line.startswith("/"):
                    if not self._obey(line):
                        break
                elif line:
                    self._answer(line)
        if self._at_keyboard:
            self._say("left", session=self._session)
        return 0 if self._at_keyboard else self._failed

    def _greet(self) -> None:
        from ragqa.sessions.records import checked_id

        turns = self._visible(checked_id(self._session))
        if self._at_keyboard:
            self._say("resumed" if turns else "begun", session=self._session, turns=len(turns))
            _remember_lines(past.question for past in turns)
        else:
            terminal.say(f"session: {self._session}")

    def _visible(self, session: str) -> list[PastTurn]:
        from ragqa.contract import Caller

        caller = Caller(groups=self._groups)
        kept = self._sessions.recall(session, caller.principal)
        return [
            past
            for past in kept.turns
            if all(caller.may_see(source.groups) for source in past.sources)
        ]

    def _lines(self) -> Generator[str, None, None]:
        if not self._at_keyboard:
            yield from map(str.strip, _piped())
            return
        while True:
            try:
                yield self._typed().strip()
            except EOFError:
                terminal.say("")
                return
            except KeyboardInterrupt:
                terminal.say("")
                self._say("at_prompt")

    def _typed(self) -> str:
        if terminal.is_terminal(sys.stdout):
            return input(_PROMPT)
        if sys.stderr is not None:  # standard output belongs to the answers
            sys.stderr.write(_PROMPT)
            sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    def _obey(self, line: str) -> bool:
        """Carry a command out and tell whether to go on."""
        command = line.split(maxsplit=1)[0].lower()
        if command in ("/quit", "/exit", "/q"):
            return False
        commands: dict[str, Callable[[], None]] = {
            "/help": lambda: self._say("help"),
            "/new": self._begin,
            "/forget": self._forget,
            "/history": self._show_history,
        }
        try:
            commands.get(command, lambda: self._say("unknown", command=command))()
        except RagqaError as exc:
            self._report(exc)
        return True

    def _begin(self) -> None:
        self._session = new_session()
        self._say("begun", session=self._session)

    def _forget(self) -> None:
        from ragqa.contract import Caller

        there = self._sessions.forget(self._session, Caller().principal)
        self._say("forgotten" if there else "nothing")

    def _show_history(self) -> None:
        turns = self._visible(self._session)
        if not turns:
            self._say("nothing")
        for past in turns:
            terminal.say(f"{_PROMPT}{past.question}\n{past.answer or '…'}")

    def _answer(self, question: str) -> None:
        self._language = language_for(question)
        try:
            turn = self._asker.turn(question, session=self._session, groups=self._groups)
            if self._people:
                self._stream(turn)
            else:
                terminal.write_json(self._asker.ask(turn).model_dump(mode="json"))
        except RagqaError as exc:
            self._report(exc)
        except KeyboardInterrupt:
            if not self._at_keyboard:
                raise
            terminal.say("")
            self._say("cancelled")

    def _stream(self, turn: Turn) -> None:
        from ragqa.cli.streaming import TextStream

        shown = TextStream(self._asker, turn)
        events = self._asker.stream(turn)
        try:
            for event in events:
                shown.take(event)
        except (KeyboardInterrupt, RagqaError) as exc:
            shown.withdraw(exc.code if isinstance(exc, RagqaError) else "cancelled")
            raise
        finally:
            if isinstance(events, Generator):
                events.close()  # lets the session go at once
        terminal.write("\n")

    def _report(self, exc: RagqaError) -> None:
        from ragqa.masking import mask

        self._failed = self._failed or exc.exit_code
        terminal.say(mask(f"ragqa: {exc}"))

    def _say(self, name: str, **values: object) -> None:
        terminal.say(chat_phrase(name, self._language, **values))


def new_session() -> str:
    """Return the name of a new conversation."""
    return f"chat-{os.urandom(_ID_BYTES).hex()}"


def _piped() -> Iterator[str]:
    if sys.stdin is None:
        raise ConfigError("Standard input is closed.", hint="Write one question a line.")
    for raw in sys.stdin.buffer:
        yield question_of(raw)


def _remember_lines(questions: Iterator[str]) -> None:
    """Let the arrow keys bring earlier questions back, where the terminal can do that."""
    with suppress(ImportError):
        import readline

        for question in questions:
            readline.add_history(question)
