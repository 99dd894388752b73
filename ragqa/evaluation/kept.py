"""The results of an earlier run, so that the next one asks only what is left."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragqa.errors import ConfigError
from ragqa.evaluation.outcome import Row
from ragqa.evaluation.questions import EvalQuestion

_PARTS = frozenset({"number", "id", "question", "setup", "retrieved", "answer"})
_BEGUN = b'{"number": '


def kept_rows(
    path: Path, questions: Sequence[EvalQuestion], setup: Mapping[str, Any]
) -> dict[int, Row]:
    """Return the rows of these questions that a run before this one wrote, by line number.

    A last line that was cut off is taken out of the file: that question is asked again.

    Raises:
        ConfigError: If the file holds anything else, or what another setup answered.
    """
    rows = _rows(path)
    for number, row in enumerate(rows, start=1):
        _check_setup(row, number, setup)
    own = {json.dumps([row["number"], row["id"], row["question"]]): row for row in rows}
    return {q.number: own[q.key] for q in questions if q.key in own}


def line_of(row: Row) -> bytes:
    """Return a row as a line of the file."""
    text = json.dumps(row, ensure_ascii=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # a lone surrogate: only escapes can carry it
        return f"{json.dumps(row)}\n".encode()


def _rows(path: Path) -> list[Row]:
    if path.exists() and not (path.is_file() or path.is_dir()):
        return []  # a device or a pipe: reading it would never come to an end
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as exc:
        raise ConfigError(f"--out {str(path)!r} cannot be read: {exc.strerror}.") from None
    lines = raw.split(b"\n")
    rest = lines.pop()
    rows = [_row(line, number) for number, line in enumerate(lines, start=1)]
    if rest:
        if rest[: len(_BEGUN)] != _BEGUN[: len(rest)]:
            raise _foreign(len(lines) + 1)
        _cut(path, len(raw) - len(rest))
    return rows


def _row(line: bytes, number: int) -> Row:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or not row.keys() >= _PARTS:
        raise _foreign(number)
    return row


def _foreign(number: int) -> ConfigError:
    return ConfigError(
        f"Line {number} of --out is not a result of an earlier run.", hint="Name another file."
    )


def _cut(path: Path, size_bytes: int) -> None:
    try:
        with path.open("r+b") as file:
            file.truncate(size_bytes)
    except OSError as exc:
        raise ConfigError(f"--out {str(path)!r} cannot be written: {exc.strerror}.") from None


def _check_setup(row: Row, number: int, setup: Mapping[str, Any]) -> None:
    was = row["setup"]
    other = [name for name in setup if was.get(name) != setup[name]]
    if other:
        told = ", ".join(f"{name} {was.get(name)!r}, now {setup[name]!r}" for name in other)
        raise ConfigError(
            f"Line {number} of --out was measured with another setup: {told}.",
            hint="Name another file, or remove this one to measure anew.",
        )
