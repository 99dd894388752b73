"""An argument parser that suggests what was probably meant."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Parse arguments; usage errors exit with 2 and name the nearest option or command."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(*args, **kwargs)
        self.commands: dict[str, Parser] = {}

    def command(self, name: str, group: Any, **kwargs: Any) -> Parser:
        """Add a command and remember it for suggestions."""
        added: Parser = group.add_parser(name, **kwargs)
        self.commands[name] = added
        return added

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse all arguments, or explain what is wrong and exit with 2."""
        first = next((word for word in argv if not word.startswith("-")), None)
        if self.commands and first is not None and first not in self.commands:
            self._refuse_command(first)
        self._look_at_action(argv, first)
        if clustered := [word for word in argv if word[:2] == "-h" and word != "-h"]:
            self._refuse_rest(self.commands.get(first or "", self), clustered)
        args, rest = self.parse_known_args(argv)
        if rest:
            self._refuse_rest(self.commands.get(args.command, self), rest)
        return args

    def _look_at_action(self, argv: Sequence[str], first: str | None) -> None:
        """Refuse an unknown action right behind its command, and an option of an action there."""
        command = self.commands.get(first or "")
        word = next(iter(argv[list(argv).index(first or "") + 1 :]), "-") if command else "-"
        if command and command.commands and word[:1] != "-" and word not in command.commands:
            near = nearest(word, command.commands)
            hint = f"Did you mean {near!r}?" if near else f"Known: {', '.join(command.commands)}."
            command.error(f"{command.prog} has no action {word!r}. {hint}")
        option = word.partition("=")[0]
        if command and option not in command.option_strings():
            for name, action in command.commands.items():
                if option in action.option_strings():
                    place = f"{command.prog} {name} {option}"
                    command.error(f"{option} stands behind its action: {place}")

    def _refuse_command(self, word: str) -> NoReturn:
        near = nearest(word, self.commands)
        if near:
            self.error(f"there is no command {word!r}. Did you mean {near!r}?")
        known = ", ".join(self.commands)
        more = 'To ask: ragqa ask "…". More: ragqa --help'
        self.error(f"there is no command {word!r}. Commands: {known}. {more}")

    def _refuse_rest(self, command: Parser, rest: Sequence[str]) -> NoReturn:
        unknown = next((word for word in rest if word.startswith("-") and word != "-"), None)
        if unknown is None:
            command.error(f"unexpected: {' '.join(rest)}. {command.how_to_ask()}")
        option = unknown.partition("=")[0]
        near = nearest(option, command.option_strings())
        hint = f"Did you mean {near}?" if near else f"See: {command.prog} --help"
        command.error(f"there is no option {option}. {hint}")

    def how_to_ask(self) -> str:
        """Return what to do with words that fit nowhere."""
        if any(action.dest == "question" for action in self._actions):
            return "Put the question in quotes."
        return f"See: {self.prog} --help"

    def option_strings(self) -> list[str]:
        """Return the options that this parser knows."""
        return [name for action in self._actions for name in action.option_strings]

    def error(self, message: str) -> NoReturn:
        """Say what is wrong on standard error and exit with 2."""
        self.exit(2, f"ragqa: {message}\n")


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like this one, if any is."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1, cutoff=0.6)), None)


def items(text: str) -> list[str]:
    """Split a comma list of an option; empty text is an empty list."""
    return [item.strip() for item in text.split(",") if item.strip()]
