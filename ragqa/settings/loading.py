"""Find every setting in its sources and check it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ragqa.errors import ConfigError
from ragqa.settings.files import line_source, read_dotenv, read_toml
from ragqa.settings.model import Settings
from ragqa.settings.origin import ENVIRONMENT, EXPLICIT, Found
from ragqa.settings.registry import declared
from ragqa.settings.tables import (
    flattened,
    nearest_variable,
    setting_at,
    split_tables,
    tidied_value,
)

_OURS = "RAGQA_"
_SHARED = ("AZURE_OPENAI_", "AZURE_SEARCH_")


def load(
    overrides: Mapping[str, Any],
    *,
    cwd: Path | str | None = None,
    environ: Mapping[str, str] | None = None,
) -> Settings:
    """Read all sources and return the settings; see :meth:`Settings.load`."""
    folder = Path() if cwd is None else Path(cwd)
    environ = os.environ if environ is None else environ
    toml, lines = read_toml(folder / "ragqa.toml")
    toml, tables = split_tables(toml)
    given, given_tables = split_tables(overrides)
    dotenv = read_dotenv(folder / ".env", declared())
    found = {
        **_from_tables(toml, lines),
        **{name: item for name, item in dotenv.items() if name in declared()},
        **_from_environment(environ),
        **_from_overrides(given),
    }
    _refuse_untrusted(found)
    context = {"found": found, "tables": tables.keys() - given_tables.keys()}
    return _checked(context, {**tables, **given_tables}, _unknown([*environ, *dotenv]))


def _from_tables(
    content: Mapping[str, Any], lines: Mapping[tuple[str, ...], int]
) -> dict[str, Found]:
    found = {}
    for path, raw in flattened(content):
        source = line_source(lines, path)
        setting = setting_at(path, str(source))
        if (value := tidied_value(raw)) is not None:
            found[setting.variable] = Found(value, source)
    return found


def _from_environment(environ: Mapping[str, str]) -> dict[str, Found]:
    values = {name: tidied_value(environ.get(name)) for name in declared()}
    return {name: Found(value, ENVIRONMENT) for name, value in values.items() if value is not None}


def _from_overrides(content: Mapping[str, Any]) -> dict[str, Found]:
    values = {
        setting_at(path, str(EXPLICIT)).variable: tidied_value(raw)
        for path, raw in flattened(content)
    }
    return {name: Found(value, EXPLICIT) for name, value in values.items() if value is not None}


def _refuse_untrusted(found: Mapping[str, Found]) -> None:
    for variable, item in found.items():
        if item.source.is_file and declared()[variable].is_trusted_only:
            raise ConfigError(
                f"{variable} does not count in a file of the working directory ({item.source}).",
                hint="Set it in the environment.",
            )


def _checked(
    context: Mapping[str, Any], tables: Mapping[str, Any], unknown: tuple[str, ...]
) -> Settings:
    found: Mapping[str, Found] = context["found"]
    # The groups are given even if empty, so that the models' own validators need not be built.
    groups = ("quota", "budgets", "reuse", "openai", "azure_openai")
    data: dict[str, Any] = {name: {} for name in groups} | {"azure_search": {"fields": {}}}
    data |= tables
    for variable, item in found.items():
        setting = declared()[variable]
        *above, name = setting.path
        place = data
        for key in above:
            place = place.setdefault(key, {})
        place[name] = setting.spelt(item.value)
    data["origins"] = {variable: item.source for variable, item in found.items()}
    data["unknown_variables"] = unknown
    return Settings.model_validate(data, context=dict(context))


def _unknown(names: Iterable[str]) -> tuple[str, ...]:
    """Return the variables that look like settings and are none."""
    strange = {
        name
        for name in names
        if name not in declared() and name.upper().startswith((_OURS, *_SHARED))
    }
    return tuple(
        sorted(name for name in strange if name.startswith(_OURS) or nearest_variable(name))
    )
