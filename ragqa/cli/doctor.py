"""``ragqa doctor``: say what works, what is broken and what to do."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragqa.cli import terminal
from ragqa.cli.calls_text import sequence
from ragqa.cli.typed_text import argument

if TYPE_CHECKING:
    from ragqa.doctor import Finding

SUMMARY = "say what works, what is broken and what to do"
DESCRIPTION = """\
Look at Python, packages, settings and where they come from, the state folder, connections, models,
the index, and ask a trial question: about something in the index unless QUESTION is given. Each
line says what was sent for it. Exit code 0 unless something is broken.
"""
EPILOG = """\
examples:
  ragqa doctor --json
  ragqa doctor "How long do I have to return a kettle?"
"""

_STYLES = {"ok": "good", "warning": "warn", "broken": "bad", "not_configured": "dim"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("question", nargs="?", metavar="QUESTION", help="the trial question")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Look at everything and show what was found."""
    from ragqa import app, doctor
    from ragqa.errors import ConfigError

    question = None if args.question is None else argument(args.question)
    if question is not None:
        app.check_question(question)
    found = list(doctor.findings(question))
    try:
        settings = doctor.settings_in_use()
    except ConfigError:  # a finding says so already
        settings = []
    broken = [finding for finding in found if finding.status == "broken"]
    if terminal.for_people(as_json=args.json):
        terminal.write(_text(found, settings))
    else:
        checks = [_entry(finding) for finding in found]
        terminal.write_json({"ok": not broken, "checks": checks, "settings": settings}, indent=1)
    return broken[0].exit_code if broken else 0


def _entry(finding: Finding) -> dict[str, Any]:
    from ragqa.masking import mask

    names = ("name", "status", "detail", "hint")
    more = {name: _masked(value) for name, value in finding.data.items()}
    return {name: mask(getattr(finding, name)) for name in names} | more


def _masked(value: Any) -> Any:
    """Return a JSON value with all of its texts masked."""
    from ragqa.masking import mask

    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return [_masked(item) for item in value] if isinstance(value, list) else value


def _text(found: Sequence[Finding], settings: Sequence[dict[str, str]]) -> str:
    lines = []
    for finding in found:
        entry = _entry(finding)
        label = entry["status"].replace("_", " ")
        head = terminal.styled(f"{label:<14}", _STYLES[finding.status])
        lines.append(f"{head} {terminal.plain(entry['name'])}: {terminal.plain(entry['detail'])}")
        if finding.hint:
            lines.append(f"{'':<14} {terminal.plain(entry['hint'])}")
        if finding.name == "settings" and finding.status == "ok":
            lines += [f"{'':<14}   {terminal.plain(_setting(item))}" for item in settings]
        lines += [f"{'':<14}   {terminal.plain(line)}" for line in sequence(entry.get("calls", ()))]
    return "\n".join(lines) + "\n"


def _setting(item: dict[str, str]) -> str:
    return f"{item['name']}={item['value']}  ({item['source']})"
