"""Take the tables of ``ragqa.toml``, and what callers pass, apart into single settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from ragqa.errors import ConfigError
from ragqa.settings.registry import Declared, by_name, declared
from ragqa.settings.tidy import tidied

KeyPath = tuple[str, ...]


def split_tables(content: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate single settings from the tables that have no variable.

    Returns:
        The single settings, and the tables under the names of their fields in Settings.
    """
    single = dict(content)
    tables: dict[str, Any] = {}
    for name in ("category_details", "folder_groups", "prices"):
        if single.get(name):
            tables[name] = single[name]
        single.pop(name, None)
    if isinstance(single.get("categories"), Mapping):
        tables["category_details"] = single["categories"]
        single["categories"] = tuple(single["categories"])
    if groups := {**_groups(single.pop("groups", {})), **_folders(single.pop("folders", {}))}:
        tables["folder_groups"] = groups
    return single, tables


def _groups(table: Any) -> dict[str, Any]:
    if not isinstance(table, Mapping):
        raise ConfigError(
            "groups in ragqa.toml names no folder.",
            hint='Write it as [groups] with a line per folder: "hr" = ["people-team"].',
        )
    return dict(table)


def _folders(table: Any) -> dict[str, Any]:
    if not isinstance(table, Mapping):
        raise ConfigError("folders in ragqa.toml must be tables like [folders.hr].")
    for folder, content in table.items():
        keys = set(content) if isinstance(content, Mapping) else set()
        if keys != {"groups"}:
            wrong = ", ".join(sorted(keys - {"groups"})) or "nothing"
            raise ConfigError(
                f"The table [folders.{folder}] in ragqa.toml holds {wrong}.",
                hint='It takes one key: groups = ["name", …].',
            )
    return {folder: content["groups"] for folder, content in table.items()}


def flattened(content: Mapping[str, Any], above: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Yield every value below the tables with the path of keys that leads to it."""
    for key, value in content.items():
        path = (*above, key)
        if isinstance(value, Mapping) and _joined(path) not in by_name():
            yield from flattened(value, path)
        else:
            yield path, value


def setting_at(path: KeyPath, where: str) -> Declared:
    """Return the setting that a path of keys names.

    Raises:
        ConfigError: If there is none; names the nearest.
    """
    if setting := by_name().get(_joined(path)):
        return setting
    near = nearest(_joined(path), by_name())
    hint = f"Did you mean {near}?" if near else "Run ragqa doctor for the list of settings."
    raise ConfigError(f"There is no setting {'.'.join(path)} ({where}).", hint=hint)


def _joined(path: KeyPath) -> str:
    return "_".join(path).replace("-", "_").lower()


def nearest(name: str, known: Mapping[str, object] | Sequence[str]) -> str | None:
    """Return the known name that is most like this one, if any is."""
    from difflib import get_close_matches  # only where something is wrong

    return next(iter(get_close_matches(name, list(known), n=1, cutoff=0.7)), None)


def nearest_variable(name: str) -> str | None:
    """Return the variable that an unknown one was probably meant to be."""
    return nearest(name.upper(), declared())


def tidied_value(raw: Any) -> Any:
    """Bring a value of any source into the form that is checked; ``None`` means unset."""
    if isinstance(raw, SecretStr):
        raw = raw.get_secret_value()
    match raw:
        case bool():
            value: Any = str(raw).lower()
        case int() | float() | Path():
            value = str(raw)
        case date():  # TOML reads 2024-10-21 as a date
            value = raw.isoformat()
        case str():
            value = tidied(raw)
        case Mapping():
            value = dict(raw)
        case list() | tuple():
            items = (tidied_value(item) for item in raw)
            value = tuple(item for item in items if item is not None)
        case _:
            return raw
    return value or None
