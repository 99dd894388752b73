"""Turn pydantic's findings into one message: setting, value, source and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragqa.errors import ConfigError
from ragqa.settings.origin import Found
from ragqa.settings.registry import Declared, allowed, declared, shown
from ragqa.settings.tables import nearest

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_TABLES = {"category_details": "categories", "folder_groups": "groups", "prices": "prices"}
"""The fields that hold tables of ``ragqa.toml``, and what these are called there."""

_MAX_SHOWN_CHARS = 80
_LIKE_A_KEY = re.compile(r"^(sk|pk|gsk|hf|ghp|xox.)[-_]|^[A-Za-z0-9+/_=-]{24,}$")
_URL_LOGIN = re.compile(r"//[^/?#]*@")


def config_error(exc: ValidationError, found: Mapping[str, Found]) -> ConfigError:
    """Return one error for everything that pydantic rejected.

    Args:
        exc: What pydantic found.
        found: The values that were checked, by variable.
    """
    said = dict.fromkeys(_complaint(error, found) for error in exc.errors(include_url=False))
    return ConfigError("\n".join(said))


def _complaint(error: ErrorDetails, found: Mapping[str, Found]) -> str:
    where = tuple(str(part) for part in error["loc"])
    setting = _setting_at(where)
    if setting is None and where and where[0] not in _TABLES:
        return _unknown(".".join(where))
    if setting is None:
        return f"{_table_path(where)} in ragqa.toml: {_rule(error, None)}."
    item = found.get(setting.variable)
    source = f" ({item.source})" if item else ""
    value = shown_value(setting, item.value if item else error.get("input"))
    return f"{setting.variable} is {value}{source}; allowed: {_rule(error, setting)}."


def _unknown(path: str) -> str:
    """Say that a program named a setting that does not exist; a file's names were looked at."""
    near = nearest(path, [".".join(item.path) for item in declared().values()])
    return f"Settings has no {path}." + (f" Did you mean {near}?" if near else "")


def _setting_at(where: tuple[str, ...]) -> Declared | None:
    settings = declared().values()
    return next((item for item in settings if item.path == where[: len(item.path)]), None)


def _table_path(where: tuple[str, ...]) -> str:
    return ".".join((_TABLES.get(where[0], where[0]), *where[1:])) if where else "The settings"


def _rule(error: ErrorDetails, setting: Declared | None) -> str:
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] == "literal_error":
        return f"one of {error['ctx']['expected']}".replace("'", "")
    if error["type"] == "extra_forbidden":
        return "there is no such setting"
    if error["type"] == "string_unicode":
        return "text in UTF-8"
    return allowed(setting.field) if setting else error["msg"]


def shown_value(setting: Declared, value: Any) -> str:
    """Quote a value for a message: shortened, and hidden if it is or looks like a secret."""
    text = shown(value)
    if setting.is_secret or _LIKE_A_KEY.search(text):
        return "set to something (hidden)"
    text = _URL_LOGIN.sub("//***@", text)
    return repr(text if len(text) <= _MAX_SHOWN_CHARS else f"{text[:_MAX_SHOWN_CHARS]}…")
