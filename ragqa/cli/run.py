"""Run one command: parse, call, turn whatever happens into an exit code and a message."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from ragqa import __version__
from ragqa.cli import terminal
from ragqa.cli.parser import Parser
from ragqa.errors import ConfigError, RagqaError

INTERRUPTED = 130
FAILED = 1
_YES = ("1", "true", "t", "yes", "y", "on")  # as settings read it
COMMANDS = ("ask", "chat", "search", "index", "check", "doctor", "runs", "eval")

_DESCRIPTION = """\
Answers questions from your documents, with sources.

  ragqa index docs/                              read documents into the index
  ragqa ask "How long do I have to return it?"   answer from them
  ragqa ask "保修期多久？" --docs docs/            both in one
"""
_EPILOG = """\
Output is text on a terminal and JSON in a pipe or with --json. Settings come from the environment,
.env and ragqa.toml; ragqa doctor shows them. RAGQA_DEBUG=1 shows where an error arose.
Exit codes: 0 answered; 1 eval: a figure missed; 2 usage or settings; 3 the model's service;
4 documents or search; 5 check: not accepted; 6 agent limit; 7 session; 8 permission.
"""


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; nothing is raised.

    Args:
        argv: The arguments without the program's name; those of the process if not given.
    """
    terminal.prepare()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        terminal.write("")
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        code = 0  # the reader has all it wanted
    except SystemExit as exc:  # argparse, after help and usage errors
        code = exc.code if isinstance(exc.code, int) else FAILED
    except Exception as exc:
        code = _report(exc)
    _silence_lost_output()
    return code


def parser() -> Parser:
    """Return the parser of all commands."""
    whole = Parser(prog="ragqa", description=_DESCRIPTION, epilog=_EPILOG)
    whole.add_argument("--version", action="version", version=f"ragqa {__version__}")
    group = whole.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name in COMMANDS:
        module = import_module(f"ragqa.cli.{name}")
        command = whole.command(
            name, group, help=module.SUMMARY, description=module.DESCRIPTION, epilog=module.EPILOG
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return whole


def _run(argv: Sequence[str]) -> int:
    whole = parser()
    args = whole.parse(argv)
    if args.command is None:
        whole.print_help(sys.stderr)
        return 2
    command: Callable[..., int] = args.run
    try:
        return command(args)
    except FileNotFoundError as exc:
        if _is_folder_gone():
            raise ConfigError(
                "The current folder does not exist any more.", hint="Change into another one."
            ) from exc
        raise


def _is_folder_gone() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 -- pathlib says no more
    except FileNotFoundError:
        return True
    return False


def _report(exc: Exception) -> int:
    """Say what went wrong and return the exit code for it."""
    if _debugging():
        import traceback

        traceback.print_exc()
    from ragqa.masking import mask

    if isinstance(exc, RagqaError):
        terminal.say(mask(f"ragqa: {exc.message}"))
        if exc.hint:
            terminal.say(mask(exc.hint))
        return exc.exit_code
    if isinstance(exc, ModuleNotFoundError) and exc.name:
        terminal.say(f"ragqa: The package {exc.name} is not installed for {sys.executable}.")
        terminal.say(
            "Install ragqa with what it needs: pip install ragqa (in a clone: pip install .)"
        )
        return ConfigError.exit_code
    if isinstance(exc, terminal.OutputLostError):
        terminal.say(f"ragqa: standard output cannot be written: {exc.strerror}")
        return FAILED
    terminal.say(mask(f"ragqa: {type(exc).__name__}: {exc}"))
    terminal.say("This should not happen. RAGQA_DEBUG=1 shows where it did.")
    return FAILED


def _debugging() -> bool:
    try:
        from ragqa.settings import Settings

        return Settings.load().debug
    except Exception:  # perhaps the very error that is reported
        return os.environ.get("RAGQA_DEBUG", "").strip().lower() in _YES


def _silence_lost_output() -> None:
    """Keep the interpreter's own last flush from complaining about a stream that is gone."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            devnull = os.open(os.devnull, os.O_WRONLY)
            try:
                os.dup2(devnull, stream.fileno())
            except (OSError, ValueError):
                continue
            finally:
                os.close(devnull)
