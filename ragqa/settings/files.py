"""Read ``.env`` and ``ragqa.toml`` of the working directory, with the line of every value."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragqa.errors import ConfigError
from ragqa.settings.origin import Found, Source
from ragqa.settings.tidy import tidied

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_dotenv(path: Path, known: Collection[str]) -> dict[str, Found]:
    """Read the variables of a ``.env`` file; nothing in it is expanded or run.

    Args:
        path: The file; nothing is read where there is none.
        known: Variables whose line must be readable; other broken lines are not ours.

    Raises:
        ConfigError: If the line of a known variable cannot be read.
    """
    if not path.is_file():
        return {}
    from dotenv.parser import parse_stream  # only where there is a file

    found: dict[str, Found] = {}
    for binding in parse_stream(io.StringIO(_text(path, errors="surrogateescape"))):
        line = binding.original.line + _blank_lines_before(binding.original.string)
        if binding.error and any(name in binding.original.string for name in known):
            raise ConfigError(
                f".env line {line} cannot be read.",
                hint="Check its quotes: a value needs none, or one at each end.",
            )
        if binding.value is None and (name := _name_in(binding.key)) in known:
            raise ConfigError(
                f".env line {line} gives {name} no value.",
                hint="Write NAME=value with a plain = between the two.",
            )
        if binding.key and (value := tidied(binding.value or "")):
            found[binding.key] = Found(value, Source(".env", line))
    return found


def _name_in(key: str | None) -> str:
    """Return the name at the start of a line without ``=``; a full-width one is part of the key."""
    return re.split(r"[^A-Za-z0-9_]", key or "", maxsplit=1)[0]


def _blank_lines_before(text: str) -> int:
    return text[: len(text) - len(text.lstrip())].count("\n")


def read_toml(path: Path) -> tuple[dict[str, Any], dict[tuple[str, ...], int]]:
    """Read ``ragqa.toml``: its content, and the line of each key where that is plain to see.

    Raises:
        ConfigError: If it is no TOML.
    """
    if not path.is_file():
        return {}, {}
    import tomllib  # only where there is a file

    try:
        text = _text(path, errors="strict")
        return tomllib.loads(text), dict(_key_lines(text))
    except UnicodeDecodeError:
        raise ConfigError("ragqa.toml is not in UTF-8.", hint="Save it in UTF-8.") from None
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"ragqa.toml cannot be read: {exc}.") from None


def _text(path: Path, *, errors: str) -> str:
    try:
        raw = path.read_bytes()
    except OSError as exc:
        raise ConfigError(f"{path.name} cannot be read: {exc.strerror}.") from None
    encoding = "utf-16" if raw.startswith(_UTF16) else "utf-8-sig"
    return raw.decode(encoding, errors).replace("\r\n", "\n")


_HEADER = re.compile(r"\s*\[\[?([^\]]+)\]")
_KEY = re.compile(r"""\s*([\w.\-"' ]+?)\s*=""")
_KEY_PART = re.compile(r"""[\w\-]+|"[^"]*"|'[^']*'""")


def _key_lines(text: str) -> Iterator[tuple[tuple[str, ...], int]]:
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = _key_path(header.group(1))
            yield table, number
        elif key := _KEY.match(line):
            yield table + _key_path(key.group(1)), number


def _key_path(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _KEY_PART.findall(dotted))


def line_source(lines: Mapping[tuple[str, ...], int], path: tuple[str, ...]) -> Source:
    """Return ``ragqa.toml`` as a source, with the line of a key if it is known."""
    return Source("ragqa.toml", lines.get(path))
