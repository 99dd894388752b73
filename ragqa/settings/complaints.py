"""Turn pydantic's findings into one message: setting, value, source and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ragqa.errors import ConfigError
from ragqa.settings.origin import Found
from ragqa.settings.registry import Declared, allowed, by_name, declared, shown
from ragqa.settings.tables import nearest

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_TABLES = {"category_details": "categories", "folder_groups": "groups", "prices": "prices"}
"""The fields that hold tables of ``ragqa.toml``, and what these are called there."""

_MAX_SHOWN_CHARS = 80
_LIKE_A_KEY = re.compile(r"^(sk|pk|gsk|hf|ghp|xox.)[-_]|^[A-Za-z0-9+/_=-]{24,}$")
_URL_LOGIN = re.compile(r"//[^/?#]*@")


def config_error(
    exc: ValidationError, found: Mapping[str, Found], tables: Collection[str]
) -> ConfigError:
    """Return one error for everything that pydantic rejected.

    Args:
        exc: What pydantic found.
        found: The values that were checked, by variable.
        tables: The fields that ``ragqa.toml`` gives as tables.
    """
    errors = exc.errors(include_url=False)
    said = dict.fromkeys(_complaint(error, found, tables) for error in errors)
    return ConfigError("\n".join(said))


def _complaint(error: ErrorDetails, found: Mapping[str, Found], tables: Collection[str]) -> str:
    where = tuple(str(part) for part in error["loc"])
    setting = _setting_at(where)
    if setting is None and where and where[0] not in _TABLES:
        return _unknown(".".join(where))
    if setting is None:
        place = " in ragqa.toml" if where and where[0] in tables else ""
        return f"{_table_path(where)}{place}: {_rule(error, None)}."
    item = found.get(setting.variable)
    source = f" ({item.source})" if item else ""
    value = shown_value(setting, item.value if item else error.get("input"))
    return f"{setting.variable} is {value}{source}; allowed: {_rule(error, setting)}."


def _unknown(path: str) -> str:
    """Complain of a name that Settings itself was given: it takes fields, and no variables."""
    fields = {".".join(item.path): item for item in declared().values()} | dict(by_name())
    near = nearest(path.lower(), fields)
    hint = f"did you mean {'.'.join(fields[near].path)}?" if near else "ragqa doctor lists all."
    return f"There is no setting {path}; {hint}"


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
