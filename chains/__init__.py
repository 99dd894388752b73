"""Ready-made chains, one file each; a file's name is its chain's.

    import chains

    chains.names()                          # ('extractive', 'retrieval_qa', 'stuff', …)
    chain = chains.stuff.build(parts)       # a LangChain Runnable
    chain.invoke("How long is delivery?")   # an Answer

Other packages add chains by an entry point of the group ``ragqa.chains`` that names a module (or
any object) with a function ``build(parts, **options)``.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ragqa.errors import ConfigError, UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "ragqa.chains"


def names() -> tuple[str, ...]:
    """Return the names of all chains, built in and plugged in."""
    return tuple(sorted({*_built_in(), *_plugged_in()}))


def load(name: str) -> Any:
    """Return the module (or object) of a chain: it has ``build(parts, **options)``.

    Raises:
        UnknownNameError: If no chain bears that name.
        ConfigError: If a plugged-in chain cannot be loaded or has no ``build``.
    """
    if name in _built_in():
        return importlib.import_module(f"{__name__}.{name}")
    plugged_in = _plugged_in()
    if name not in plugged_in:
        raise UnknownNameError("chain", name, names())
    return _loaded(plugged_in[name])


def _loaded(entry: EntryPoint) -> Any:
    try:
        chain = entry.load()
    except Exception as exc:
        raise ConfigError(
            f"The chain {entry.name!r} ({entry.value}) cannot be loaded: {exc}",
            hint="Repair or remove the package that brings it.",
        ) from exc
    if not callable(getattr(chain, "build", None)):
        raise ConfigError(f"The chain {entry.name!r} ({entry.value}) has no build(parts).")
    return chain


def _built_in() -> frozenset[str]:
    return frozenset(module.name for module in pkgutil.iter_modules(__path__))


def _plugged_in() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to load, and most asks need no plug-in

    return {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}


def __getattr__(name: str) -> ModuleType:
    if name in _built_in():
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_built_in()]
