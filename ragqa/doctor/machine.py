"""This machine: Python, packages, settings and the state folder. Nothing is sent."""

from __future__ import annotations

import platform
from collections.abc import Iterator

from ragqa.app.home import home_of, is_ours
from ragqa.app.own_packages import require_own_packages
from ragqa.doctor.finding import HOW_TO_INDEX, Finding, broken
from ragqa.errors import ConfigError, StorageError
from ragqa.settings import Settings
from ragqa.settings.registry import declared, shown
from ragqa.settings.tables import nearest_variable
from ragqa.storage.integrity import read_through

_PACKAGES = ("pydantic", "tantivy", "rjieba", "langchain-core", "langchain-openai")


def python() -> Finding:
    """Tell the version of Python."""
    return Finding("python", "ok", f"{platform.python_version()} on {platform.system()}")


def packages() -> Iterator[Finding]:
    """Yield whether the packages are there, and whether ours are ours."""
    from importlib.metadata import PackageNotFoundError, version

    found, missing = [], []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        hint = f"Run: pip install {' '.join(missing)}"
        yield Finding("packages", "broken", f"missing: {', '.join(missing)}", hint, 2)
    else:
        yield Finding("packages", "ok", ", ".join(found))
    try:
        require_own_packages()
    except ConfigError as exc:
        yield broken("chains and prompts", exc)


def settings_found(settings: Settings) -> Iterator[Finding]:
    """Yield how many settings are set, and what nothing reads."""
    count = len(settings.origins)
    yield Finding("settings", "ok", f"{count} set" if count else "all at their defaults")
    for name in settings.unknown_variables:
        near = nearest_variable(name)
        hint = f"Did you mean {near}?" if near else "README lists all settings."
        yield Finding("settings", "warning", f"nothing reads {name}", hint)


def settings_in_use() -> list[dict[str, str]]:
    """List every setting that some source holds: name, value and source; keys are hidden."""
    settings = Settings.load()
    return [
        {
            "name": variable,
            "value": "(hidden)" if declared()[variable].is_secret else _value(settings, variable),
            "source": str(source),
        }
        for variable, source in settings.origins.items()
    ]


def _value(settings: Settings, variable: str) -> str:
    value: object = settings
    for name in declared()[variable].path:
        value = getattr(value, name)
    return shown(value)


def state_folder(settings: Settings) -> Finding:
    """Tell whether the state folder is there, and private."""
    home = home_of(settings)
    name = "state folder"
    if not home.exists():
        return Finding(name, "not_configured", f"{home} does not exist yet", HOW_TO_INDEX)
    if not home.is_dir():
        hint = "Set RAGQA_HOME to a folder."
        return Finding(name, "broken", f"{home} is not a folder", hint, 2)
    mode = home.stat().st_mode & 0o777
    if mode & 0o077 and not is_ours(home):
        hint = f"Others may read it. Run: chmod 700 '{home}'"
        return Finding(name, "warning", f"{home} has mode {mode:o}", hint)
    for file in sorted(home.glob("*.sqlite")):
        try:
            read_through(file)
        except StorageError as exc:
            return broken(name, exc)
    return Finding(name, "ok", f"{home}, mode {mode:o}")
