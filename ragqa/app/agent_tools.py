"""The agent's own tools, named by the setting ``RAGQA_TOOLS`` as ``module:factory``.

The factory takes nothing and returns tools, or tools and their policies:

    def factory():
        return [create_ticket], {"create_ticket": ToolPolicy(approval=True)}
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from ragqa.errors import ConfigError
from ragqa.settings import Settings

AGENT = "agent"


def chain_options(name: str, settings: Settings, **given: Any) -> dict[str, Any]:
    """Return the options of a chain: those given, for the agent with the configured tools.

    Raises:
        ConfigError: If ``RAGQA_TOOLS`` names nothing that gives tools.
    """
    if name != AGENT or settings.tools is None or "tools" in given:
        return given
    tools, policies = configured_tools(settings.tools)
    return {**given, "tools": tools, "policies": {**policies, **(given.get("policies") or {})}}


def configured_tools(named: str) -> tuple[list[Any], Mapping[str, Any]]:
    """Return what the factory of a setting gives.

    Args:
        named: ``module:factory``.

    Raises:
        ConfigError: If there is none, it fails, or gives something else.
    """
    module_name, mark, attribute = named.partition(":")
    if not (module_name and mark and attribute):
        raise ConfigError(
            f"RAGQA_TOOLS is {named!r}.", hint="Name a function: RAGQA_TOOLS=my_tools:factory"
        )
    made = _made(_factory(module_name, attribute, named), named)
    tools, policies = made if _is_pair(made) else (made, {})
    if isinstance(tools, str | bytes | Mapping) or not hasattr(tools, "__iter__"):
        raise ConfigError(
            f"The function of RAGQA_TOOLS={named} returned a {type(tools).__name__}.",
            hint="It returns a list of tools, or that list and a dict of policies.",
        )
    return list(tools), policies or {}


def _is_pair(made: Any) -> bool:
    return isinstance(made, tuple) and len(made) == 2 and isinstance(made[1], Mapping | None)


def _factory(module_name: str, attribute: str, named: str) -> Callable[[], Any]:
    try:
        found: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as exc:  # a module of the caller's may fail in any way
        raise ConfigError(
            f"RAGQA_TOOLS={named} cannot be loaded: {type(exc).__name__}: {exc}",
            hint="Name a function of a module that Python finds, installed or in the current "
            "folder: RAGQA_TOOLS=my_tools:factory",
        ) from exc
    if not callable(found):
        raise ConfigError(f"RAGQA_TOOLS={named} is a {type(found).__name__}, not a function.")
    function: Callable[[], Any] = found
    return function


def _made(factory: Callable[[], Any], named: str) -> Any:
    try:
        return factory()
    except ConfigError:
        raise
    except Exception as exc:
        raise ConfigError(
            f"The function of RAGQA_TOOLS={named} failed: {type(exc).__name__}: {exc}"
        ) from exc
